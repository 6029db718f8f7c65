// One family of run times: reads its rows, fits, writes its YAML, says how well it predicts.
#pragma once

#include <string>
#include <vector>

namespace steelyard::fit {

struct Request {
  std::string data;    // folder of the measured rows
  std::string out;     // data/efficiency: holds NAME_priors.yaml, gets the fitted NAME.yaml
  bool quick = false;  // cross-validation by the linear shortcut; nothing is written
  std::string show;    // a fold ("family" "source" ...): one line a row of its predictions
};

struct Family {
  std::string name;                    // "train": also the file written
  std::string (*fit)(const Request&);  // gives the report to print
};

/// All families, in the order in which they must be fitted (an earlier one may be the prior of a later one).
const std::vector<Family>& families();

}  // namespace steelyard::fit

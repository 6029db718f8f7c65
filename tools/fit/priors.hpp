// What is known of a family before its rows are fitted: data/efficiency/NAME_priors.yaml.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mixed.hpp"

namespace steelyard::fit {

struct Priors {
  std::vector<Parameter> parameters;
  std::map<std::string, double, std::less<>> sigmas;  // of the kinds of levels
  double noise = 0.05;
  double interval_width = 1.645;
};

/// FOLDER/FAMILY_priors.yaml; a fault or a missing file is a std::runtime_error.
Priors read_priors(const std::string& folder, const std::string& family);

}  // namespace steelyard::fit

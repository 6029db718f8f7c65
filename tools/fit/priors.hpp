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

/// From the files compiled into the library; a fault or a missing file is a std::runtime_error.
Priors embedded_priors(const std::string& family);

}  // namespace steelyard::fit

// What was fitted from measured runs: parameters and offsets of every family of run times. One member a family.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "estimate/offsets/offsets.hpp"
#include "estimate/train/parameters.hpp"
#include "estimate/train/software.hpp"
#include "load/fields.hpp"

namespace steelyard::estimate {

/// One fitted file as it stands: named parameters, offsets, the law's own spread.
struct FittedFamily {
  std::map<std::string, double, std::less<>> parameters;
  Offsets offsets;
  std::map<std::string, double, std::less<>> sigmas;           // spread of each kind of level, by kind
  double noise = 0.05;                                         // sd of the log of one measured time around law x offsets
  double interval_width = 1.645;                               // half width of the stated interval in sd
  std::map<std::string, double, std::less<>> interval_widths;  // of the kinds of rows that have one of their own

  /// The half width of a kind of rows in sd.
  double width(std::string_view kind) const;

  /// The parameter of that name, or `otherwise` where the file has none.
  double parameter(std::string_view name, double otherwise) const;
};

/// Reads `parameters:` (name, value ...), `levels:` and `cells:` as tools/fit/yaml_out.hpp writes them. Faults become issues.
FittedFamily read_fitted(const load::Document& document, Issues& issues);

/// The training step: its law's parameters as one vector, its offsets, the software it knows (lib/estimate/train).
struct TrainEfficiencies {
  ParameterSet parameters;
  FittedFamily fitted;
  SoftwareTable software;
};

/// The family of data/efficiency/NAME.yaml compiled into the library; without parameters where there is no such file.
FittedFamily embedded_family(const std::string& name);

/// All families. A calibration file overrides single members.
struct Efficiencies {
  TrainEfficiencies train;

  /// Those compiled into the library (data/efficiency/*.yaml). A file that is missing leaves the laws at their priors.
  static const Efficiencies& embedded();
};

}  // namespace steelyard::estimate

// Public figures by class of machine (data/evidence/class_references.yaml).
#pragma once

#include <optional>
#include <steelyard/issue.hpp>
#include <string>
#include <vector>

#include "load/node.hpp"

namespace steelyard::calibration {

struct ClassReference {
  std::string board;   // id
  std::string metric;  // name of a coefficient
  std::optional<int> ranks, nodes;
  double value = 0;
  std::string unit;
  std::string kind;  // "measured" "expected" "floor"
  std::string source;
};

std::vector<ClassReference> read_references(const load::Document& document, Issues& issues);
const std::vector<ClassReference>& class_references();

}  // namespace steelyard::calibration

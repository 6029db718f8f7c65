// Severities and figures of the checks (data/schema/lint.yaml).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace steelyard::catalog {

struct LintFacts {
  std::map<std::string, std::string> severity;  // by code
  double memory_tolerance = 0;                  // share
  int stale_after_days = 0;
  double headline_gbit_per_s = 0;
  int most_parts_of_a_gpu = 0;
  double most_usd_per_gpu = 0;                 // an hour
  std::vector<std::string> words_for_nothing;  // lower case
  std::vector<std::string> no_gpu_names;       // how names of accelerators start that are no GPUs; letters and digits only
};

const LintFacts& lint_facts();

}  // namespace steelyard::catalog

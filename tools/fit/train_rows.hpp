// The measured language-model training steps as requests: workload, configuration, plan, measured seconds.
#pragma once

#include <steelyard/catalog.hpp>
#include <steelyard/estimate.hpp>
#include <string>
#include <vector>

namespace steelyard::fit {

struct TrainRow {
  std::string id, source, family, gpu_text, model_text;
  Workload workload;
  Configuration configuration;
  Plan plan;  // to be filled by the plan search
  double step_time_s = 0;
  bool scored = true;  // false: a run whose model or variant the source describes only in words
};

/// All rows of a folder that state what decides their time; `left_out` says why others are missing.
std::vector<TrainRow> read_train_rows(const std::string& folder, const Catalog& catalog, std::vector<std::string>& left_out);

}  // namespace steelyard::fit

// Measured serving runs as the requests that would ask for them.
#pragma once

#include <string>
#include <vector>

#include "estimate/serve/efficiency.hpp"
#include "family.hpp"

namespace steelyard::fit {

struct ServeRow {
  std::string id, model;
  estimate::ServeJob job;
  estimate::ServeMetric metric = estimate::ServeMetric::throughput;
  double time_s = 0;   // of one output token, or of the request
  bool scored = true;  // false: evidence only, since the source does not state the lengths
};

std::vector<ServeRow> batching_rows(const Request& request);
std::vector<ServeRow> stream_rows(const Request& request);

}  // namespace steelyard::fit

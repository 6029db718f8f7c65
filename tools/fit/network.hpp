// The network between nodes: start-up and share of the nominal rate by kind, from published two-node runs of nccl-tests.
#pragma once

#include "family.hpp"

namespace steelyard::fit {

struct NetworkFit {
  std::string report, parameters, errors;  // lines for the console and for collectives.yaml
};

NetworkFit fit_network(const Request& request);

}  // namespace steelyard::fit

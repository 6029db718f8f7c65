// Collectives: fits data/efficiency/collectives.yaml from collectives.csv, and the network between nodes from the published table of
// two-node runs that lies beside the data (../reference/multinode_nccl_published.csv).
#pragma once

#include "family.hpp"

namespace steelyard::fit {

std::string fit_collectives(const Request& request);

}  // namespace steelyard::fit

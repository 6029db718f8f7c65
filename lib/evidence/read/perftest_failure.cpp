#include "evidence/read/perftest_failure.hpp"

#include "core/text.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

std::string perftest_failure(std::string_view line) {
  for (const std::string_view mark :
       {"Unable to create QP", "Failed to create QP", "Couldn't create IB resources", "Failed to modify QP", "Unable to init the socket connection",
        "Failed to exchange data between server and clients", "RDMA_CM_EVENT_REJECTED", "RDMA_CM_EVENT_ADDR_ERROR", "RDMA_CM_EVENT_ROUTE_ERROR",
        "Failed to handle RDMA CM event", "Couldn't allocate MR", "failed to create mr", "Couldn't get device attributes", "IB device not found",
        "did not detect devices", "cannot be used without CUDA"}) {
    if (contains(line, mark)) return std::string(trim(line));
  }
  return contains(line, "Couldn't connect to ") && contains(line, ":") ? std::string(trim(line)) : "";
}

std::string perftest_command(std::string_view line) {
  for (const std::string_view verb : {"write", "read", "send", "atomic"}) {
    for (const std::string_view kind : {"_bw", "_lat"}) {
      std::string name = std::string(verb) + std::string(kind);
      if (contains(line, "ib_" + name)) return name;
    }
  }
  return {};
}

}  // namespace steelyard::evidence

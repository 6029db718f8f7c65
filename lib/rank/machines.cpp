#include "rank/machines.hpp"

namespace steelyard::rank {

Machines::Key Machines::key_of(const Configuration& c) {
  const InterNode& net = c.inter_node;
  return {c.gpu,
          c.board,
          c.gpus_per_node,
          c.nodes,
          c.intra_node,
          c.gpu_peer_access,
          c.nvlink_domain_gpus,
          net.kind,
          net.gbit_per_s_per_node,
          net.ports_per_node,
          net.gbit_per_s_per_port,
          net.gpudirect,
          c.host_memory_gib,
          c.shm_gib,
          c.os,
          c.driver,
          c.measured.samples_per_s,
          c.measured.requests_per_s,
          c.measured.tokens_per_s};
}

decide::MachineDecision& Machines::decide(const Configuration& configuration) {
  auto& known = known_[key_of(configuration)];
  if (!known) known = std::make_unique<decide::MachineDecision>(workload_, configuration, catalog_.rates(), book_, detail_, measured_);
  return *known;
}

}  // namespace steelyard::rank

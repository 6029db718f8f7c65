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

Machines::Key Machines::family(Configuration configuration) {
  configuration.nodes = 0;
  return key_of(configuration);
}

const decide::SharedModel& Machines::model(Model& entry, Configuration part) {
  std::call_once(entry.once, [&] { entry.made = std::make_unique<const decide::SharedModel>(job_, std::move(part)); });
  return *entry.made;
}

decide::MachineDecision& Machines::decide(const Configuration& configuration) {
  Configuration part = decide::modelled_part(configuration);
  std::unique_lock lock(guard_);
  auto& known = known_[key_of(configuration)];
  if (known) return *known;
  Model& entry = models_[key_of(part)];
  lock.unlock();
  known = std::make_unique<decide::MachineDecision>(job_, configuration, detail_, &model(entry, std::move(part)));
  return *known;
}

}  // namespace steelyard::rank

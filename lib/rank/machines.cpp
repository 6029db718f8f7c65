#include "rank/machines.hpp"

#include "core/parallel.hpp"

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

namespace {

constexpr std::size_t least_for_a_thread = 8;

}  // namespace

// Taking thousands of answers apart takes as long as a tenth of making them.
Machines::~Machines() {
  std::vector<std::unique_ptr<decide::MachineDecision>*> all;
  for (auto& [key, decision] : known_) all.push_back(&decision);
  for_each_index(all.size(), 4 * least_for_a_thread, [&](std::size_t index) { all[index]->reset(); });
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

void Machines::prepare(const std::vector<Configuration>& configurations) {
  struct Machine {
    const Configuration* configuration;
    std::unique_ptr<decide::MachineDecision>* decision;
    Model* model;
  };
  std::vector<Machine> machines;
  for (const Configuration& configuration : configurations) {
    const auto [known, fresh] = known_.try_emplace(key_of(configuration));
    if (fresh) machines.push_back({&configuration, &known->second, &models_[key_of(decide::modelled_part(configuration))]});
  }
  for_each_index(machines.size(), least_for_a_thread, [&](std::size_t index) {
    const Machine& machine = machines[index];
    const decide::SharedModel& its = model(*machine.model, decide::modelled_part(*machine.configuration));
    *machine.decision = std::make_unique<decide::MachineDecision>(job_, *machine.configuration, detail_, &its);
  });
}

}  // namespace steelyard::rank

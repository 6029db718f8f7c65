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

namespace {

constexpr std::size_t least_for_a_thread = 8;

PlanOptions plans_of(const rules::Book& book) {
  rules::Session session(book);
  return decide::plan_options(session);
}

}  // namespace

Machines::Machines(const Workload& workload, const Catalog& catalog, const rules::Book& book, decide::Detail detail,
                   const decide::MeasuredBoards* measured)
    : workload_(workload), catalog_(catalog), book_(book), detail_(detail), measured_(measured), plans_(plans_of(book)) {}

// Taking thousands of answers apart takes as long as a tenth of making them.
Machines::~Machines() {
  std::vector<std::unique_ptr<decide::MachineDecision>*> all;
  for (auto& [key, decision] : known_) all.push_back(&decision);
  for_each_index(all.size(), 4 * least_for_a_thread, [&](std::size_t index) { all[index]->reset(); });
}

std::unique_ptr<decide::MachineDecision> Machines::make(const Configuration& configuration, const decide::SharedModel& model) const {
  return std::make_unique<decide::MachineDecision>(workload_, configuration, catalog_.rates(), book_, detail_, measured_, &model);
}

decide::MachineDecision& Machines::decide(const Configuration& configuration) {
  auto& known = known_[key_of(configuration)];
  if (known) return *known;
  Configuration part = decide::modelled_part(configuration);
  auto& model = models_[key_of(part)];
  if (!model) model = std::make_unique<const decide::SharedModel>(workload_, std::move(part), measured_, plans_);
  known = make(configuration, *model);
  return *known;
}

void Machines::prepare(const std::vector<Configuration>& configurations) {
  struct Part {
    Configuration configuration;
    std::unique_ptr<const decide::SharedModel>* model;
  };
  struct Machine {
    const Configuration* configuration;
    std::unique_ptr<decide::MachineDecision>* decision;
    std::unique_ptr<const decide::SharedModel>* model;
  };
  std::vector<Part> parts;
  std::vector<Machine> machines;
  for (const Configuration& configuration : configurations) {
    const auto [known, fresh] = known_.try_emplace(key_of(configuration));
    if (!fresh) continue;
    Configuration part = decide::modelled_part(configuration);
    const auto [model, fresh_model] = models_.try_emplace(key_of(part));
    if (fresh_model) parts.push_back({std::move(part), &model->second});
    machines.push_back({&configuration, &known->second, &model->second});
  }
  for_each_index(parts.size(), least_for_a_thread, [&](std::size_t index) {
    *parts[index].model = std::make_unique<const decide::SharedModel>(workload_, parts[index].configuration, measured_, plans_);
  });
  for_each_index(machines.size(), least_for_a_thread, [&](std::size_t index) {
    const Machine& machine = machines[index];
    *machine.decision = make(*machine.configuration, **machine.model);
  });
}

}  // namespace steelyard::rank

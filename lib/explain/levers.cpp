#include "explain/levers.hpp"

#include <algorithm>
#include <cmath>
#include <steelyard/board.hpp>

#include "catalog/markets.hpp"
#include "core/entries.hpp"

namespace steelyard::explain {

namespace {

Value word_or_null(const std::string& word) { return word.empty() ? Value() : Value(word); }
Value figure_or_null(const std::optional<double>& figure) { return figure ? Value(*figure) : Value(); }

template <class Set>
Lever stepped(std::string field, Value from, std::vector<Value> steps, Set set) {
  return {std::move(field), [from](const Case&) { return from; }, set, std::move(steps), false, false};
}

Lever nodes_lever(std::vector<Value> steps) {
  return {"configuration.nodes",
          [](const Case& one) { return Value(one.configuration.nodes); },
          [](Case& one, const Value& to) { one.configuration.nodes = static_cast<int>(to.as_number()); },
          std::move(steps),
          true,
          false};
}

constexpr int most_nodes = 1024, most_gpus = 4096;

Lever more_nodes(const Case& now) {
  std::vector<Value> steps;
  const Configuration& box = now.configuration;
  for (int nodes = box.nodes * 2; nodes <= most_nodes && nodes * box.gpus_per_node <= most_gpus; nodes *= 2) steps.emplace_back(nodes);
  return nodes_lever(std::move(steps));
}

Lever fewer_nodes(const Case& now) {
  std::vector<Value> steps;
  for (int nodes = now.configuration.nodes / 2; nodes >= 1; nodes /= 2) steps.emplace_back(nodes);
  return nodes_lever(std::move(steps));
}

void add_price(const Case& now, std::vector<Lever>& levers) {
  if (!now.configuration.price) return;
  Lever lever{"configuration.price.amount",
              [](const Case& one) { return Value(one.configuration.price->amount); },
              [](Case& one, const Value& to) { one.configuration.price->amount = to.as_number(); },
              {},
              false,
              true};
  constexpr int most_halvings = 13;  // to a ten-thousandth
  for (int halvings = 1; halvings <= most_halvings; ++halvings) lever.steps.emplace_back(std::ldexp(now.configuration.price->amount, -halvings));
  levers.push_back(std::move(lever));
}

// Another purchase of the same machine: its price as a whole, since purchase and amount go together.
void add_purchases(const Case& now, std::vector<Price> purchases, std::vector<Lever>& levers) {
  if (!now.configuration.price) return;
  const Price own = *now.configuration.price;
  std::erase_if(purchases, [&](const Price& one) { return one.purchase == own.purchase || one.currency != own.currency || one.per != own.per; });
  std::sort(purchases.begin(), purchases.end(), [](const Price& one, const Price& other) { return one.amount > other.amount; });
  std::vector<Value> steps;
  for (const Price& price : purchases) steps.push_back(to_value(price));
  const auto set = [purchases](Case& one, const Value& to) {
    const auto found = std::find_if(purchases.begin(), purchases.end(), [&](const Price& price) { return to_value(price) == to; });
    if (found != purchases.end()) one.configuration.price = *found;
  };
  if (!steps.empty()) levers.push_back(stepped("configuration.price", to_value(own), std::move(steps), set));
}

// The link that the board can have and this machine does not; nothing where that is not known.
void add_link(const Case& now, std::vector<Lever>& levers) {
  const Configuration& box = now.configuration;
  const std::string kind = box.board ? box.board->nvlink_kind : std::string();
  const std::string best = kind == "pairs" ? "nvlink_pairs" : kind == "nvswitch" || kind == "mesh" ? "nvlink" : "";
  if (best.empty() || box.gpus_per_node < 2 || box.intra_node == best) return;
  levers.push_back(stepped("configuration.intra_node", word_or_null(box.intra_node), {Value(best)},
                           [](Case& one, const Value& to) { one.configuration.intra_node = to.as_string(); }));
}

void add_network(const Case& now, std::vector<Lever>& levers) {
  if (now.configuration.nodes < 2) return;
  const InterNode& network = now.configuration.inter_node;
  if (network.kind != "infiniband" && network.kind != "roce") {
    levers.push_back(stepped("configuration.inter_node.kind", word_or_null(network.kind), {Value("roce")},
                             [](Case& one, const Value& to) { one.configuration.inter_node.kind = to.as_string(); }));
  }
  std::vector<Value> rates;
  for (const double rate : {100.0, 200.0, 400.0, 800.0, 1600.0, 3200.0}) {
    if (rate > network.gbit_per_s_per_node.value_or(0)) rates.emplace_back(rate);
  }
  levers.push_back(stepped("configuration.inter_node.gbit_per_s_per_node", figure_or_null(network.gbit_per_s_per_node), std::move(rates),
                           [](Case& one, const Value& to) { one.configuration.inter_node.gbit_per_s_per_node = to.as_number(); }));
}

void add_host(const Case& now, std::vector<Lever>& levers) {
  const Configuration& box = now.configuration;
  if (box.shm_gib) {
    levers.push_back(stepped("configuration.shm_gib", Value(*box.shm_gib), {Value(16.0), Value(64.0)},
                             [](Case& one, const Value& to) { one.configuration.shm_gib = to.as_number(); }));
  }
  if (box.host_memory_gib) {
    std::vector<Value> sizes;
    for (const double factor : {2.0, 4.0, 8.0}) sizes.emplace_back(*box.host_memory_gib * factor);
    levers.push_back(stepped("configuration.host_memory_gib", Value(*box.host_memory_gib), std::move(sizes),
                             [](Case& one, const Value& to) { one.configuration.host_memory_gib = to.as_number(); }));
  }
  if (box.os != "linux" && !box.os.empty()) {
    levers.push_back(
        stepped("configuration.os", Value(box.os), {Value("linux")}, [](Case& one, const Value& to) { one.configuration.os = to.as_string(); }));
  }
}

void add_deadline(const Case& now, std::vector<Lever>& levers) {
  const auto deadline = now.workload.constraints.deadline_h;
  if (!deadline) return;
  std::vector<Value> hours;
  for (int factor = 2; factor <= 1024; factor *= 2) hours.emplace_back(std::to_string(*deadline * factor) + " h");
  levers.push_back(stepped("workload.constraints.deadline", Value(std::to_string(*deadline) + " h"), std::move(hours),
                           [](Case& one, const Value& to) { one.workload.constraints.deadline_h = std::stod(to.as_string()); }));
}

void add_job(const Case& now, std::vector<Lever>& levers) {
  const Workload& job = now.workload;
  if (job.activation_checkpointing != "full" && !job.method.empty()) {
    levers.push_back(stepped("workload.activation_checkpointing", word_or_null(job.activation_checkpointing), {Value("full")},
                             [](Case& one, const Value& to) { one.workload.activation_checkpointing = to.as_string(); }));
  }
  if (job.batch.micro.value_or(1) > 1) {
    levers.push_back(stepped("workload.batch.micro", Value(*job.batch.micro), {Value(1)},
                             [](Case& one, const Value& to) { one.workload.batch.micro = static_cast<int>(to.as_number()); }));
  }
  if (!job.method.empty() && job.offload != "parameters") {
    levers.push_back(stepped("workload.offload", word_or_null(job.offload), {Value("optimizer"), Value("parameters")},
                             [](Case& one, const Value& to) { one.workload.offload = to.as_string(); }));
  }
  if (job.task == "diffusion_inference" && job.offload != "sequential") {
    std::vector<Value> words = {Value("parameters"), Value("sequential")};
    if (job.offload == "parameters") words.erase(words.begin());
    levers.push_back(stepped("workload.offload", word_or_null(job.offload), std::move(words),
                             [](Case& one, const Value& to) { one.workload.offload = to.as_string(); }));
  }
  add_deadline(now, levers);
}

// The speed that must be measured, in what the work is counted in.
void add_speed(const Case& now, std::vector<Lever>& levers) {
  const Work& work = now.workload.work;
  const auto rate = work.tokens     ? std::pair("configuration.measured.tokens_per_s", &MeasuredRates::tokens_per_s)
                    : work.requests ? std::pair("configuration.measured.requests_per_s", &MeasuredRates::requests_per_s)
                                    : std::pair("configuration.measured.samples_per_s", &MeasuredRates::samples_per_s);
  const auto member = rate.second;
  Lever lever{rate.first,
              [member](const Case& one) { return figure_or_null(one.configuration.measured.*member); },
              [member](Case& one, const Value& to) { one.configuration.measured.*member = to.as_number(); },
              {},
              false,
              true};
  constexpr double slowest = 1e-6;
  constexpr int most_doublings = 50;  // to a billion
  for (int doublings = 0; doublings <= most_doublings; doublings += 2) lever.steps.emplace_back(std::ldexp(slowest, doublings));
  levers.push_back(std::move(lever));
}

}  // namespace

std::vector<Lever> levers_to_accept(const Case& now) {
  std::vector<Lever> levers;
  add_price(now, levers);
  add_link(now, levers);
  add_network(now, levers);
  levers.push_back(more_nodes(now));
  add_host(now, levers);
  add_job(now, levers);
  return levers;
}

namespace {

using Names = std::vector<std::string>;

// One name more in a list of a job; nothing where the job lists none.
void add_name(const char* field, Names Constraints::*list, const Case& now, const std::optional<std::string>& name, std::vector<Lever>& levers) {
  const Names& listed = now.workload.constraints.*list;
  if (listed.empty()) return;
  Names wider;  // without a name to add the list says nothing any more
  if (name) {
    wider = listed;
    wider.push_back(*name);
  }
  levers.push_back(stepped(field, list_of_texts(listed), {list_of_texts(wider)},
                           [list, wider](Case& one, const Value&) { one.workload.constraints.*list = wider; }));
}

}  // namespace

std::vector<Lever> levers_of_wishes(const Case& now, const Offer& offer) {
  std::vector<Lever> levers;
  const Constraints& wishes = now.workload.constraints;
  const Configuration& box = now.configuration;
  if (box.board) add_name("workload.constraints.gpus.names", &Constraints::gpu_names, now, box.board->id, levers);
  add_name("workload.constraints.providers", &Constraints::providers, now, offer.provider, levers);
  add_name("workload.constraints.markets", &Constraints::markets, now, catalog::Markets::embedded().of_region(offer.region, offer.provider), levers);
  if (wishes.spot != "allowed") {
    levers.push_back(stepped("workload.constraints.spot", Value(wishes.spot), {Value("allowed")},
                             [](Case& one, const Value& to) { one.workload.constraints.spot = to.as_string(); }));
  }
  if (wishes.gpus_max && *wishes.gpus_max < box.gpus()) {
    levers.push_back(stepped("workload.constraints.gpus.max", Value(*wishes.gpus_max), {Value(box.gpus())},
                             [](Case& one, const Value& to) { one.workload.constraints.gpus_max = static_cast<int>(to.as_number()); }));
  }
  return levers;
}

std::vector<Lever> levers_to_win(const Case& now, const std::vector<Price>& purchases, bool speed_known) {
  std::vector<Lever> levers;
  add_price(now, levers);
  add_purchases(now, purchases, levers);
  add_link(now, levers);
  add_network(now, levers);
  levers.push_back(more_nodes(now));
  levers.push_back(fewer_nodes(now));
  if (!speed_known) add_speed(now, levers);
  return levers;
}

}  // namespace steelyard::explain

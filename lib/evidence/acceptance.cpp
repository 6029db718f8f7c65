#include "evidence/acceptance.hpp"

#include "core/text.hpp"
#include "evidence/books.hpp"
#include "evidence/read/scan.hpp"
#include "evidence/references.hpp"

namespace steelyard::evidence {

namespace {

Value offer_facts(const Configuration& offer) {
  Value facts = Value::map();
  const InterNode& network = offer.inter_node;
  if (!network.kind.empty()) facts.set_path("configuration.inter_node.kind", network.kind);
  if (network.gbit_per_s_per_node) facts.set_path("configuration.inter_node.gbit_per_s_per_node", *network.gbit_per_s_per_node);
  facts.set_path("configuration.gpus_per_node", offer.gpus_per_node);
  facts.set_path("configuration.nodes", offer.nodes);
  std::optional<double> port = network.gbit_per_s_per_port;
  if (!port && network.gbit_per_s_per_node && network.ports_per_node && *network.ports_per_node > 0)
    port = *network.gbit_per_s_per_node / *network.ports_per_node;
  if (!port && network.gbit_per_s_per_node && References::embedded().is_line_rate(*network.gbit_per_s_per_node / std::max(1, offer.gpus_per_node))) {
    port = *network.gbit_per_s_per_node / std::max(1, offer.gpus_per_node);  // one adapter a GPU
  }
  if (port) facts.set_path("promise.port_gbit_per_s", *port);
  return facts;
}

}  // namespace

Value acceptance(const Configuration& offer, const rules::Book& book) {
  rules::Session session(book, offer_facts(offer));
  Value kit = Value::map();
  kit["commands"] = Value::list();
  for (const rules::Hit& hit : session.decide("acceptance.commands").hits) kit["commands"].push_back(hit.output);
  kit["thresholds"] = Value::list();
  for (const rules::Hit& hit : session.decide("acceptance.thresholds").hits) {
    Value threshold = hit.output;
    if (!threshold.is_map()) continue;
    threshold["because"] = hit.because;
    threshold["rule"] = hit.rule;
    kit["thresholds"].push_back(std::move(threshold));
  }
  kit["contract_terms"] = Value::list();
  for (const rules::Hit& hit : session.decide("acceptance.terms").hits) kit["contract_terms"].push_back(hit.output);
  kit["environment"] = Value::map();
  for (const rules::Hit& hit : session.decide("acceptance.environment").hits) {
    const Value* name = hit.output.find("name");
    const Value* value = hit.output.find("value");
    if (name && name->is_string() && value) kit["environment"][name->as_string()] = *value;
  }
  return kit;
}

}  // namespace steelyard::evidence

namespace steelyard {

namespace {

/// File that holds the output of a command: "03-ib_write_bw".
std::string output_file(std::size_t number, const std::string& command) {
  std::string tool;
  for (const std::string_view word : evidence::words(command)) {
    if (word.find('=') != std::string_view::npos) continue;
    tool = word;
    break;
  }
  if (evidence::contains(command, "all_reduce_perf")) tool = "all_reduce_perf";
  return (number < 10 ? "0" : "") + std::to_string(number) + "-" + tool;
}

/// Names in capitals that a command leaves open become variables of the script.
std::string with_variables(std::string command) {
  for (const std::string name : {"PEER", "HOST", "DEVICE"}) {
    const std::string variable = "\"$" + name + "\"";
    for (std::size_t at = command.find(name); at != std::string::npos; at = command.find(name, at + variable.size()))
      command.replace(at, name.size(), variable);
  }
  return command;
}

std::string without(std::string text, const std::string& part) {
  if (const std::size_t at = text.find(part); at != std::string::npos) text.erase(at, part.size());
  return text;
}

/// Commands go through `bash -c '...'`: a quote inside is closed, escaped and opened again.
std::string quoted(const std::string& command) {
  std::string text = "'";
  for (const char c : command) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

constexpr const char* script_head = R"sh(#!/usr/bin/env bash
# Acceptance test: collects the evidence that `advise verify` reads, with the tools' own names.
#   bash acceptance.sh PEER       on the first node: all tests, those between nodes against the host PEER
#   bash acceptance.sh --server   on PEER, started first: answers the RDMA tests
#   bash acceptance.sh            on one node alone: the tests between nodes are left out and stay unproven
# RDMA_DEVICES names the adapters of the offer ("mlx5_0 mlx5_1"); without it all that the system lists. OUT names the folder.
# shellcheck disable=SC2016  # commands are expanded where they run
set -u
PEER=${1:-}
HOST=$(hostname)
RDMA_DEVICES=${RDMA_DEVICES:-$(ls /sys/class/infiniband 2>/dev/null)}
OUT=${OUT:-acceptance-$(date +%Y%m%d-%H%M%S)}
export PEER HOST
)sh";

constexpr const char* script_functions = R"sh(
# collect FILE COMMAND: what a command prints, errors included
collect() {
  echo "$1"
  bash -c "$2" > "$OUT/$1.txt" 2>&1 || echo "# exit code $?" >> "$OUT/$1.txt"
}
# between FILE COMMAND: the same against PEER, again while its side is not listening yet
between() {
  [ -n "$PEER" ] || { echo "$1: left out, no PEER"; return 0; }
  for try in 1 2 3 4 5 6 7 8 9 10; do
    collect "$1" "$2"
    grep -q -i -E "couldn't connect|connection refused|unable to (init|connect)" "$OUT/$1.txt" || return 0
    echo "try $try: $PEER does not listen yet"
    sleep "${RETRY_S:-3}"
  done
}
)sh";

}  // namespace

Value Evidence::acceptance(const Configuration& offer) const {
  return evidence::acceptance(offer, books_->chosen.decision("acceptance.commands") ? books_->chosen : books_->reference);
}

std::string Evidence::acceptance_script(const Configuration& offer) const {
  const Value kit = acceptance(offer);
  std::string script = script_head, server, tests;
  for (const auto& [name, value] : kit.find("environment")->as_map())
    script += "export " + name + "=" + (value.is_string() ? value.as_string() : to_json(value)) + "\n";
  std::size_t number = 0;
  for (const Value& entry : kit.find("commands")->as_list()) {
    const std::string& command = entry.as_string();
    const std::string file = output_file(++number, command);
    const bool peer = evidence::contains(command, "PEER"), device = evidence::contains(command, "DEVICE");
    const std::string name = device ? "\"" + file + "-$DEVICE\"" : file;
    const std::string line = (peer ? "between " : "collect ") + name + " " + quoted(with_variables(command)) + "\n";
    const std::string loop = "for DEVICE in $RDMA_DEVICES; do\n  export DEVICE\n  ";
    tests += device ? loop + line + "done\n" : line;
    if (peer && device) server += "  " + loop + "bash -c " + quoted(with_variables(without(command, " PEER"))) + "\n  done\n";
  }
  script += script_functions;
  if (!server.empty()) script += "\nif [ \"$PEER\" = --server ]; then\n" + server + "  exit 0\nfi\n";
  script += "\nmkdir -p \"$OUT\"\n" + tests + "echo \"now: advise verify --promise offer.yaml $OUT/*.txt\"\n";
  for (const Value& threshold : kit.find("thresholds")->as_list()) script += "# " + threshold.find("because")->as_string() + "\n";
  return script;
}

}  // namespace steelyard

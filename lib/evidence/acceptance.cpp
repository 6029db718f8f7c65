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
  if (!port && network.gbit_per_s_per_node && network.ports_per_node && *network.ports_per_node > 0) port = *network.gbit_per_s_per_node / *network.ports_per_node;
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

/// File that holds the output of a command: "03-ib_write_bw.txt".
std::string output_file(std::size_t number, const std::string& command) {
  std::string tool;
  for (const std::string_view word : evidence::words(command)) {
    if (word.find('=') != std::string_view::npos) continue;
    tool = word;
    break;
  }
  if (evidence::contains(command, "all_reduce_perf")) tool = "all_reduce_perf";
  return (number < 10 ? "0" : "") + std::to_string(number) + "-" + tool + ".txt";
}

}  // namespace

Value Evidence::acceptance(const Configuration& offer) const {
  return evidence::acceptance(offer, books_->chosen.decision("acceptance.commands") ? books_->chosen : books_->reference);
}

std::string Evidence::acceptance_script(const Configuration& offer) const {
  const Value kit = acceptance(offer);
  std::string script =
      "#!/usr/bin/env bash\n# Acceptance test: collects the evidence that `advise verify` reads. Usage: bash acceptance.sh [PEER]   (on PEER: the same without an argument)\n"
      "# ib_* tests need a server on the other node: start the same command there without the host name.\nset -u\nPEER=${1:-}\nHOST=$(hostname)\n"
      "OUT=acceptance-$(date +%Y%m%d-%H%M%S)\nmkdir -p \"$OUT\"\n";
  for (const auto& [name, value] : kit.find("environment")->as_map()) script += "export " + name + "=" + (value.is_string() ? value.as_string() : to_json(value)) + "\n";
  std::size_t number = 0;
  for (const Value& entry : kit.find("commands")->as_list()) {
    std::string command = entry.as_string();
    for (const char* name : {"PEER", "HOST"}) {
      for (std::size_t at = command.find(name); at != std::string::npos; at = command.find(name, at + 5)) command.replace(at, 4, std::string("$") + name);
    }
    const std::string file = output_file(++number, command);
    const std::string guard = evidence::contains(command, "$PEER") ? "[ -n \"$PEER\" ] && " : "";
    script += "echo '" + file + "'\n" + guard + "{ " + command + "; } > \"$OUT/" + file + "\" 2>&1\n";
  }
  script += "echo \"now: advise verify --promise offer.yaml $OUT/*.txt\"\n";
  for (const Value& threshold : kit.find("thresholds")->as_list()) script += "# " + threshold.find("because")->as_string() + "\n";
  return script;
}

}  // namespace steelyard

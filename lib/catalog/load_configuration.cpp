#include "catalog/inputs.hpp"

namespace steelyard::catalog {

namespace {

using load::Document;
using load::Fields;
using load::Node;

const std::vector<std::string> network_kinds = {"infiniband", "roce", "efa", "tcpx", "omnipath", "ethernet", "none"};

InterNode read_inter_node(Fields& fields) {
  InterNode network;
  const Node* node = fields.node("inter_node");
  if (!node) return network;
  if (node->kind == Node::Kind::scalar) {
    network.kind = fields.word("inter_node", network_kinds).value_or("");
    return network;
  }
  Fields facts(fields.document(), *node, fields.issues(), "inter_node");
  network.kind = facts.word("kind", network_kinds).value_or("");
  network.gbit_per_s_per_node = facts.number("gbit_per_s_per_node", 0, 1e7);
  network.ports_per_node = facts.integer("ports_per_node", 0, 1024);
  network.gbit_per_s_per_port = facts.number("gbit_per_s_per_port", 0, 1e6);
  network.gpudirect = facts.flag("gpudirect");
  facts.finish();
  if (!network.gbit_per_s_per_node && network.ports_per_node && network.gbit_per_s_per_port) {
    network.gbit_per_s_per_node = *network.ports_per_node * *network.gbit_per_s_per_port;
  }
  return network;
}

MeasuredRates read_measured(Fields& fields) {
  MeasuredRates rates;
  const Node* node = fields.node("measured");
  if (!node) return rates;
  Fields facts(fields.document(), *node, fields.issues(), "measured");
  rates.samples_per_s = positive(facts, "samples_per_s");
  rates.requests_per_s = positive(facts, "requests_per_s");
  rates.tokens_per_s = positive(facts, "tokens_per_s");
  facts.finish();
  return rates;
}

}  // namespace

Loaded<Configuration> load_configuration(const Document& document, const Node& node, const Catalog& catalog) {
  Loaded<Configuration> loaded{Configuration(), {}};
  Configuration& configuration = *loaded.value;
  Fields fields(document, node, loaded.issues, "configuration");
  if (node.kind != Node::Kind::map) return {std::nullopt, std::move(loaded.issues)};
  configuration.where = fields.where();
  configuration.gpu = fields.text("gpu").value_or("");
  if (!configuration.gpu.empty()) configuration.board = read_board(fields, "gpu", configuration.gpu, catalog);
  configuration.gpus_per_node = fields.integer("gpus_per_node", 1, 1'000'000).value_or(1);
  configuration.nodes = fields.integer("nodes", 1, 1'000'000).value_or(1);
  configuration.intra_node = fields.word("intra_node", {"nvlink", "nvlink_pairs", "pcie", "none"}).value_or("");
  configuration.gpu_peer_access = fields.flag("gpu_peer_access");
  configuration.nvlink_domain_gpus = fields.integer("nvlink_domain_gpus", 1, 1'000'000);
  configuration.inter_node = read_inter_node(fields);
  configuration.host_memory_gib = positive(fields, "host_memory_gib", 1e9);
  configuration.shm_gib = fields.number("shm_gib", 0, 1e9);
  configuration.os = fields.word("os", {"linux", "windows", "wsl2"}).value_or("");
  configuration.driver = fields.text("driver").value_or("");
  configuration.price = read_price(fields, "price", catalog.rates());
  configuration.measured = read_measured(fields);
  fields.finish();
  if (has_errors(loaded.issues)) loaded.value.reset();
  return loaded;
}

Loaded<Configuration> load_configuration(const Document& document, const Catalog& catalog) {
  return load_configuration(document, document.root, catalog);
}

}  // namespace steelyard::catalog

namespace steelyard {

Loaded<Configuration> parse_configuration(std::string text, std::string file, const Catalog& catalog) {
  auto document = load::parse_document(std::move(text), std::move(file));
  if (!document) return {std::nullopt, std::move(document.issues)};
  return catalog::load_configuration(*document.value, catalog);
}

Loaded<Configuration> configuration_from_value(const Value& value, std::string source, const Catalog& catalog) {
  const load::Document document{std::move(source), {}, load::from_value(value)};
  return catalog::load_configuration(document, catalog);
}

}  // namespace steelyard

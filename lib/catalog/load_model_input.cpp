#include <algorithm>

#include "catalog/inputs.hpp"
#include "catalog/loaders.hpp"
#include "core/text.hpp"

namespace steelyard::catalog {

namespace {

using load::Fields;
using load::Node;

const Model* named(Fields& fields, const std::string& key, const std::string& name, const Catalog& catalog) {
  const NameMatch<Model> match = catalog.find_model(name);
  if (match.resolved()) return match.resolved();
  std::vector<std::string> ids;
  for (const Model* model : match.candidates) ids.push_back(model->id);
  if (ids.empty()) {
    fields.fault(key, key + ": no model is known as '" + name + "'",
                 (match.nearest.empty() ? "" : "did you mean " + join(match.nearest, ", ") + "? Else ") +
                     std::string("write its facts as a map: params_b, layers, hidden ..."),
                 Severity::warning);
  } else {
    fields.fault(key, key + ": '" + name + "' fits several models: " + join(ids, ", "), "write one of these ids", Severity::warning);
  }
  return nullptr;
}

/// Sizes that follow from the shape, where they are not stated.
void fill_sizes(Model& model) {
  if (!model.params_b && (model.params_b = parameters_b(model))) model.params_basis = "computed from the listed fields";
  if (!model.params_active_b && model.experts > 0) model.params_active_b = active_parameters_b(model);
}

/// Some facts of a named model changed: sizes that followed from the old shape don't hold any more.
void forget_sizes(Model& model) {
  model.params_b.reset();
  model.params_active_b.reset();
  model.csi_params_b.reset();
  model.kv_bytes_per_token_bf16.reset();
  model.forward_gflop_per_sample.reset();
}

bool same_fact(const Value& stated, const Value& known) {
  return stated.is_number() && known.is_number() ? stated.as_number() == known.as_number() : stated == known;
}

/// The model that an answer's `id` names, where all facts that stand beside it are its own: answers go in as they came out.
const Model* from_answer(const Node& node, const Catalog& catalog) {
  const Node* id = node.find("id");
  const Model* known = id && id->kind == Node::Kind::scalar ? catalog.find_model(id->text).resolved() : nullptr;
  if (!known) return nullptr;
  const Value facts = to_value(*known);
  const auto own = [&](const load::Entry& entry) {
    const Value* fact = facts.find(entry.key);
    return entry.key == "id" || (fact && same_fact(load::to_value(entry.value), *fact));
  };
  return std::all_of(node.entries.begin(), node.entries.end(), own) ? known : nullptr;
}

}  // namespace

std::optional<Model> read_model(Fields& fields, const std::string& key, const Catalog& catalog, std::string& name) {
  const Node* node = fields.node(key);
  if (!node) return std::nullopt;
  if (node->kind == Node::Kind::scalar) {
    name = node->text;
    const Model* known = named(fields, key, name, catalog);
    return known ? std::optional(*known) : std::nullopt;
  }
  if (const Model* known = from_answer(*node, catalog)) {
    name = known->id;
    return *known;
  }
  Fields facts(fields.document(), *node, fields.issues(), key);
  Model model;
  const std::string from = facts.has("base") ? "base" : "id";
  if (const auto base = facts.text(from)) {
    name = *base;
    const Model* known = named(facts, from, *base, catalog);
    if (known) model = *known;
    if (node->entries.size() > 1) forget_sizes(model);
  }
  name = facts.text("name").value_or(name);
  model.kind = facts.text("kind").value_or(model.kind);
  read_model_facts(facts, model);
  model.where = facts.where();
  facts.finish();
  fill_sizes(model);
  return model;
}

}  // namespace steelyard::catalog

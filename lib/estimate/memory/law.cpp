#include "estimate/memory/law.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "load/embedded.hpp"
#include "load/fields.hpp"

namespace steelyard::estimate {

namespace {

using load::Fields;

struct NamedConstant {
  const char* name;
  double MemoryLaw::*member;
};
#define STEELYARD_CONSTANT(name) \
  { #name, &MemoryLaw::name }
constexpr NamedConstant constants[] = {
    STEELYARD_CONSTANT(context_gib),
    STEELYARD_CONSTANT(gated_bytes_per_hidden),
    STEELYARD_CONSTANT(gated_bytes_per_ffn),
    STEELYARD_CONSTANT(plain_bytes_per_hidden),
    STEELYARD_CONSTANT(plain_bytes_per_ffn),
    STEELYARD_CONSTANT(dropout_bytes_per_hidden),
    STEELYARD_CONSTANT(score_bytes),
    STEELYARD_CONSTANT(unsharded_bytes_per_hidden),
    STEELYARD_CONSTANT(checkpoint_bytes_per_hidden),
    STEELYARD_CONSTANT(recompute_layer_factor),
    STEELYARD_CONSTANT(routed_bytes_per_hidden),
    STEELYARD_CONSTANT(gathered_layers),
    STEELYARD_CONSTANT(reduce_bucket_elements),
    STEELYARD_CONSTANT(reduce_buckets),
    STEELYARD_CONSTANT(lora_state_bytes),
    STEELYARD_CONSTANT(frozen_trained_layers),
    STEELYARD_CONSTANT(offload_host_gib_per_gpu),
    STEELYARD_CONSTANT(data_host_gib_per_gpu),
    STEELYARD_CONSTANT(serving_activation_factor),
    STEELYARD_CONSTANT(vision_patch_px),
    STEELYARD_CONSTANT(vision_bytes_per_patch),
    STEELYARD_CONSTANT(unrecomputed_factor),
    STEELYARD_CONSTANT(usual_sequence_length),
    STEELYARD_CONSTANT(usual_input_tokens),
    STEELYARD_CONSTANT(usual_output_tokens),
    STEELYARD_CONSTANT(fused_attention_capability),
    STEELYARD_CONSTANT(unshaped_layer_share),
    STEELYARD_CONSTANT(encoder_logits_share),
    STEELYARD_CONSTANT(clip_bytes_per_hidden),
};
#undef STEELYARD_CONSTANT

void read_constant(Fields& fields, MemoryLaw& law, std::vector<std::string>& seen) {
  const std::string name = fields.required_text("name");
  const double value = fields.required_number("value");
  fields.required_text("unit");
  fields.required_text("source");
  fields.required_text("about");
  fields.finish();
  const auto* found = std::find_if(std::begin(constants), std::end(constants), [&](const NamedConstant& one) { return name == one.name; });
  if (found == std::end(constants)) return fields.fault("name", "no constant of the memory model is called '" + name + "'");
  law.*(found->member) = value;
  seen.push_back(name);
}

std::map<std::string, double> numbers(Fields& fields, const std::string& key) {
  std::map<std::string, double> read;
  const load::Node* node = fields.node(key);
  if (!node) return read;
  Fields inner(fields.document(), *node, fields.issues(), key);
  for (const load::Entry& entry : node->entries) read[entry.key] = inner.required_number(entry.key, 0, 16);
  inner.finish();
  return read;
}

void read_format(Fields& fields, MemoryLaw& law) {
  const StoredFormat format{fields.required_number("bytes", 0.1, 8), fields.flag("whole").value_or(true)};
  for (const std::string& name : fields.texts("names")) law.formats[name] = format;
  fields.required_text("source");
  fields.finish();
}

void read_optimizer(Fields& fields, MemoryLaw& law) {
  const std::string name = fields.required_text("name");
  law.optimizer_bytes[name] = fields.required_number("bytes", 0, 16);
  fields.required_text("source");
  fields.finish();
}

void read_framework(Fields& fields, MemoryLaw& law) {
  FrameworkMemory& framework = law.frameworks[fields.required_text("name")];
  framework.gradient_bytes = fields.required_number("gradient_bytes", 0, 8);
  framework.logits_bytes = fields.required_number("logits_bytes", 0, 32);
  framework.gradient_temporary_bytes = fields.required_number("gradient_temporary_bytes", 0, 16);
  framework.partition = fields.flag("partition").value_or(true);
  framework.dropout = fields.flag("dropout").value_or(true);
  framework.expert_parallel = fields.flag("expert_parallel").value_or(false);
  framework.weight_bytes = numbers(fields, "weight_bytes");
  fields.required_text("source");
  fields.finish();
}

void read_engine(Fields& fields, MemoryLaw& law) {
  EngineMemory& engine = law.engines[fields.required_text("name")];
  engine.graph_gib = fields.required_number("graph_gib", 0, 16);
  engine.prefill_tokens = fields.required_number("prefill_tokens", 1);
  engine.max_sequences = fields.required_number("max_sequences", 1);
  engine.context_gib = fields.number("context_gib", 0, 8);
  engine.embedding_on_host = fields.flag("embedding_on_host").value_or(false);
  engine.kv_bytes = numbers(fields, "kv_bytes");
  fields.required_text("source");
  fields.finish();
}

void read_window(Fields& fields, MemoryLaw& law) {
  law.sliding_windows.push_back({fields.texts("models"), fields.required_number("share", 0, 1), fields.required_number("window", 1)});
  fields.required_text("source");
  fields.finish();
}

void read_measured(Fields& fields, MemoryLaw& law) {
  MeasuredMemory& measured = law.measured.emplace_back();
  measured.models = fields.texts("models");
  measured.use = fields.word("use", {"training", "inference"}).value_or("");
  measured.unit = fields.word("unit", {"sample", "megapixel", "kilotoken"}).value_or("");
  measured.figure = fields.required_number("figure", 0);
  measured.unrecomputed_figure = fields.number("unrecomputed_figure", 0).value_or(0);
  measured.exponent = fields.required_number("exponent", 0, 4);
  measured.base_gib = fields.number("base_gib", 0).value_or(0);
  measured.frozen_gib = fields.number("frozen_gib", 0).value_or(0);
  measured.largest_frozen_gib = fields.number("largest_frozen_gib", 0).value_or(measured.frozen_gib);
  measured.inference_figure = fields.number("inference_figure", 0).value_or(0);
  measured.decode_figure = fields.number("decode_figure", 0).value_or(0);
  measured.frames = fields.number("frames", 1).value_or(1);
  measured.megapixels = fields.number("megapixels", 0).value_or(0);
  measured.capability = fields.required_number("capability", 0);
  measured.allocation_figure = fields.number("allocation_figure", 0).value_or(0);
  measured.allocation_exponent = fields.number("allocation_exponent", 0, 4).value_or(1);
  measured.single_gpu = fields.flag("single_gpu").value_or(false);
  fields.required_text("source");
  fields.finish();
}

template <class Read>
void read_list(Fields& root, const std::string& key, Read read) {
  if (const load::Node* list = root.node(key)) {
    load::each_map(root.document(), *list, root.issues(), key, read);
  } else {
    root.fault(key, key + ": missing");
  }
}

template <class T>
const T& by_longest_name(const std::map<std::string, T, std::less<>>& entries, std::string_view text) {
  const std::string lower = to_lower(text);
  const T* best = &entries.find("default")->second;
  std::size_t length = 0;
  for (const auto& [name, entry] : entries) {
    if (name.size() > length && lower.find(name) != std::string::npos) {
      best = &entry;
      length = name.size();
    }
  }
  return *best;
}

}  // namespace

StoredFormat MemoryLaw::format(std::string_view name) const {
  const auto found = formats.find(name);
  return found == formats.end() ? StoredFormat{} : found->second;
}

const FrameworkMemory& MemoryLaw::framework(std::string_view name) const { return by_longest_name(frameworks, name); }
const EngineMemory& MemoryLaw::engine(std::string_view name) const { return by_longest_name(engines, name); }

bool names_model(const std::vector<std::string>& beginnings, std::string_view name) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::any_of(beginnings.begin(), beginnings.end(), [&](const std::string& one) {
    return one.size() <= name.size() && std::equal(one.begin(), one.end(), name.begin(), [&](char a, char b) { return lower(a) == lower(b); });
  });
}

Loaded<MemoryLaw> read_memory_law(const load::Document& document) {
  Loaded<MemoryLaw> loaded;
  MemoryLaw law;
  std::vector<std::string> seen;
  Fields root(document, document.root, loaded.issues, "memory law");
  root.required_text("schema");
  read_list(root, "constants", [&](Fields& fields) { read_constant(fields, law, seen); });
  for (const NamedConstant& one : constants) {
    if (std::count(seen.begin(), seen.end(), one.name) != 1) root.fault("constants", std::string(one.name) + " must stand once");
  }
  read_list(root, "formats", [&](Fields& fields) { read_format(fields, law); });
  read_list(root, "optimizers", [&](Fields& fields) { read_optimizer(fields, law); });
  read_list(root, "frameworks", [&](Fields& fields) { read_framework(fields, law); });
  read_list(root, "engines", [&](Fields& fields) { read_engine(fields, law); });
  read_list(root, "sliding_windows", [&](Fields& fields) { read_window(fields, law); });
  read_list(root, "measured", [&](Fields& fields) { read_measured(fields, law); });
  law.fused_loss_packages = root.texts("fused_loss_packages");
  if (const load::Node* node = root.node("diffusion_gib_per_megapixel_and_billion")) {
    Fields fields(document, *node, loaded.issues, "diffusion");
    law.diffusion_gib_per_megapixel_and_billion = fields.required_number("value", 0);
    fields.required_text("source");
    fields.finish();
  }
  root.finish();
  for (const char* table : {"default"}) {
    if (!law.frameworks.count(table)) root.fault("frameworks", "frameworks: no entry 'default'");
    if (!law.engines.count(table)) root.fault("engines", "engines: no entry 'default'");
  }
  if (!has_errors(loaded.issues)) loaded.value = std::move(law);
  return loaded;
}

const MemoryLaw& memory_law() {
  static const MemoryLaw law = value_or_throw(read_memory_law(load::embedded_document("data/efficiency/memory.yaml")));
  return law;
}

}  // namespace steelyard::estimate

#include <algorithm>

#include "catalog/contents.hpp"
#include "catalog/inputs.hpp"
#include "catalog/markets.hpp"
#include "core/text.hpp"

namespace steelyard::catalog {

namespace {

using load::Document;
using load::Fields;
using load::Node;

const std::vector<std::string> tasks = {"pretrain",
                                        "full_finetune",
                                        "lora",
                                        "qlora",
                                        "rl_post_training",
                                        "llm_inference",
                                        "multimodal_inference",
                                        "diffusion_training",
                                        "diffusion_inference",
                                        "vision_training",
                                        "vision3d_training",
                                        "speech_training",
                                        "recommender_training",
                                        "science_inference",
                                        "science_training",
                                        "hpc",
                                        "labelling"};
const std::vector<std::string> precisions = {"bf16", "fp16", "fp8", "mxfp8", "mxfp4", "nvfp4", "fp32", "tf32", "fp64", "int8", "int4"};
const std::vector<std::string> methods = {"full", "lora", "qlora", "freeze"};

/// Calls `read` with the map at a key, and names its unknown keys.
template <class Read>
void section(Fields& fields, const char* key, Read read) {
  const Node* node = fields.node(key);
  if (!node) return;
  Fields inner(fields.document(), *node, fields.issues(), key);
  read(inner);
  inner.finish();
}

Parallel read_parallel(Fields& fields) {
  Parallel parallel;
  const Node* node = fields.node("parallel");
  if (!node || (node->kind == Node::Kind::scalar && node->text == "auto")) return parallel;
  section(fields, "parallel", [&](Fields& inner) {
    parallel.tensor = count_or_auto(inner, "tensor");
    parallel.pipeline = count_or_auto(inner, "pipeline");
    parallel.context = count_or_auto(inner, "context");
    parallel.expert = count_or_auto(inner, "expert");
    parallel.virtual_pipeline = count_or_auto(inner, "virtual_pipeline");
    parallel.data = count_or_auto(inner, "data");
    if (inner.node("sequence_parallel") && inner.node("sequence_parallel")->text != "auto")
      parallel.sequence_parallel = inner.flag("sequence_parallel");
  });
  return parallel;
}

Work read_work(Fields& fields) {
  Work work;
  section(fields, "work", [&](Fields& inner) {
    work.tokens = positive(inner, "tokens");
    work.samples = positive(inner, "samples");
    work.steps = positive(inner, "steps");
    work.requests = positive(inner, "requests");
    work.hours = positive(inner, "hours");
    work.epochs = positive(inner, "epochs");
    work.dataset_samples = positive(inner, "dataset_samples");
  });
  return work;
}

std::optional<Serving> read_serving(Fields& fields) {
  if (!fields.node("serving")) return std::nullopt;
  Serving serving;
  section(fields, "serving", [&](Fields& inner) {
    serving.engine = inner.text("engine").value_or("");
    serving.input_tokens = count_or_auto(inner, "input_tokens");
    serving.output_tokens = count_or_auto(inner, "output_tokens");
    serving.concurrency = count_or_auto(inner, "concurrency");
    serving.max_model_len = count_or_auto(inner, "max_model_len");
    serving.requests_per_s = positive(inner, "requests_per_s");
    serving.latency_p99_ms = positive(inner, "latency_p99_ms");
    serving.weight_only = inner.text("weight_only").value_or("");
  });
  return serving;
}

std::optional<Lora> read_lora(Fields& fields) {
  if (!fields.node("lora")) return std::nullopt;
  Lora lora;
  section(fields, "lora", [&](Fields& inner) {
    lora.rank = inner.integer("rank", 1, 1'000'000).value_or(lora.rank);
    if (const auto targets = inner.texts("targets"); !targets.empty()) lora.targets = join(targets, ",");
  });
  return lora;
}

Inputs read_inputs(Fields& fields) {
  Inputs inputs;
  section(fields, "inputs", [&](Fields& inner) {
    inputs.image_px = inner.integer("image_px", 1);
    inputs.images = inner.integer("images", 1);
    inputs.residues = inner.integer("residues", 1);
    inputs.tokens = inner.integer("tokens", 1);
    inputs.frames = inner.integer("frames", 1);
  });
  return inputs;
}

Needs read_needs(Fields& fields) {
  Needs needs;
  section(fields, "needs", [&](Fields& inner) {
    needs.fp64 = inner.flag("fp64").value_or(false);
    needs.os = inner.word("os", {"linux", "windows", "wsl2"}).value_or("");
    needs.windows_native = inner.flag("windows_native").value_or(false);
    needs.power_w_max = positive(inner, "power_w_max");
    needs.memory_gib = positive(inner, "memory_gib");
  });
  return needs;
}

Software read_software(Fields& fields) {
  Software software;
  section(fields, "software", [&](Fields& inner) {
    software.framework = inner.text("framework").value_or("");
    software.version = inner.text("version").value_or("");
    software.cuda = inner.text("cuda").value_or("");
    software.image = inner.text("image").value_or("");
    software.release_date = inner.text("release_date").value_or("");
    software.packages = inner.texts("packages");
  });
  return software;
}

void read_gpu_limits(Fields& constraints, Constraints& limits, const Catalog& catalog) {
  section(constraints, "gpus", [&](Fields& inner) {
    limits.gpu_names = inner.texts("names");
    for (const std::string& name : limits.gpu_names) {
      const auto match = catalog.find_board(name);
      if (!match.candidates.empty()) continue;
      inner.fault("names", "names: no board is known as '" + name + "'",
                  match.nearest.empty() ? "" : "did you mean " + join(match.nearest, ", ") + "?", Severity::warning);
    }
    limits.gpus_min = inner.integer("min", 1);
    limits.gpus_max = inner.integer("max", 1);
    if (limits.gpus_min && limits.gpus_max && *limits.gpus_min > *limits.gpus_max)
      inner.fault("min", "min: " + std::to_string(*limits.gpus_min) + " GPUs at least, and " + std::to_string(*limits.gpus_max) + " at most",
                  "lower min, or raise max");
  });
}

/// The markets by their own words: "Europe" is eu.
std::vector<std::string> read_markets(Fields& constraints) {
  const Markets& markets = Markets::embedded();
  const Node* node = constraints.node("markets");
  std::vector<std::string> wanted;
  const auto take = [&](const Node& item) {
    if (const auto market = markets.named(item.text)) {
      if (std::find(wanted.begin(), wanted.end(), *market) == wanted.end()) wanted.push_back(*market);
      return;
    }
    const auto nearest = markets.nearest(item.text);
    const Document& document = constraints.document();
    constraints.issues().push_back(document.issue(document.at(item),
                                                  "markets: expected some of " + join(markets.all(), ", ") + "; found '" + item.text + "'",
                                                  nearest.empty() ? "use one of these words" : "write " + nearest.front()));
  };
  constraints.texts("markets");  // complains of what is no text
  if (node && node->kind == Node::Kind::scalar) take(*node);
  for (const Node& item : node ? node->items : std::vector<Node>()) {
    if (item.kind == Node::Kind::scalar) take(item);
  }
  return wanted;
}

Constraints read_constraints(Fields& fields, const Catalog& catalog) {
  Constraints limits;
  section(fields, "constraints", [&](Fields& inner) {
    limits.budget = read_money(inner, "budget", catalog.rates());
    limits.deadline_h = read_hours(inner, "deadline");
    const auto hours = positive(inner, "deadline_h");  // as answers have it
    if (hours && limits.deadline_h)
      inner.fault("deadline_h", "deadline_h: stands beside deadline", "keep one of them");
    else if (hours)
      limits.deadline_h = hours;
    read_gpu_limits(inner, limits, catalog);
    limits.nodes_max = inner.integer("nodes_max", 1);
    limits.markets = read_markets(inner);
    limits.providers = inner.texts("providers");
    limits.spot = inner.word("spot", {"allowed", "required", "forbidden"}).value_or(limits.spot);
    limits.resumable = inner.flag("resumable");
  });
  return limits;
}

DataVolumes read_data(Fields& fields) {
  DataVolumes data;
  section(fields, "data", [&](Fields& inner) {
    data.storage_gib = inner.number("storage_gib", 0, 1e12);
    data.egress_gib = inner.number("egress_gib", 0, 1e12);
  });
  return data;
}

Checkpoint read_checkpoint(Fields& fields) {
  Checkpoint checkpoint;
  section(fields, "checkpoint", [&](Fields& inner) {
    checkpoint.gib = positive(inner, "gib", 1e9);
    checkpoint.gb_per_s = positive(inner, "gb_per_s", 1e6);
    checkpoint.restart_s = inner.number("restart_s", 0, 1e7);
  });
  return checkpoint;
}

std::vector<Role> read_roles(Fields& fields, const Catalog& catalog) {
  std::vector<Role> roles;
  const Node* list = fields.node("roles");
  if (!list) return roles;
  each_map(fields.document(), *list, fields.issues(), "role", [&](Fields& inner) {
    Role& role = roles.emplace_back();
    role.role = inner.required_text("role");
    role.model = read_model(inner, "model", catalog, role.model_name);
    role.method = inner.word("method", methods).value_or("");
    role.engine = inner.text("engine").value_or("");
    inner.finish();
  });
  return roles;
}

void read_job(Fields& fields, Workload& workload, const Catalog& catalog) {
  workload.name = fields.text("name").value_or("");
  if (!fields.has("task")) fields.fault("task", "workload: task is missing", "add task: with one of " + join(tasks, ", "));
  workload.task = fields.word("task", tasks).value_or("");
  workload.model = read_model(fields, "model", catalog, workload.model_name);
  workload.precision = fields.word("precision", precisions).value_or("");
  workload.quantization = fields.text("quantization").value_or("");
  workload.lora = read_lora(fields);
  workload.sequence_length = count_or_auto(fields, "sequence_length");
}

void read_strategy(Fields& fields, Workload& workload) {
  workload.method = word_or_auto(fields, "method", methods);
  workload.optimizer = word_or_auto(fields, "optimizer", {"adamw", "adam", "adam8bit", "adafactor", "sgd", "none"});
  if (workload.optimizer == "adam") workload.optimizer = "adamw";  // the same states
  workload.sharding = word_or_auto(fields, "sharding", {"auto", "none", "ddp", "zero1", "zero2", "zero3", "fsdp", "hsdp"});
  workload.offload = word_or_auto(fields, "offload", {"none", "optimizer", "parameters", "sequential"});
  if (workload.offload == "sequential" && workload.task != "diffusion_inference")
    fields.fault("offload", "offload: sequential is a way to generate with diffusion models (task diffusion_inference)", "write parameters");
  workload.load = word_or_auto(fields, "load", {"full", "sharded"});
  workload.unified_memory = fields.flag("unified_memory");
  workload.activation_checkpointing = word_or_auto(fields, "activation_checkpointing", {"auto", "none", "selective", "full"});
  workload.parallel = read_parallel(fields);
  section(fields, "batch", [&](Fields& inner) {
    workload.batch.micro = count_or_auto(inner, "micro");
    workload.batch.global = count_or_auto(inner, "global");
  });
}

/// A name such as "Qwen2.5-72B-Instruct-AWQ" says what its weights are stored in, unless the job states it or trains all of them.
void take_format_of_name(Workload& workload, const Catalog& catalog) {
  const bool adapts = workload.task == "lora" || workload.task == "qlora" || workload.method == "lora" || workload.method == "qlora";
  const bool converted = !workload.quantization.empty() || (workload.serving && !workload.serving->weight_only.empty());
  if (!workload.model || converted || !(adapts || workload.task == "llm_inference")) return;
  workload.quantization = catalog.contents().facts->model_names.stored_format(workload.model_name);
}

}  // namespace

Loaded<Workload> load_workload(const Document& document, const Node& node, const Catalog& catalog) {
  Loaded<Workload> loaded{Workload(), {}};
  Workload& workload = *loaded.value;
  Fields fields(document, node, loaded.issues, "workload");
  if (node.kind != Node::Kind::map) return {std::nullopt, std::move(loaded.issues)};
  workload.where = fields.where();
  read_job(fields, workload, catalog);
  read_strategy(fields, workload);
  workload.work = read_work(fields);
  workload.serving = read_serving(fields);
  workload.inputs = read_inputs(fields);
  workload.needs = read_needs(fields);
  workload.software = read_software(fields);
  workload.constraints = read_constraints(fields, catalog);
  workload.data = read_data(fields);
  workload.checkpoint = read_checkpoint(fields);
  workload.roles = read_roles(fields, catalog);
  take_format_of_name(workload, catalog);
  fields.finish();
  if (has_errors(loaded.issues)) loaded.value.reset();
  return loaded;
}

Loaded<Workload> load_workload(const Document& document, const Catalog& catalog) { return load_workload(document, document.root, catalog); }

}  // namespace steelyard::catalog

namespace steelyard {

Loaded<Workload> parse_workload(std::string text, std::string file, const Catalog& catalog) {
  auto document = load::parse_document(std::move(text), std::move(file));
  if (!document) return {std::nullopt, std::move(document.issues)};
  return catalog::load_workload(*document.value, catalog);
}

Loaded<Workload> workload_from_value(const Value& value, std::string source, const Catalog& catalog) {
  const load::Document document{std::move(source), {}, load::from_value(value)};
  return catalog::load_workload(document, catalog);
}

}  // namespace steelyard

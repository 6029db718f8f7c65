#include "launch/frameworks.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "load/embedded.hpp"
#include "load/fields.hpp"

namespace steelyard::launch {

namespace {

using load::Fields;

struct File {
  std::vector<Framework> frameworks;
  std::vector<std::string> ulimits;
};

Framework read_framework(Fields& fields, const load::Node* images) {
  Framework one;
  one.name = fields.required_text("name");
  one.title = fields.required_text("title");
  one.serves = fields.flag("serves").value_or(false);
  one.engines = fields.texts("engines");
  one.splits = fields.texts("splits");
  one.sharding = fields.texts("sharding");
  one.offload = fields.texts("offload");
  if (const load::Node* needs = fields.node("offload_needs")) {
    Fields inner(fields.document(), *needs, fields.issues(), "offload_needs");
    for (const load::Entry& entry : needs->entries) one.offload_needs[entry.key] = inner.texts(entry.key);
  }
  one.activation_checkpointing = fields.texts("activation_checkpointing");
  one.precision = fields.texts("precision");
  one.methods = fields.texts("methods");
  one.optimizers = fields.texts("optimizers");
  const load::Node* image = images ? images->find(fields.required_text("image")) : nullptr;
  if (image && image->find("image")) one.image = image->find("image")->text;
  if (image && image->find("driver")) one.image_driver = image->find("driver")->text;
  return one;
}

File read_file() {
  const load::Document document = load::embedded_document("data/launch/frameworks.yaml");
  Issues issues;
  Fields fields(document, document.root, issues, "frameworks");
  File file;
  file.ulimits = fields.texts("ulimits");
  const load::Node* images = fields.node("images");
  if (const load::Node* list = fields.node("frameworks")) {
    load::each_map(document, *list, issues, "framework", [&](Fields& inner) { file.frameworks.push_back(read_framework(inner, images)); });
  }
  if (has_errors(issues)) throw LoadError(std::move(issues));
  return file;
}

const File& file() {
  static const File read = read_file();
  return read;
}

bool among(const std::vector<std::string>& words, const std::string& word) { return std::find(words.begin(), words.end(), word) != words.end(); }

std::string not_among(const Framework& framework, const char* what, const std::vector<std::string>& words, const std::string& word) {
  return among(words, word) ? "" : framework.title + " has no " + what + " " + word + " (it has " + join(words, ", ") + ")";
}

std::string why_not_split(const Framework& framework, const Plan& plan) {
  const std::pair<const char*, int> degrees[] = {{"tensor", plan.tensor},
                                                 {"pipeline", plan.pipeline},
                                                 {"context", plan.context},
                                                 {"expert", plan.expert},
                                                 {"virtual_pipeline", plan.virtual_pipeline}};
  for (const auto& [name, degree] : degrees) {
    if (degree > 1 && !among(framework.splits, name))
      return "the plan has " + std::string(name) + " " + std::to_string(degree) + ", which " + framework.title + " does not do";
  }
  return {};
}

std::string why_not_training(const Framework& framework, const Workload& workload, const Plan& plan) {
  if (plan.global_batch % std::max(1, plan.micro_batch * plan.data) != 0) {
    return "a global batch of " + std::to_string(plan.global_batch) + " is no multiple of " + std::to_string(plan.micro_batch * plan.data) +
           " (micro batch x copies)";
  }
  for (const std::string& why :
       {not_among(framework, "method", framework.methods, method_of(workload)),
        not_among(framework, "optimizer", framework.optimizers, optimizer_of(workload)),
        not_among(framework, "activation checkpointing", framework.activation_checkpointing, plan.activation_checkpointing)}) {
    if (!why.empty()) return why;
  }
  const auto needs = framework.offload_needs.find(plan.offload);
  if (needs != framework.offload_needs.end() && !among(needs->second, plan.sharding)) {
    return framework.title + " offloads " + plan.offload + " only under " + join(needs->second, ", ") + ", the plan has " + plan.sharding;
  }
  if (framework.name != "megatron") return {};
  const bool sharded = plan.sharding == "zero2" || plan.sharding == "zero3";
  if (sharded && plan.pipeline > 1)
    return "Megatron-FSDP (" + plan.sharding + ") is not combined with pipeline " + std::to_string(plan.pipeline) + " here";
  const auto& model = workload.model;
  if (!model || !model->layers || !model->hidden || !model->heads || !(model->ffn || model->moe_ffn))
    return "the shape of the model is not known, and Megatron-LM takes it as arguments";
  return {};
}

std::string why_not_serving(const Framework& framework, const Plan& plan) {
  if (plan.expert > 1 && plan.expert != plan.tensor * plan.data && framework.name == "vllm") {
    return "vLLM spreads experts over all " + std::to_string(plan.tensor * plan.data) + " GPUs of tensor x data or over none, the plan wants " +
           std::to_string(plan.expert);
  }
  return {};
}

}  // namespace

const std::vector<Framework>& frameworks() { return file().frameworks; }

const std::vector<std::string>& ulimits() { return file().ulimits; }

const Framework* find_framework(const std::string& name) {
  const auto found = std::find_if(frameworks().begin(), frameworks().end(), [&](const Framework& one) { return one.name == name; });
  return found == frameworks().end() ? nullptr : &*found;
}

bool serves(const Workload& workload) {
  return workload.task == "llm_inference" || workload.task == "multimodal_inference" || workload.task == "labelling";
}

std::string method_of(const Workload& workload) {
  if (!workload.method.empty()) return workload.method;
  return workload.task == "lora" || workload.task == "qlora" ? workload.task : "full";
}

std::string precision_of(const Workload& workload) { return workload.precision.empty() ? "bf16" : workload.precision; }

std::string optimizer_of(const Workload& workload) { return workload.optimizer.empty() ? "adamw" : workload.optimizer; }

std::string model_name(const Workload& workload) {
  if (workload.model && !workload.model->id.empty()) return workload.model->id;
  return workload.model_name;
}

std::string why_not(const Framework& framework, const Workload& workload, const Configuration& configuration, const Plan& plan) {
  const bool served = serves(workload),
             trained = workload.task == "pretrain" || workload.task == "full_finetune" || workload.task == "lora" || workload.task == "qlora";
  if (!served && !trained) return "no program is known here for the task " + workload.task;
  if (served != framework.serves) return framework.title + (framework.serves ? " serves, it does not train" : " trains, it does not serve");
  if (model_name(workload).empty() && framework.name != "megatron") return "the model has no name that " + framework.title + " could load";
  for (std::string why :
       {why_not_split(framework, plan), not_among(framework, "precision", framework.precision, precision_of(workload)),
        not_among(framework, "sharding", framework.sharding, plan.sharding), not_among(framework, "offload", framework.offload, plan.offload),
        served ? why_not_serving(framework, plan) : why_not_training(framework, workload, plan)}) {
    if (!why.empty()) return why;
  }
  const Layout lies = layout(configuration, plan);
  const int used = plan.tensor * plan.pipeline * plan.context * plan.data;
  if (lies.nodes * lies.per_node != used) {
    return "the plan uses " + std::to_string(used) + " GPUs, which are no whole nodes of " + std::to_string(lies.per_node);
  }
  if (plan.sharding == "hsdp" && (plan.shard_group != lies.per_node || lies.nodes < 2)) {
    return "hybrid sharding of " + framework.title + " shards inside a node of " + std::to_string(lies.per_node) + ", the plan over groups of " +
           std::to_string(plan.shard_group);
  }
  return {};
}

Layout layout(const Configuration& configuration, const Plan& plan) {
  const int used = std::max(1, plan.tensor * plan.pipeline * plan.context * plan.data), per_node = std::max(1, configuration.gpus_per_node);
  if (used <= per_node) return {1, used};
  return {(used + per_node - 1) / per_node, per_node};
}

}  // namespace steelyard::launch

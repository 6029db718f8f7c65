#include "habits/merge.hpp"

#include <map>

#include "core/text.hpp"

namespace steelyard::habits {

namespace {

bool same(const Value& one, const Value& other) {
  if (one.is_number() && other.is_number()) return one.as_number() == other.as_number();
  if (one.is_string() && other.is_string()) return name_key(one.as_string()) == name_key(other.as_string());
  return one == other;
}

std::string shown(const Value& value) { return value.is_string() ? value.as_string() : to_json(value); }

std::string place(const Understood& one) { return to_string(one.where) + " (" + one.key + ")"; }

class Merger {
 public:
  Merger(Understanding& understanding, const Catalog& catalog, Issues& issues) : all_(understanding), catalog_(catalog), issues_(issues) {}

  void run() {
    for (std::size_t i = 0; i < all_.understood.size(); ++i) choose(i);
    derive_size();
    derive_batch();
    build();
    build_model();
  }

 private:
  const Understood* said(const std::string& field) const {
    const auto found = chosen_.find(field);
    return found == chosen_.end() ? nullptr : &all_.understood[found->second];
  }

  std::optional<std::int64_t> count(const std::string& field) const {
    const Understood* one = said(field);
    return one && one->value.is_int() ? std::optional(one->value.as_int()) : std::nullopt;
  }

  // What a file states outranks the default of a program; two statements must agree.
  void choose(std::size_t index) {
    const Understood& one = all_.understood[index];
    const auto [known, fresh] = chosen_.emplace(one.field, index);
    if (fresh) return;
    const Understood& other = all_.understood[known->second];
    if (other.by_default && !one.by_default) known->second = index;
    if (one.by_default || other.by_default || same(one.value, other.value)) return;
    contradict(one, shown(one.value) + " here (" + one.key + "), but " + shown(other.value) + " at " + place(other));
  }

  void contradict(const Understood& one, const std::string& message) {
    Issue issue;
    issue.where = one.where;
    issue.message = one.field + ": " + message;
    issue.fix = "make the two agree, or leave one file out";
    issues_.push_back(std::move(issue));
  }

  void derive(const std::string& field, std::int64_t value, const std::string& because, const Understood& from) {
    all_.understood.push_back({because, Value(value), field, "worked out", from.where, false});
    chosen_[field] = all_.understood.size() - 1;
  }

  void derive_size() {
    const auto nodes = count("run.nodes"), per_node = count("run.gpus_per_node"), gpus = count("run.gpus");
    if (nodes && per_node && gpus && *nodes * *per_node != *gpus && !said("run.nodes")->by_default) {
      const Understood& one = *said("run.gpus");
      return contradict(one, shown(one.value) + " here (" + one.key + "), but " + std::to_string(*nodes) + " nodes of " + std::to_string(*per_node) +
                                 " GPUs at " + place(*said("run.gpus_per_node")));
    }
    if (nodes && per_node && !gpus) derive("run.gpus", *nodes * *per_node, "nodes x GPUs of a node", *said("run.gpus_per_node"));
    if (gpus && nodes && !per_node && *gpus % *nodes == 0) derive("run.gpus_per_node", *gpus / *nodes, "GPUs over nodes", *said("run.gpus"));
    const std::int64_t split = count("parallel.tensor").value_or(1) * count("parallel.pipeline").value_or(1) * count("parallel.context").value_or(1);
    const auto all = count("run.gpus");
    if (!all || count("run.data")) return;
    if (*all % split == 0) return derive("run.data", *all / split, "GPUs over tensor x pipeline x context", *said("run.gpus"));
    const Understood& size = *said("run.gpus");
    contradict(size,
               std::to_string(*all) + " GPUs, which the stated degrees (tensor x pipeline x context = " + std::to_string(split) + ") do not divide");
  }

  // global = micro x accumulation x data-parallel copies.
  void derive_batch() {
    const auto micro = count("batch.micro"), global = count("batch.global"), data = count("run.data");
    auto accumulation = count("run.accumulation");
    if (!micro || !data) return;
    const Understood& basis = *said("batch.micro");
    if (global && (!accumulation || said("run.accumulation")->by_default)) {
      if (*global % (*micro * *data) == 0)
        return derive("run.accumulation", *global / (*micro * *data), "global over micro x data-parallel copies", *said("batch.global"));
      accumulation.reset();
    }
    if (!global && accumulation) return derive("batch.global", *micro * *accumulation * *data, "micro x accumulation x data-parallel copies", basis);
    if (global && accumulation && *micro * *accumulation * *data == *global) return;
    if (!global) return;
    const std::string steps = accumulation ? " x " + std::to_string(*accumulation) + " steps of accumulation" : "";
    contradict(*said("batch.global"), std::to_string(*global) + " here, but " + std::to_string(*micro) + " sequences a GPU" + steps + " x " +
                                          std::to_string(*data) + " copies do not give it: " + place(basis));
  }

  void build() {
    for (const auto& [field, index] : chosen_) {
      const Value& value = all_.understood[index].value;
      if (field.rfind("run.", 0) == 0) {
        all_.run[field.substr(4)] = value;
      } else if (field.rfind("model.", 0) != 0 && field.rfind("weights.", 0) != 0) {
        all_.workload.set_path(field, value);
      }
    }
    // A server takes the precision of the stored weights where nothing else is said.
    const Value* task = all_.workload.find("task");
    const bool serves = task && task->is_string() && task->as_string().ends_with("inference");
    if (serves && !all_.workload.find("precision") && !all_.workload.find("quantization") && said("weights.precision")) {
      all_.workload["precision"] = said("weights.precision")->value;
    }
  }

  void build_model() {
    Value shape = Value::map();
    for (const auto& [field, index] : chosen_) {
      if (field.rfind("model.", 0) == 0 && field != "model.name") shape[field.substr(6)] = all_.understood[index].value;
    }
    const Understood* name = said("model.name");
    if (all_.workload.find("model")) return;  // written out in a workload
    const NameMatch<Model> match = name ? find_model(name->value.as_string()) : NameMatch<Model>{};
    if (!said("model.layers")) {
      if (name) all_.workload["model"] = match.resolved() ? Value(match.resolved()->id) : name->value;
      return;
    }
    if (match.resolved() && agrees(*match.resolved())) {
      all_.workload["model"] = match.resolved()->id;
      return;
    }
    if (match.resolved() && name->where.file != said("model.layers")->where.file) return disagree(*name, *match.resolved());
    Value model = Value::map();
    if (name) model["name"] = name->value;
    if (!said("model.kind")) model["kind"] = said("model.experts") ? "llm-moe" : "llm";
    for (const auto& [key, value] : shape.as_map()) model[key] = value;
    all_.workload["model"] = std::move(model);
  }

  // A name that the catalog lacks counts by its last part: copies under another owner keep it.
  NameMatch<Model> find_model(const std::string& name) const {
    const NameMatch<Model> match = catalog_.find_model(name);
    return match.candidates.empty() ? catalog_.find_model(name.substr(name.rfind('/') + 1)) : match;
  }

  bool agrees(const Model& model) const {
    const std::pair<const char*, std::optional<int>> sizes[] = {
        {"model.layers", model.layers}, {"model.hidden", model.hidden}, {"model.heads", model.heads}};
    for (const auto& [field, known] : sizes) {
      const auto stated = count(field);
      if (stated && known && *stated != *known) return false;
    }
    return true;
  }

  void disagree(const Understood& name, const Model& model) {
    const Understood& layers = *said("model.layers");
    contradict(name, "'" + name.value.as_string() + "' is " + model.id + " with " + std::to_string(model.layers.value_or(0)) +
                         " layers and hidden size " + std::to_string(model.hidden.value_or(0)) + ", but another shape (" + shown(layers.value) +
                         " layers) stands at " + place(layers));
  }

  Understanding& all_;
  const Catalog& catalog_;
  Issues& issues_;
  std::map<std::string, std::size_t> chosen_;
};

bool has(const Value& map, std::string_view path) {
  const Value* value = map.at_path(path);
  return value && !value->is_null();
}

void ask(Understanding& all, const char* field, const char* question, std::vector<std::string> decides) {
  if (!has(all.workload, field)) all.questions.push_back({question, field, std::move(decides)});
}

void ask_training(Understanding& all) {
  if (!has(all.workload, "sequence_length")) ask(all, "sequence_length", "How many tokens has a sequence?", {"memory", "time"});
  const bool micro = has(all.workload, "batch.micro");
  ask(all, "batch.global",
      micro ? "How many sequences has a step in all? Micro batch x accumulation x copies: the files leave a part of it open"
            : "How many sequences has a step in all?",
      {"time", "network"});
  for (const char* amount : {"work.tokens", "work.samples", "work.steps", "work.hours"}) {
    if (has(all.workload, amount)) return;
  }
  if (!has(all.workload, "work.epochs"))
    return ask(all, "work.tokens", "How much is to be done: tokens, samples, steps or epochs of how many samples?", {"time_h", "cost"});
  ask(all, "work.dataset_samples", "How many samples has the data set? The files name the epochs only", {"time_h", "cost"});
}

void ask_serving(Understanding& all) {
  ask(all, "serving.input_tokens", "How many input tokens has a request?", {"time", "memory"});
  ask(all, "serving.output_tokens", "How many output tokens has a request?", {"time", "memory"});
  ask(all, "serving.concurrency", "How many requests run at the same time? Without it the highest throughput that fits counts", {"time"});
  if (!has(all.workload, "work.requests") && !has(all.workload, "work.hours")) {
    ask(all, "work.requests", "How much is to be done: requests, tokens or hours of renting?", {"time_h", "cost"});
  }
}

void ask_what_is_missing(Understanding& all) {
  ask(all, "task", "What is the task: pretrain, full_finetune, lora, qlora, llm_inference ...? No file says it", {"everything"});
  ask(all, "model", "Which model? Name one, or give its config.json", {"memory", "time"});
  const Value* task = all.workload.find("task");
  if (!task || !task->is_string()) return;
  if (task->as_string().ends_with("inference")) {
    ask_serving(all);
  } else {
    ask_training(all);
  }
}

}  // namespace

void merge(Understanding& understanding, const Catalog& catalog, Issues& issues) {
  Merger(understanding, catalog, issues).run();
  if (!has_errors(issues)) ask_what_is_missing(understanding);
}

}  // namespace steelyard::habits

// The door of the room: which format a text has, and all texts as one job.
#include <algorithm>
#include <steelyard/habits.hpp>

#include "habits/merge.hpp"
#include "habits/readers.hpp"

namespace steelyard {

namespace {

using habits::Notes;
using habits::Sayings;

struct MapFormat {
  const char* name;
  bool (*fits)(const Sayings& said);
  void (*read)(Sayings& said);
};

// The most specific first: keys of one format may occur in another.
constexpr MapFormat map_formats[] = {{"hugging face config", habits::is_hf_config, habits::read_hf_config},
                                     {"accelerate", habits::is_accelerate, habits::read_accelerate},
                                     {"axolotl", habits::is_axolotl, habits::read_axolotl},
                                     {"llama-factory", habits::is_llama_factory, habits::read_llama_factory},
                                     {"deepspeed", habits::is_deepspeed, habits::read_deepspeed},
                                     {"trainer arguments", habits::is_trainer_arguments, habits::read_trainer_arguments}};

const MapFormat* map_format(const load::Document& document) {
  Notes ignored;
  const Sayings said(habits::flatten(document), "", ignored);
  if (habits::is_workload(said)) return nullptr;
  const auto found = std::find_if(std::begin(map_formats), std::end(map_formats), [&](const MapFormat& one) { return one.fits(said); });
  return found == std::end(map_formats) ? nullptr : found;
}

bool is_workload(const load::Document& document) {
  Notes ignored;
  return habits::is_workload(Sayings(habits::flatten(document), "", ignored));
}

bool looks_like_script(const std::string& text) { return text.compare(0, 2, "#!") == 0 || text.find("#SBATCH") != std::string::npos; }

/// The format of a command text, or empty where no launcher is in it. Notes what it says.
std::string read_script_text(const InputText& input, Notes& notes) {
  const habits::Script script = habits::read_script(input.text);
  bool known = false;
  if (!script.directives.empty()) habits::read_slurm(script.directives, input.name, notes);
  for (const auto& command : script.commands) known = habits::read_command(command, input.name, notes) || known;
  if (!script.directives.empty()) return "slurm script";
  return known ? "command line" : "";
}

Issue unknown_format(const InputText& input) {
  Issue issue;
  issue.where.file = input.name;
  issue.message =
      "no known format: expected a workload, a Hugging Face config.json, a configuration of DeepSpeed, accelerate, LLaMA-Factory or axolotl, a "
      "command line or a "
      "Slurm script";
  issue.fix = "docs/guide/inputs.md lists what is read; or write a workload with `task:`";
  return issue;
}

std::string read_one(const InputText& input, Notes& notes, Issues& issues) {
  const bool script = looks_like_script(input.text);
  Loaded<load::Document> document = script ? Loaded<load::Document>{} : load::parse_document(input.text, input.name);
  if (document && document.value->root.kind == load::Node::Kind::map) {
    if (const MapFormat* format = map_format(*document.value)) {
      Sayings said(habits::flatten(*document.value), format->name, notes);
      format->read(said);
      return format->name;
    }
    if (is_workload(*document.value)) {
      habits::read_workload(*document.value, notes);
      return "workload";
    }
  }
  Notes commands;
  std::string format = read_script_text(input, commands);
  if (format.empty()) {
    const bool broken = !script && has_errors(document.issues);
    if (broken) issues.insert(issues.end(), document.issues.begin(), document.issues.end());
    if (!broken) issues.push_back(unknown_format(input));
    return "";
  }
  notes.understood.insert(notes.understood.end(), commands.understood.begin(), commands.understood.end());
  notes.open.insert(notes.open.end(), commands.open.begin(), commands.open.end());
  notes.without_effect.insert(notes.without_effect.end(), commands.without_effect.begin(), commands.without_effect.end());
  return format;
}

// "Give that DeepSpeed JSON beside this one" is settled where one is there.
void drop_answered(Understanding& all) {
  const auto given = [&](const char* format) {
    return std::any_of(all.files.begin(), all.files.end(), [&](const RecognisedInput& file) { return file.format == format; });
  };
  const bool deepspeed = given("deepspeed"), accelerate = given("accelerate");
  const auto base = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  const auto named = [&](const NotUnderstood& one) {
    return one.because.find("give it beside") != std::string::npos &&
           std::any_of(all.files.begin(), all.files.end(), [&](const RecognisedInput& file) { return base(file.name) == base(one.key); });
  };
  std::erase_if(all.open, [&](const NotUnderstood& one) {
    if (named(one)) return true;
    return (deepspeed && one.because.find("give that DeepSpeed JSON") != std::string::npos) ||
           (accelerate && one.because.find("give that accelerate YAML") != std::string::npos);
  });
}

}  // namespace

std::string recognise_input(const InputText& input) {
  Notes ignored;
  Issues issues;
  return read_one(input, ignored, issues);
}

Loaded<Understanding> understand_inputs(const std::vector<InputText>& inputs, const Catalog& catalog) {
  Loaded<Understanding> loaded{Understanding(), {}};
  Understanding& all = *loaded.value;
  Notes notes;
  for (const InputText& input : inputs) {
    const std::string format = read_one(input, notes, loaded.issues);
    if (!format.empty()) all.files.push_back({input.name, format});
  }
  all.understood = std::move(notes.understood);
  all.open = std::move(notes.open);
  all.without_effect = std::move(notes.without_effect);
  std::sort(all.without_effect.begin(), all.without_effect.end());
  all.without_effect.erase(std::unique(all.without_effect.begin(), all.without_effect.end()), all.without_effect.end());
  drop_answered(all);
  if (!has_errors(loaded.issues)) habits::merge(all, catalog, loaded.issues);
  if (has_errors(loaded.issues)) loaded.value.reset();
  return loaded;
}

namespace {

std::optional<int> whole(const Value& map, std::string_view path) {
  const Value* value = map.at_path(path);
  return value && value->is_int() ? std::optional(static_cast<int>(value->as_int())) : std::nullopt;
}

std::string word(const Value& map, std::string_view path, const char* otherwise) {
  const Value* value = map.at_path(path);
  return value && value->is_string() ? value->as_string() : otherwise;
}

}  // namespace

std::optional<Plan> plan_of(const Understanding& understanding) {
  const Value &job = understanding.workload, &run = understanding.run;
  const auto data = whole(run, "data");
  const bool serves = word(job, "task", "").ends_with("inference");
  if (!data || (!serves && (!job.at_path("batch.micro") || !job.at_path("batch.global") || !job.find("sharding")))) return std::nullopt;
  Plan plan;
  plan.tensor = whole(job, "parallel.tensor").value_or(1);
  plan.pipeline = whole(job, "parallel.pipeline").value_or(1);
  plan.context = whole(job, "parallel.context").value_or(1);
  plan.expert = whole(job, "parallel.expert").value_or(1);
  plan.virtual_pipeline = whole(job, "parallel.virtual_pipeline").value_or(1);
  plan.data = *data;
  const Value* sequence = job.at_path("parallel.sequence_parallel");
  plan.sequence_parallel = sequence && sequence->is_bool() && sequence->as_bool();
  plan.micro_batch = whole(job, "batch.micro").value_or(1);
  plan.global_batch = whole(job, "batch.global").value_or(1);
  plan.accumulation = whole(run, "accumulation").value_or(1);
  plan.sharding = serves ? "none" : word(job, "sharding", "none");
  plan.shard_group = plan.sharding == "hsdp" ? whole(run, "gpus_per_node").value_or(0) : 0;
  plan.offload = word(job, "offload", "none");
  plan.activation_checkpointing = word(job, "activation_checkpointing", "none");
  plan.recomputed_layers = whole(run, "recomputed_layers").value_or(0);
  return plan;
}

}  // namespace steelyard

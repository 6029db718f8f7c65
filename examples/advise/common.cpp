#include "common.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <list>
#include <sstream>
#include <steelyard/catalog.hpp>
#include <steelyard/habits.hpp>
#include <steelyard/requests.hpp>

#include "files.hpp"
#include "inputs.hpp"

namespace advise {

using namespace steelyard;

namespace {

// A flag and the key of the workload that it fills. Numbers and true/false are recognised by their look, as in YAML.
struct Mirror {
  const char* flag;
  const char* key;
  const char* help;
};

constexpr Mirror mirrors[] = {
    {"task", "task", "pretrain, full_finetune, lora, llm_inference ..."},
    {"model", "model", "id, alias or path of a Hugging Face config.json"},
    {"precision", "precision", "bf16, fp16, fp8 ..."},
    {"quantization", "quantization", "format of the stored weights: nf4, awq, q4_k_m ..."},
    {"method", "method", "full, lora, qlora, freeze"},
    {"optimizer", "optimizer", "adamw, adam8bit, adafactor, sgd"},
    {"sharding", "sharding", "auto, ddp, zero1, zero2, zero3, fsdp, hsdp"},
    {"offload", "offload", "none, optimizer, parameters; sequential for generation"},
    {"activation-checkpointing", "activation_checkpointing", "auto, none, selective, full"},
    {"tensor", "parallel.tensor", "tensor-parallel degree"},
    {"pipeline", "parallel.pipeline", "pipeline-parallel degree"},
    {"context", "parallel.context", "context-parallel degree"},
    {"expert", "parallel.expert", "expert-parallel degree"},
    {"micro-batch", "batch.micro", "sequences or samples a GPU works on at once"},
    {"global-batch", "batch.global", "sequences or samples of one step"},
    {"sequence-length", "sequence_length", "tokens of a sequence"},
    {"tokens", "work.tokens", "work: tokens"},
    {"samples", "work.samples", "work: samples"},
    {"steps", "work.steps", "work: optimizer steps"},
    {"requests", "work.requests", "work: requests"},
    {"hours", "work.hours", "work: hours of renting"},
    {"engine", "serving.engine", "serving engine: vllm, trtllm, sglang, llama.cpp"},
    {"input-tokens", "serving.input_tokens", "input tokens of a request"},
    {"output-tokens", "serving.output_tokens", "output tokens of a request"},
    {"concurrency", "serving.concurrency", "requests at the same time"},
    {"framework", "software.framework", "pytorch, megatron ..."},
    {"framework-version", "software.version", "its version"},
    {"cuda", "software.cuda", "toolkit or wheel variant: 12.1, cu121"},
    {"budget", "constraints.budget", "amount and currency: \"500000 CNY\""},
    {"deadline", "constraints.deadline", "hours or days: \"90 d\""},
    {"gpus-max", "constraints.gpus.max", "at most so many GPUs"},
    {"nodes-max", "constraints.nodes_max", "at most so many nodes"},
    {"markets", "constraints.markets", "where the machines stand: us, eu, cn ...; several with commas"},
    {"spot", "constraints.spot", "allowed, required, forbidden"},
    {"storage-gib", "data.storage_gib", "data kept on the provider's storage while the job runs"},
    {"egress-gib", "data.egress_gib", "data sent out of the provider's network in all"},
    {"checkpoint-gb-per-s", "checkpoint.gb_per_s", "rate at which checkpoints are written"},
    {"restart-s", "checkpoint.restart_s", "paid seconds of a new machine until the job goes on after an interruption"},
};

// The words after a flag, as the YAML loader would read them: a bare word stays a string.
Value scalar_of(const std::string& word) {
  const auto parsed = parse_value(word, "<flag>");
  return parsed && !parsed.value->is_map() && !parsed.value->is_list() ? *parsed.value : Value(word);
}

void add_flags(const CommandLine& line, Value& job) {
  for (const Mirror& mirror : mirrors) {
    if (line.has(mirror.flag)) job.set_path(mirror.key, scalar_of(line.text(mirror.flag)));
  }
  if (line.has("markets")) {
    Value markets = Value::list();
    std::istringstream words(line.text("markets"));
    for (std::string market; std::getline(words >> std::ws, market, ',');) markets.push_back(market);
    job.set_path("constraints.markets", std::move(markets));
  }
  for (const std::string& name : line.texts("gpu")) {
    if (!job.at_path("constraints.gpus.names")) job.set_path("constraints.gpus.names", Value::list());
    Value& gpus = job["constraints"]["gpus"]["names"];
    gpus.push_back(name);
  }
}

// The faults of a file with flags laid over it: what the file alone has too is at its place there, the others come from the flags.
Issues places_of(Issues together, const Issues& of_file) {
  for (Issue& issue : together) {
    const auto same = std::find_if(of_file.begin(), of_file.end(), [&](const Issue& other) { return other.message == issue.message; });
    if (same != of_file.end()) {
      issue = *same;
    } else {
      issue.where = {"<flags>", 0, 0};
      issue.excerpt.clear();
    }
  }
  return together;
}

// Files of other programs as one job. A flag overrides what they say.
Workload workload_of_files(const CommandLine& line, const std::vector<InputText>& inputs, const Catalog& catalog) {
  const Understanding understanding = value_or_throw(understand_inputs(inputs, catalog));
  Value job = understanding.workload;
  add_flags(line, job);
  if (!job.find("task")) {
    Issue issue;
    issue.where.file = inputs.front().name;
    issue.message = "task: none of the files says what the job is";
    issue.fix = "add --task with pretrain, full_finetune, lora, qlora, llm_inference ...; `advise understand` shows what was read";
    throw LoadError({std::move(issue)});
  }
  std::cerr << understanding.understood.size() << " settings understood, " << understanding.open.size() << " left open, "
            << understanding.questions.size() << " questions; `advise understand` lists them\n";
  Loaded<Workload> workload = parse_workload(to_json(job), inputs.front().name, catalog);
  if (!workload) throw LoadError(places_of(std::move(workload.issues), {}));
  return std::move(*workload.value);
}

// A model that is the path of a config.json, from here or from the folder of the job's file: its sizes take its place.
void read_model_file(Value& job, const std::string& job_file, const Catalog& catalog) {
  const Value* model = job.find("model");
  if (!model || !model->is_string() || !model->as_string().ends_with(".json")) return;
  std::error_code error;
  std::filesystem::path path = model->as_string();
  if (!std::filesystem::exists(path, error)) path = std::filesystem::path(job_file).parent_path() / path;
  InputText input{path.string(), read_input(path.string())};
  const Understanding understanding = value_or_throw(understand_inputs({std::move(input)}, catalog));
  if (const Value* read = understanding.workload.find("model")) job["model"] = *read;
}

constexpr std::size_t most_issues_shown = 10;

void report_rows(const Issues& issues) {
  std::size_t shown = 0;
  for (const Issue& issue : issues) {
    if (shown++ < most_issues_shown) std::cerr << to_string(issue) << "\n";
  }
  if (issues.size() > most_issues_shown) {
    std::cerr << issues.size() << " catalog rows with remarks in all; the first " << most_issues_shown << " are shown\n";
  }
}

std::vector<std::filesystem::path> paths_of(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

// "here.yaml: host.memory.triad 6.9 gb_per_s +/- 2 %, ..." and what it counts for.
std::string calibration_line(const Calibration& one) {
  std::string out = one.file + ": " +
                    (one.machine.board.empty() ? "no GPU of the catalog was measured, so no offer is estimated by it"
                                               : "stands in place of the fitted efficiencies of " + one.machine.board) +
                    "\n ";
  for (const Coefficient& figure : one.coefficients) {
    if (figure.name.find("asymptotic") != std::string::npos) continue;
    char text[64] = "";
    std::snprintf(text, sizeof text, " %.4g %s", figure.value, figure.unit.c_str());
    out += " " + figure.name + text + ";";
  }
  out.back() = '\n';
  return out;
}

// A price list that is named and not there is no matter of a row: the answer would be about other offers than those meant.
void must_exist(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) return;
  Issue issue;
  issue.where.file = path;
  issue.message = "cannot be read: " + (error ? error.message() : std::string("No such file or directory"));
  issue.fix = "check the name and the permissions";
  throw LoadError({std::move(issue)});
}

}  // namespace

Value with_calibrations(const Advisor& advisor, Value answer) {
  if (advisor.calibrations().empty()) return answer;
  answer["calibrations"] = Value::list();
  for (const Calibration& one : advisor.calibrations()) {
    Value entry = Value::map();
    entry["file"] = one.file;
    entry["board"] = one.machine.board.empty() ? Value() : Value(one.machine.board);
    entry["coefficients"] = MeasuredMachine(one).coefficients();
    answer["calibrations"].push_back(std::move(entry));
  }
  return answer;
}

std::string calibrations_text(const Advisor& advisor) {
  std::string text;
  for (const Calibration& one : advisor.calibrations()) text += calibration_line(one);
  return text.empty() ? text : "\nMeasured:\n" + text;
}

Advisor make_advisor(const CommandLine& line) {
  Advisor advisor = value_or_throw(Advisor::with_rules(line.text("rules", "reference"), {}, sentences(line)));
  std::list<PipeReady> ready;
  const auto wait_for = [&](const char* flag) {
    for (const std::string& path : line.texts(flag)) ready.emplace_back(path, line.timeout_s());
  };
  if (line.has("calibration")) {
    wait_for("calibration");
    advisor = value_or_throw(advisor.with_calibrations(paths_of(line.texts("calibration"))));
  }
  if (!line.has("catalog")) return advisor;
  wait_for("catalog");
  for (const std::string& path : line.texts("catalog")) must_exist(path);
  Imported imported = load_offers(paths_of(line.texts("catalog")), advisor.catalog());
  if (imported.offers.empty() && has_errors(imported.issues)) throw LoadError(std::move(imported.issues));
  report_rows(imported.issues);
  return advisor.with_catalog(advisor.catalog().with_offers(std::move(imported.offers)));
}

void declare_workload_flags(CommandLine& line) {
  for (const Mirror& mirror : mirrors) line.value(mirror.flag, mirror.help);
  line.values("gpu", "only these boards (may be repeated)");
}

bool names_a_job(const CommandLine& line) {
  return line.has("gpu") || std::any_of(std::begin(mirrors), std::end(mirrors), [&](const Mirror& mirror) { return line.has(mirror.flag); });
}

std::vector<InputText> read_inputs(const CommandLine& line) {
  std::vector<InputText> inputs;
  for (const std::string& file : line.files()) inputs.push_back({file == "-" ? "<stdin>" : file, read_input(file, line.timeout_s())});
  return inputs;
}

Workload read_workload(const CommandLine& line, const Catalog& catalog) {
  if (line.files().empty() && !names_a_job(line)) throw UsageError("no job: name a job file, `-` for standard input, or give --task and --model");
  std::vector<InputText> inputs = read_inputs(line);
  if (inputs.empty()) inputs.push_back({"<flags>", "{}"});
  const std::string format = inputs.size() == 1 ? recognise_input(inputs.front()) : "several";
  if (!format.empty() && format != "workload") return workload_of_files(line, inputs, catalog);
  InputText& input = inputs.front();
  if (!names_a_job(line) && input.text.find(".json") == std::string::npos)
    return value_or_throw(parse_workload(std::move(input.text), input.name, catalog));
  Value job = value_or_throw(parse_value(input.text, input.name));
  add_flags(line, job);
  read_model_file(job, input.name, catalog);
  Loaded<Workload> workload = parse_workload(to_json(job), input.name, catalog);
  if (!workload) throw LoadError(places_of(std::move(workload.issues), parse_workload(std::move(input.text), input.name, catalog).issues));
  return std::move(*workload.value);
}

void print_answer(const CommandLine& line, const Value& answer, const std::string& text) {
  write_output(line.text("out"), line.format() == "json" ? to_json(answer, 1) + "\n" : report::printable(text));
}

void declare_language(CommandLine& line) { line.value("lang", "language of the report: en (default), zh"); }

Language language(const CommandLine& line) { return value_or_throw(parse_language(line.text("lang", "en"))); }

Language sentences(const CommandLine& line) {
  const Language asked = language(line);  // a wrong word is told in every format
  const std::string format = line.text("format", "text");
  return format == "json" || format == "csv" || line.has("batch") ? Language::english : asked;
}

Date today(const CommandLine& line) {
  if (const auto given = line.date("today")) return *given;
  const std::time_t now = std::time(nullptr);
  std::tm calendar{};
  gmtime_r(&now, &calendar);
  return {calendar.tm_year + 1900, calendar.tm_mon + 1, calendar.tm_mday};
}

}  // namespace advise

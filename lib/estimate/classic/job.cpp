#include "estimate/classic/job.hpp"

#include <algorithm>
#include <steelyard/run_time.hpp>

#include "core/text.hpp"
#include "estimate/collective/efficiency.hpp"
#include "load/embedded.hpp"
#include "load/fields.hpp"

namespace steelyard {

namespace estimate {

namespace {

constexpr double usual_micro_batch = 32;  // where gradients are accumulated and the size of a pass is not said

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

ClassicKind kind_of_word(const std::string& word) {
  for (int i = 0; i < classic_kinds; ++i)
    if (word == classic_kind_word(static_cast<ClassicKind>(i))) return static_cast<ClassicKind>(i);
  return ClassicKind::convolution;
}

std::vector<ClassicModel> read_models() {
  std::vector<ClassicModel> out;
  const load::Document document = load::embedded_document("data/efficiency/classic_models.yaml");
  Issues issues;  // the shipped file is checked by a test
  load::Fields file(document, document.root, issues, "classic models");
  if (const load::Node* list = file.node("models"))
    load::each_map(document, *list, issues, "model", [&](load::Fields& fields) {
      ClassicModel model;
      for (const std::string& name : fields.texts("names")) model.names.push_back(name_key(name));
      model.kind = kind_of_word(fields.required_text("class"));
      model.unit = fields.text("unit").value_or("sample");
      model.units_per_sample = fields.number("units_per_sample", 0).value_or(1);
      model.gflop = fields.number("gflop", 0);
      model.parameters_m = fields.required_number("parameters_m", 0);
      out.push_back(std::move(model));
    });
  return out;
}

const ClassicModel* find_classic(const Workload& workload) {
  for (const std::string& name : {workload.model_name, workload.model ? workload.model->id : std::string()}) {
    const std::string key = name_key(name);
    for (const ClassicModel& one : classic_models())
      if (!key.empty() && std::find(one.names.begin(), one.names.end(), key) != one.names.end()) return &one;
  }
  return nullptr;
}

ClassicKind kind_of(const Workload& workload) {
  const std::string kind = workload.model ? workload.model->kind : std::string();
  if (kind == "nlp" || holds(kind, "llm")) return ClassicKind::transformer;
  if (kind == "speech" || workload.task == "speech_training") return ClassicKind::speech;
  if (workload.task == "recommender_training") return ClassicKind::recommender;
  return holds(workload.task, "vision3d") ? ClassicKind::segmentation : ClassicKind::convolution;
}

/// From the list of known models, else from what the catalog states of the model.
void set_work(const Workload& workload, ClassicJob& out, double& parameters, std::vector<std::string>& missing) {
  out.sequence = workload.sequence_length.value_or(0);
  if (const ClassicModel* known = find_classic(workload)) {
    out.kind = known->kind, out.unit = known->unit, out.units_per_sample = known->units_per_sample;
    parameters = known->parameters_m * 1e6;
    out.operations = known->gflop ? *known->gflop * 1e9 : 6 * parameters * out.sequence;
  } else {
    out.kind = kind_of(workload);
    parameters = workload.model ? workload.model->params_b.value_or(0) * 1e9 : 0;
    const auto forward = workload.model ? workload.model->forward_gflop_per_sample : std::nullopt;
    out.operations = forward ? 3e9 * *forward : out.kind == ClassicKind::transformer ? 6 * parameters * out.sequence : 0;
  }
  if (out.operations <= 0 && out.kind == ClassicKind::transformer && parameters > 0)
    missing.push_back("workload.sequence_length");
  else if (out.operations <= 0)
    missing.push_back("workload.model.forward_gflop_per_sample");
}

void set_board(const Workload& workload, const Configuration& configuration, ClassicJob& out, std::vector<std::string>& missing) {
  const Board& board = *configuration.board;
  const std::string& precision = workload.precision;
  out.half = precision.empty() || precision == "fp16" || precision == "bf16" || holds(precision, "fp8");
  // Frameworks run fp32 products on TF32 units where a board has them.
  const auto tf32 = dense_peak_tflops(board, "tf32"), fp32 = dense_peak_tflops(board, "fp32");
  const auto sixteen = dense_peak_tflops(board, precision == "fp16" ? "fp16" : "bf16");
  out.matrix_units = out.half || tf32;
  out.peak = (out.half ? (sixteen ? sixteen : dense_peak_tflops(board, "fp16")) : tf32 ? tf32 : fp32).value_or(0) * 1e12;
  out.memory_rate = board.memory_bandwidth_gb_per_s.value_or(0) * 1e9;
  out.board = board.id, out.architecture = board.architecture;
  if (out.peak <= 0) missing.push_back("board.dense_tflops");
  if (out.memory_rate <= 0) missing.push_back("board.memory_bandwidth_gb_per_s");
}

void set_links(const Configuration& configuration, ClassicJob& out, std::vector<std::string>& missing) {
  out.per_node = std::max(1, configuration.gpus_per_node), out.nodes = std::max(1, configuration.nodes), out.gpus = out.per_node * out.nodes;
  const CollectiveEfficiency& collectives = CollectiveEfficiency::embedded();
  std::vector<std::string> unknown;
  if (out.per_node > 1) {
    IntraLink link = intra_link(configuration, out.per_node, unknown);
    if (link.key.empty()) link.key = "pcie4";
    out.link = collectives.link(link, "all_reduce", out.per_node).beta_gb_per_s * 1e9;
  }
  if (out.nodes < 2) return;
  const auto net = inter_link(configuration, missing);
  if (net) out.network = collectives.network(*net, "all_reduce", out.nodes).beta_gb_per_s * 1e9;
}

void set_batch(const Workload& workload, ClassicJob& out) {
  const auto global = workload.batch.global;
  if (global) out.global = *global;
  const double each = global ? static_cast<double>(*global) / out.gpus : usual_micro_batch;
  out.micro = std::max(1.0, workload.batch.micro ? *workload.batch.micro : std::min(usual_micro_batch, each));
  if (!global && workload.batch.micro) out.global = out.micro * out.gpus;
}

}  // namespace

const char* classic_kind_word(ClassicKind kind) {
  static constexpr const char* words[classic_kinds] = {"convolution", "segmentation", "transformer", "recurrent", "recommender", "speech"};
  return words[static_cast<int>(kind)];
}

const std::vector<ClassicModel>& classic_models() {
  static const std::vector<ClassicModel> shipped = read_models();
  return shipped;
}

std::optional<ClassicJob> classic_job(const Workload& workload, const Configuration& configuration, std::vector<std::string>& missing) {
  ClassicJob out;
  double parameters = 0;
  if (!configuration.board) missing.push_back("configuration.gpu");
  set_work(workload, out, parameters, missing);
  if (configuration.board) {
    set_board(workload, configuration, out, missing);
    set_links(configuration, out, missing);
  }
  if (!missing.empty()) return std::nullopt;
  out.gradient_bytes = parameters * (out.half ? 2 : 4);
  set_batch(workload, out);
  out.model = name_key(workload.model_name.empty() && workload.model ? workload.model->id : workload.model_name);
  const std::string framework = to_lower(workload.software.framework);
  out.framework = holds(framework, "mxnet") ? "mxnet" : holds(framework, "deeplearningexamples") ? "deeplearningexamples" : name_key(framework);
  return out;
}

}  // namespace estimate

bool trains_classic(const Workload& workload) {
  const std::string& task = workload.task;
  if (task == "vision_training" || task == "vision3d_training" || task == "speech_training" || task == "recommender_training") return true;
  return (estimate::holds(task, "train") || estimate::holds(task, "finetune")) && estimate::find_classic(workload);
}

}  // namespace steelyard

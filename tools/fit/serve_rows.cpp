#include "serve_rows.hpp"

#include <map>
#include <optional>
#include <steelyard/catalog.hpp>

#include "core/text.hpp"
#include "csv.hpp"

namespace steelyard::fit {

namespace {

/// Rows that name a model only: the catalog's name of it.
const std::map<std::string, std::string> model_names{{"DeepSeek R1 0528", "deepseek-ai/DeepSeek-R1"},
                                                     {"Qwen3-30B-A3B", "Qwen/Qwen3-30B-A3B"},
                                                     {"Qwen3-235B-A22B", "Qwen/Qwen3-235B-A22B"},
                                                     {"GPT-OSS 120B", "openai/gpt-oss-120b"},
                                                     {"GPT-OSS 20B", "openai/gpt-oss-20b"},
                                                     {"Llama 4 Scout", "meta-llama/Llama-4-Scout-17B-16E-Instruct"},
                                                     {"Llama 4 Maverick", "meta-llama/Llama-4-Maverick-17B-128E-Instruct"},
                                                     {"Llama3-70B", "meta-llama/Meta-Llama-3-70B"},
                                                     {"Llama3.1-8B", "meta-llama/Llama-3.1-8B"}};

std::optional<Model> model_of(const Record& row) {
  const int layers = row.whole("n_layers", 0), hidden = row.whole("hidden", 0), heads = row.whole("heads", 0), ffn = row.whole("ffn", 0);
  if (!layers || !hidden || !heads || !ffn) {
    const auto known = model_names.find(row.text("model"));
    const Model* found = known == model_names.end() ? nullptr : Catalog::embedded().find_model(known->second).resolved();
    return found ? std::optional(*found) : std::nullopt;
  }
  const bool llama = to_lower(row.text("model")).find("llama") != std::string::npos;
  Model out;
  out.layers = layers, out.hidden = hidden, out.heads = heads, out.ffn = ffn;
  out.kv_heads = row.whole("kv_heads", heads);
  out.vocab = row.whole("vocab", 51200);
  out.head_dim = hidden / heads;
  out.gated_mlp = llama, out.tied_embeddings = !llama;
  out.params_b = row.number("params_b");
  return out;
}

std::string precision_of(const std::string& text) {
  const std::string word = to_lower(text);
  return word == "fp4" ? "nvfp4" : word == "q4_0" || word == "q4_k_m" ? "int4" : word;
}

/// "TensorRT-LLM v1.0" -> name and version.
void set_software(const Record& row, Workload& out) {
  const std::string& text = row.text("framework");
  const std::size_t space = text.find(' ');
  out.software.framework = text.substr(0, space);
  if (space == std::string::npos) return;
  out.software.version = text.substr(space + 1);
  if (out.software.version.starts_with("v")) out.software.version.erase(0, 1);
}

std::string link_of(const Record& row, int gpus) {
  const std::string& text = row.text("intra_link");
  return gpus == 1 ? "none" : text.starts_with("NVLink") ? "nvlink" : text.starts_with("PCIe") ? "pcie" : "";
}

/// The request of a row with these lengths; empty where board or model is not known.
std::optional<ServeRow> row_of(const Record& row, int input, int output) {
  Workload workload;
  workload.task = "llm_inference";
  workload.model = model_of(row);
  Configuration configuration;
  configuration.board = Catalog::embedded().find_board(row.text("gpu")).resolved();
  if (!workload.model || !configuration.board || row.text("quality") == "C") return std::nullopt;
  set_software(row, workload);
  workload.precision = precision_of(row.text("precision"));
  if (row.text("precision").starts_with("q4")) workload.quantization = row.text("precision");
  Serving serving;
  serving.engine = to_lower(workload.software.framework);
  serving.input_tokens = input, serving.output_tokens = output;
  if (const auto load = row.number("batch")) serving.concurrency = static_cast<int>(*load);
  workload.serving = serving;
  configuration.gpus_per_node = row.whole("n_gpus", 1);
  configuration.intra_node = link_of(row, configuration.gpus_per_node);
  Plan plan;
  plan.tensor = row.whole("tp", 1), plan.pipeline = row.whole("pp", 1), plan.expert = row.whole("ep", 1);
  std::vector<std::string> missing;
  const auto job = estimate::serve_job(workload, configuration, plan, missing);
  if (!job) return std::nullopt;
  return ServeRow{row.text("row_id"), row.text("model"), *job, estimate::ServeMetric::throughput, 0, true};
}

/// A rate whose table does not say whether it counts one GPU or all.
bool ambiguous(const Record& row) {
  return row.text("notes").find("may really mean per GPU") != std::string::npos && row.whole("tp", 1) * row.whole("pp", 1) > 1;
}

void add_batching(const Request& request, const char* file, std::vector<ServeRow>& out) {
  Table table;
  read_csv(request.data, file, table);
  for (const Record& record : table.records) {
    const int input = record.whole("isl", 0), output = record.whole("osl", 0);
    const auto value = record.number("value");
    if (record.text("workload") != "infer_llm" || !input || !output || !value || ambiguous(record)) continue;
    auto row = row_of(record, input, output);
    if (!row) continue;
    const bool latency = record.text("metric") == "ttft_ms" || record.text("metric") == "latency_ms";
    const auto rate = record.text("metric").starts_with("output") ? record.number("tokens_per_s") : std::nullopt;
    if (!latency && !rate) continue;
    row->metric = latency ? estimate::ServeMetric::latency : estimate::ServeMetric::throughput;
    row->time_s = latency ? *value / 1e3 : 1 / *rate;
    out.push_back(*row);
  }
}

}  // namespace

std::vector<ServeRow> batching_rows(const Request& request) {
  std::vector<ServeRow> out;
  for (const char* file : {"trtllm", "vllm"}) add_batching(request, file, out);
  return out;
}

std::vector<ServeRow> stream_rows(const Request& request) {
  Table table;
  read_csv(request.data, "llama_cpp", table);
  std::vector<ServeRow> out;
  constexpr int usual_tokens = 512;  // of the older rows, whose lengths the source does not state
  for (const Record& record : table.records) {
    const bool decode = record.text("metric").starts_with("decode");
    const int length = record.whole(decode ? "osl" : "isl", 0);
    const auto value = record.number("value");
    if (!value || (!length && (!decode || record.whole("n_gpus", 1) > 1))) continue;
    const int tokens = length ? length : usual_tokens;
    auto row = row_of(record, decode ? 1 : tokens, decode ? tokens : 1);
    if (!row) continue;
    row->metric = decode ? estimate::ServeMetric::throughput : estimate::ServeMetric::latency;
    row->time_s = decode ? 1 / *value : tokens / *value;
    row->scored = length > 0;
    out.push_back(*row);
  }
  return out;
}

}  // namespace steelyard::fit

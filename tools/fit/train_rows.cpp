#include "train_rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/text.hpp"
#include "csv.hpp"

namespace steelyard::fit {

namespace {

/// Networks that the makers' reference systems have where a table names none, Gbit/s a GPU.
const std::vector<std::pair<std::string, double>> reference_gbit{{"GB300", 800}, {"GB200", 400}, {"B300", 800}, {"B200", 400},
                                                                 {"H200", 400},  {"H100", 400},  {"A100", 200}, {"V100", 50}};

/// Rows that name a model only: the catalog's name of it.
const std::map<std::string, std::string> model_names{{"DeepSeekV3", "deepseek-ai/DeepSeek-V3"},     {"DeepSeek-V3", "deepseek-ai/DeepSeek-V3"},
                                                     {"DeepSeek-V2", "deepseek-ai/DeepSeek-V2"},    {"Kimi_K2", "moonshotai/Kimi-K2-Instruct"},
                                                     {"Qwen3_30B_a3B", "Qwen/Qwen3-30B-A3B"},       {"Qwen3_235B_a22B", "Qwen/Qwen3-235B-A22B"},
                                                     {"GPT OSS 120B", "openai/gpt-oss-120b"},       {"LLAMA3_8B", "meta-llama/Meta-Llama-3-8B"},
                                                     {"LLAMA3_70B", "meta-llama/Meta-Llama-3-70B"}, {"LLAMA3.1_405B", "meta-llama/Llama-3.1-405B"}};

Model written_out(int layers, int hidden, int heads, int kv_heads, int ffn, int vocab, bool gated, bool tied, int experts = 0, int per_token = 0) {
  Model out;
  out.layers = layers;
  out.hidden = hidden;
  out.heads = heads;
  out.kv_heads = kv_heads;
  out.head_dim = hidden / heads;
  out.ffn = ffn;
  out.vocab = vocab;
  out.gated_mlp = gated;
  out.tied_embeddings = tied;
  out.experts = experts;
  out.experts_per_token = per_token;
  return out;
}

/// Published shapes of models that rows name without them: Nemotron-4 arXiv:2402.16819 and 2406.11704, xai-org/grok-1 run.py.
std::optional<Model> published_shape(const std::string& name) {
  if (name == "Nemotron4-15B") return written_out(32, 6144, 48, 8, 24576, 256000, false, false);
  if (name == "Nemotron4-340B") return written_out(96, 18432, 96, 8, 73728, 256000, false, false);
  if (name == "Grok1-314B") return written_out(64, 6144, 48, 8, 32768, 131072, true, true, 8, 2);
  return std::nullopt;
}

std::optional<Model> model_of(const Record& row, const Catalog& catalog, bool& scored) {
  const int layers = row.whole("n_layers", 0), hidden = row.whole("hidden", 0), heads = row.whole("heads", 0), ffn = row.whole("ffn", 0);
  const std::string& text = row.text("model");
  const std::string name = text.substr(0, text.find(" ("));
  const bool llama = to_lower(text).find("llama") != std::string::npos;
  if (layers && hidden && heads && ffn) {
    Model out = written_out(layers, hidden, heads, row.whole("kv_heads", heads), ffn, row.whole("vocab", 51200), llama, !llama);
    out.params_b = row.number("params_b");
    return out;
  }
  std::optional<Model> out = published_shape(name);
  if (!out) {
    const auto known = model_names.find(name);
    if (known == model_names.end()) return std::nullopt;
    const Model* found = catalog.find_model(known->second).resolved();
    if (!found) return std::nullopt;
    out = *found;
    scored = name == text;
  }
  if (layers && layers != out->layers) {
    out->layers = layers;
    out->params_b.reset();
  }
  return out;
}

std::optional<std::string> precision_of(const Record& row) {
  static const std::map<std::string, std::string> words{
      {"bf16", "bf16"},    {"fp16", "fp16"},   {"fp8", "fp8"},     {"fp8-cs", "fp8"},
      {"fp8-mx", "mxfp8"}, {"mxfp8", "mxfp8"}, {"nvfp4", "nvfp4"}, {"fp8 (25.09: fp8 current scaling; parentheses = other granularity)", "fp8"}};
  if (row.text("notes").find("second value in parentheses") != std::string::npos) return std::nullopt;
  const auto found = words.find(to_lower(row.text("precision")));
  return found == words.end() ? std::nullopt : std::optional(found->second);
}

/// "llm-foundry FSDP", "NeMo 24.09": words and version apart, as a user writes them.
Software software_of(const std::string& text) {
  Software out;
  const std::size_t space = text.find(' ');
  std::size_t at = text.find_first_of("0123456789", space == std::string::npos ? 0 : space);
  while (at != std::string::npos && at > 0 && text[at - 1] != ' ' && text[at - 1] != 'r' && text[at - 1] != 'v')
    at = text.find_first_of("0123456789", at + 1);
  if (space == std::string::npos || at == std::string::npos) {
    out.framework = text;
    return out;
  }
  const std::size_t end = text.find(' ', at);
  out.version = text.substr(at, end == std::string::npos ? end : end - at);
  out.framework = std::string(trim(text.substr(0, text[at - 1] == ' ' ? at - 1 : at - 2)));
  return out;
}

std::string sharding_of(const std::string& text) {
  const std::string lower = to_lower(text);
  const std::pair<const char*, const char*> words[] = {
      {"zero-3", "zero3"}, {"grad_op", "zero2"}, {"zero-1", "zero1"}, {"distributed optimizer", "zero1"},
      {"fsdp+dp", "hsdp"}, {"fsdp", "fsdp"},     {"none", "ddp"}};
  for (const auto& [word, kind] : words)
    if (lower.find(word) != std::string::npos) return kind;
  return "";
}

InterNode network_of(const Record& row, int gpus_per_node) {
  InterNode out{"infiniband", std::nullopt, std::nullopt, std::nullopt, true};
  if (to_lower(row.text("inter_link")).find("roce") != std::string::npos) out.kind = "roce";
  for (const auto& [chip, gbit] : reference_gbit)
    if (row.text("gpu").starts_with(chip)) {
      out.gbit_per_s_per_node = gbit * gpus_per_node;
      break;
    }
  return out;
}

std::optional<Configuration> configuration_of(const Record& row, const Catalog& catalog) {
  Configuration out;
  out.gpu = row.text("gpu");
  out.board = catalog.find_board(out.gpu).resolved();
  const int count = row.whole("n_gpus", 0);
  if (!out.board || count < 1) return std::nullopt;
  out.gpus_per_node = std::min(count, row.whole("gpus_per_node", count));
  out.nodes = (count + out.gpus_per_node - 1) / out.gpus_per_node;
  out.intra_node = count == 1 ? "none" : "nvlink";
  if (row.text("intra_link").find("NVL72") != std::string::npos) out.nvlink_domain_gpus = 72;
  if (out.nodes > 1) out.inter_node = network_of(row, out.gpus_per_node);
  return out;
}

std::optional<double> seconds_of(const Record& row, double tokens) {
  if (const auto step = row.number("step_time_s"); step && *step > 0) return step;
  const auto rate = row.number("tokens_per_s");
  return rate && *rate > 0 ? std::optional(tokens / *rate) : std::nullopt;
}

/// The reason why a row is left out; empty where `out` was filled.
std::string read_row(const Record& row, const Catalog& catalog, TrainRow& out) {
  static const std::map<std::string, std::string> tasks{{"train_lm", "pretrain"}, {"finetune_sft", "full_finetune"}, {"finetune_lora", "lora"}};
  const auto task = tasks.find(row.text("workload"));
  if (task == tasks.end()) return "no language-model training";
  if (row.text("quality") == "C") return "quality C";
  if (row.text("sharding").find("offload") != std::string::npos) return "no step time";
  if (row.text("model").find("tokendrop") != std::string::npos) return "drops tokens";
  const auto precision = precision_of(row);
  if (!precision) return "precision not stated";
  Workload& w = out.workload;
  w.model = model_of(row, catalog, out.scored);
  if (!w.model) return "architecture not stated";
  const auto configuration = configuration_of(row, catalog);
  if (!configuration) return "board or count not stated";
  const int batch = row.whole("gbs", 0);
  w.sequence_length = row.whole("seq_len", 0);
  if (batch <= 0 || *w.sequence_length <= 0) return "batch or sequence length not stated";
  const auto step = seconds_of(row, static_cast<double>(batch) * *w.sequence_length);
  if (!step) return "no step time";
  w.task = task->second;
  w.precision = *precision;
  w.method = w.task == "lora" ? "lora" : "full";
  w.optimizer = "adamw";
  w.sharding = sharding_of(row.text("sharding"));
  const std::string& recompute = row.text("recompute");
  w.activation_checkpointing = recompute.empty() || recompute == "none" || recompute == "full" ? recompute : "selective";
  w.parallel = {row.whole("tp", 1), row.whole("pp", 1), row.whole("cp", 1), row.whole("ep", 1), row.whole("vpp", 1), std::nullopt, std::nullopt};
  w.batch.global = batch;
  if (row.number("mbs")) w.batch.micro = row.whole("mbs", 1);
  w.software = software_of(row.text("framework"));
  out.configuration = *configuration;
  out.step_time_s = *step;
  out.id = row.text("row_id");
  out.source = row.text("source_id");
  out.gpu_text = row.text("gpu");
  out.model_text = row.text("model").substr(0, row.text("model").find(" ("));
  const bool sharded = w.sharding == "zero3" || to_lower(row.text("sharding")).find("fsdp") != std::string::npos;
  const bool low = w.precision == "fp8" || w.precision == "mxfp8" || w.precision == "nvfp4";
  out.family = w.task != "pretrain" ? "lm_finetune" : sharded ? "lm_training_zero3_fsdp" : low ? "lm_training_lowprec" : "lm_training_bf16";
  return "";
}

}  // namespace

std::vector<TrainRow> read_train_rows(const std::string& folder, const Catalog& catalog, std::vector<std::string>& left_out) {
  std::vector<TrainRow> out;
  for (const char* name :
       {"dgxc_benchmarking", "korthikanti_2022", "llm_foundry", "megatron_bridge", "megatron_readme_h100", "megatron_sc21", "simumax_b200"}) {
    Table table;
    read_csv(folder, name, table);
    for (const Record& record : table.records) {
      TrainRow row;
      const std::string reason = read_row(record, catalog, row);
      if (reason.empty())
        out.push_back(std::move(row));
      else if (reason != "no language-model training")
        left_out.push_back(record.text("row_id") + ": " + reason);
    }
  }
  return out;
}

}  // namespace steelyard::fit

// Servers: vLLM and SGLang. Sources: docs.vllm.ai/en/latest/cli/serve, docs.sglang.ai/advanced_features/server_arguments.html (2026-10).
#include <algorithm>

#include "core/text.hpp"
#include "habits/readers.hpp"

namespace steelyard::habits {

namespace {

/// Short and long names of one option: all become the first.
void rename(std::vector<Said>& said, std::initializer_list<const char*> names) {
  for (Said& one : said) {
    for (const char* name : names) {
      if (one.key == name) one.key = *names.begin();
    }
  }
}

void degree(Sayings& said, const char* key, const char* field) {
  if (said.has(key)) {
    said.count(key, field);
  } else {
    said.assume(field, 1, key);
  }
}

// Weights stored low, by the server's name for the format.
void take_quantization(Sayings& said) {
  const auto name = said.word("quantization");
  if (!name) return;
  const std::string lower = to_lower(*name);
  if (lower == "awq" || lower == "awq_marlin") return said.take("quantization", "quantization", "awq");
  if (lower == "gptq" || lower == "gptq_marlin") return said.take("quantization", "quantization", "gptq");
  if (lower == "fp8" || lower == "w8a8_fp8") return said.take("quantization", "precision", "fp8");
  if (lower == "mxfp4") return said.take("quantization", "quantization", "mxfp4");
  said.leave_open("quantization", "no word here for weights stored by '" + *name + "'");
}

void take_server(Sayings& said, const char* engine, const std::string& file, const Words& words) {
  const Said program{engine, {}, false, {file, words.empty() ? 0 : words.front().line, words.empty() ? 0 : words.front().column}, false};
  said.notes().take("task", "llm_inference", program, engine);
  said.notes().take("serving.engine", engine, program, engine);
  take_model_name(said, "model");
  degree(said, "tensor_parallel_size", "parallel.tensor");
  degree(said, "pipeline_parallel_size", "parallel.pipeline");
  degree(said, "data_parallel_size", "run.data");
  take_quantization(said);
  if (!said.has("quantization")) {
    if (const auto dtype = said.word("dtype")) {
      if (const auto word = precision_word(*dtype)) said.take("dtype", "precision", *word);
    }
  }
  said.text("kv_cache_dtype", "run.kv_cache_dtype");
}

// Experts are spread over all GPUs of the tensor- and data-parallel groups once that is switched on.
void take_expert_groups(Sayings& said, const char* key) {
  const double tensor = said.number("tensor_parallel_size").value_or(1), data = said.number("data_parallel_size").value_or(1);
  const bool unknown = (said.has("tensor_parallel_size") && !said.number("tensor_parallel_size")) ||
                       (said.has("data_parallel_size") && !said.number("data_parallel_size"));
  if (said.flag(key).value_or(false) && !unknown) said.take(key, "parallel.expert", static_cast<std::int64_t>(tensor * data));
}

std::vector<Said> with_model(Options& options, const std::string& file) {
  const bool named = std::any_of(options.said.begin(), options.said.end(), [](const Said& one) { return one.key == "model"; });
  if (!named && !options.positional.empty()) {
    const Word word = options.positional.front();
    options.said.insert(options.said.begin(), Said{"model", {word.text}, word.unresolved, {file, word.line, word.column}, false});
    options.positional.erase(options.positional.begin());
  }
  return options.said;
}

}  // namespace

void read_vllm(const Words& words, const std::string& file, Notes& notes) {
  const std::vector<std::string> switches = {
      "enable_expert_parallel",  "enforce_eager",        "trust_remote_code", "enable_prefix_caching",   "enable_chunked_prefill", "headless",
      "enable_auto_tool_choice", "disable_log_requests", "disable_log_stats", "no_enable_prefix_caching"};
  Options options = read_options(words, file, switches);
  rename(options.said, {"tensor_parallel_size", "tp"});
  rename(options.said, {"pipeline_parallel_size", "pp"});
  rename(options.said, {"data_parallel_size", "dp"});
  rename(options.said, {"quantization", "q"});
  rename(options.said, {"enable_expert_parallel", "ep"});
  Sayings said(with_model(options, file), "vllm", notes);
  note_unresolved(options, file, said);
  take_server(said, "vllm", file, words);
  said.count("max_model_len", "serving.max_model_len");
  take_expert_groups(said, "enable_expert_parallel");
  if (!said.has("enable_expert_parallel")) said.assume("parallel.expert", 1, "enable_expert_parallel");
  said.leave_open("max_num_seqs", "a bound of the requests at the same time, not their number: state serving.concurrency");
  said.leave_open("cpu_offload_gb", "weights in host memory have no size here");
  said.ignore({"host",
               "port",
               "served_model_name",
               "api_key",
               "trust_remote_code",
               "gpu_memory_utilization",
               "enable_*",
               "enforce_eager",
               "disable_*",
               "download_dir",
               "tokenizer*",
               "chat_template*",
               "tool_call_parser",
               "reasoning_parser",
               "max_num_batched_tokens",
               "seed",
               "swap_space",
               "block_size",
               "distributed_executor_backend",
               "headless",
               "data_parallel_*",
               "no_enable_*",
               "limit_mm_per_prompt",
               "load_format",
               "revision",
               "compilation_config",
               "uvicorn_log_level",
               "dtype",
               "nnodes",
               "node_rank",
               "master_addr",
               "master_port",
               "async_scheduling"});
  said.finish();
}

void read_sglang(const Words& words, const std::string& file, Notes& notes) {
  const std::vector<std::string> switches = {"trust_remote_code", "enable_dp_attention", "enable_torch_compile", "disable_radix_cache",
                                             "enable_metrics",    "disable_cuda_graph",  "skip_tokenizer_init",  "enable_mixed_chunk"};
  Options options = read_options(words, file, switches);
  rename(options.said, {"model", "model_path"});
  rename(options.said, {"tensor_parallel_size", "tp", "tp_size"});
  rename(options.said, {"pipeline_parallel_size", "pp", "pp_size"});
  rename(options.said, {"data_parallel_size", "dp", "dp_size"});
  rename(options.said, {"expert_parallel_size", "ep", "ep_size"});
  Sayings said(with_model(options, file), "sglang", notes);
  note_unresolved(options, file, said);
  take_server(said, "sglang", file, words);
  said.count("context_length", "serving.max_model_len");
  degree(said, "expert_parallel_size", "parallel.expert");
  said.count("nnodes", "run.nodes");
  said.leave_open("max_running_requests", "a bound of the requests at the same time, not their number: state serving.concurrency");
  said.ignore({"host",
               "port",
               "served_model_name",
               "api_key",
               "trust_remote_code",
               "mem_fraction_static",
               "enable_*",
               "disable_*",
               "chunked_prefill_size",
               "schedule_*",
               "tokenizer_*",
               "node_rank",
               "dist_init_addr",
               "log_*",
               "attention_backend",
               "sampling_backend",
               "chat_template",
               "reasoning_parser",
               "tool_call_parser",
               "random_seed",
               "download_dir",
               "load_format",
               "max_prefill_tokens",
               "cuda_graph_*",
               "dtype",
               "skip_tokenizer_init"});
  said.finish();
}

}  // namespace steelyard::habits

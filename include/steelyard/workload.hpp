// A job as the user states it. Everything but the task may be missing; `auto` and missing are empty.
#pragma once

#include <optional>
#include <steelyard/issue.hpp>
#include <steelyard/model.hpp>
#include <steelyard/money.hpp>
#include <steelyard/value.hpp>
#include <string>
#include <vector>

namespace steelyard {

/// Degrees of parallelism; empty = auto.
struct Parallel {
  std::optional<int> tensor, pipeline, context, expert, virtual_pipeline, data;
  std::optional<bool> sequence_parallel;

  friend bool operator==(const Parallel&, const Parallel&) = default;
};

/// Sequences (or samples) a step; empty = auto.
struct Batch {
  std::optional<int> micro, global;

  friend bool operator==(const Batch&, const Batch&) = default;
};

/// How much has to be done; at most one of them says it.
struct Work {
  std::optional<double> tokens, samples, steps, requests, hours;
  std::optional<double> epochs, dataset_samples;  // together: samples

  friend bool operator==(const Work&, const Work&) = default;
};

/// Serving parameters; concurrency empty = the highest throughput that fits.
struct Serving {
  std::string engine;
  std::optional<int> input_tokens, output_tokens, concurrency, max_model_len;
  std::optional<double> requests_per_s, latency_p99_ms;
  std::string weight_only;  // format of the stored weights only, e.g. "int4"
};

struct Lora {
  int rank = 16;
  std::string targets = "all_linear";
};

struct Inputs {
  std::optional<int> image_px, images, residues, tokens, frames;
};

struct Needs {
  bool fp64 = false;
  std::string os;  // "linux" "windows" "wsl2"; empty = any
  bool windows_native = false;
  std::optional<double> power_w_max;  // per GPU
  std::optional<double> memory_gib;   // size of a job without a model, all GPUs together
};

struct Software {
  std::string framework, version, cuda, image, release_date;
  std::vector<std::string> packages;  // "flash-attn==2.8.0"
};

struct Constraints {
  std::optional<Money> budget;
  std::optional<double> deadline_h;
  std::vector<std::string> gpu_names;
  std::optional<int> gpus_min, gpus_max, nodes_max;
  std::vector<std::string> markets, providers;
  std::string spot = "allowed";  // "allowed" "required" "forbidden"
  std::optional<bool> resumable;
};

/// Data beside the machines: kept on the provider's storage while the job runs, and sent out of its network in all. GiB; empty = not stated.
struct DataVolumes {
  std::optional<double> storage_gib, egress_gib;
};

/// How the job gets over an interruption. Empty = not stated; the size follows from the model where it is known.
struct Checkpoint {
  std::optional<double> gib;        // written at each checkpoint
  std::optional<double> gb_per_s;   // rate at which it is written, 1e9 bytes/s
  std::optional<double> restart_s;  // paid time of a new machine until the job goes on: start, loading
};

/// One model in a job of several (reinforcement learning).
struct Role {
  std::string role;  // "actor" "critic" "reference" "reward" "rollout"
  std::string model_name;
  std::optional<Model> model;
  std::string method, engine;
};

/// What is to be done. Strings hold the contract's words; the loader has checked them.
struct Workload {
  std::string name;
  std::string task;            // "full_finetune" ...
  std::string model_name;      // as written
  std::optional<Model> model;  // resolved; empty where none was named
  std::string precision;       // arithmetic: "bf16" ...; empty = the usual one
  std::string quantization;    // stored weights
  std::optional<Lora> lora;
  std::string method;     // "full" "lora" "qlora" "freeze"; empty = from the task
  std::string optimizer;  // empty = adamw for training
  std::string sharding;   // empty = auto
  std::string offload;    // empty = none
  std::string load;       // "full" "sharded"; empty = not said
  std::optional<bool> unified_memory;
  std::string activation_checkpointing;  // empty = auto
  Parallel parallel;
  Batch batch;
  std::optional<int> sequence_length;
  Work work;
  std::optional<Serving> serving;
  Inputs inputs;
  Needs needs;
  Software software;
  Constraints constraints;
  DataVolumes data;
  Checkpoint checkpoint;
  std::vector<Role> roles;
  SourceLocation where;
};

class Catalog;

/// Reads a workload (YAML or JSON text; the keys of docs/reference, "Workload"). `file` names the text in messages. Wrong words, numbers
/// and unknown keys are errors, and there is no value then; a model that the catalog doesn't know, or knows several of, is a warning and
/// leaves `model` empty.
Loaded<Workload> parse_workload(std::string text, std::string file, const Catalog& catalog);
/// The same from a plain value, as Python and C callers hold it.
Loaded<Workload> workload_from_value(const Value& value, std::string source, const Catalog& catalog);

/// In the contract's keys; what is not known or left to the engine is absent.
Value to_value(const Workload& workload);
Value to_value(const Model& model);
Value to_value(const Money& money);

}  // namespace steelyard

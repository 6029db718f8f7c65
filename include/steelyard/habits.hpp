// Input habits: the files that people have anyway become a workload: configurations of models and of training and serving frameworks,
// command lines, batch scripts, container lines. docs/guide/inputs.md lists them.
#pragma once

#include <optional>
#include <steelyard/catalog.hpp>
#include <steelyard/decision.hpp>
#include <steelyard/issue.hpp>
#include <string>
#include <vector>

namespace steelyard {

/// A text with the name that messages call it by.
struct InputText {
  std::string name, text;
};

/// One thing that a file says, and what it means here.
struct Understood {
  std::string key;     // as the file says it: "per_device_train_batch_size"
  Value value;         // as it counts here
  std::string field;   // of the workload ("batch.micro"), of the model ("model.layers") or of the present run ("run.gpus_per_node")
  std::string format;  // "deepspeed" "torchrun" ...
  SourceLocation where;
  bool by_default = false;  // the file is silent, and its program has a documented default
};

/// One thing that a file says or leaves open, and why it does not count.
struct NotUnderstood {
  std::string key, because;
  SourceLocation where;
};

struct RecognisedInput {
  std::string name;
  std::string format;  // "workload" "hugging face config" "deepspeed" "accelerate" "llama-factory" "axolotl" "trainer arguments"
                       // "command line" "slurm script"
};

/// What a set of files says together. Nothing in it is guessed.
struct Understanding {
  std::vector<RecognisedInput> files;
  std::vector<Understood> understood;
  std::vector<NotUnderstood> open;          // left to the engine ("auto"), or without a known meaning
  std::vector<std::string> without_effect;  // keys that change neither memory nor time nor price, sorted
  Value workload = Value::map();            // in the contract's keys; may lack the task
  // Size and settings of the present run, which do not bind the one to come: gpus, nodes, gpus_per_node, data, accumulation ...
  Value run = Value::map();
  std::vector<Question> questions;  // what the files do not say and the answer hangs on
};

/// The format of a text, told by its content; empty where it is none of the known ones.
std::string recognise_input(const InputText& input);

/// Reads all texts as one job. Texts of no known format, texts that can't be parsed, and two places that contradict each other are errors.
Loaded<Understanding> understand_inputs(const std::vector<InputText>& inputs, const Catalog& catalog);

/// The plan of the present run; empty where the files leave a part of it open. Degrees that no file names are 1.
std::optional<Plan> plan_of(const Understanding& understanding);

/// {"schema": "steelyard.understand/1", "files", "understood", "open", "without_effect", "run", "workload", "questions"}
Value to_value(const Understanding& understanding);

namespace report {
std::string text(const Understanding& understanding);
}

}  // namespace steelyard

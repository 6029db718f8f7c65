// One reader a format: pure functions from what a file says to notes. Recognised by content, never by the file's name.
#pragma once

#include <string>
#include <vector>

#include "habits/notes.hpp"
#include "habits/shell.hpp"

namespace steelyard::habits {

// Maps (YAML or JSON).
bool is_hf_config(const Sayings& said);
void read_hf_config(Sayings& said);
bool is_deepspeed(const Sayings& said);
void read_deepspeed(Sayings& said);
bool is_accelerate(const Sayings& said);
void read_accelerate(Sayings& said);
bool is_llama_factory(const Sayings& said);
void read_llama_factory(Sayings& said);
bool is_axolotl(const Sayings& said);
void read_axolotl(Sayings& said);
bool is_trainer_arguments(const Sayings& said);
/// Arguments of transformers' Trainer and of TRL, from a YAML file or a command line.
void read_trainer_arguments(Sayings& said);
/// The part of them that LLaMA-Factory shares.
void read_training_arguments(Sayings& said);
bool is_workload(const Sayings& said);
void read_workload(const load::Document& document, Notes& notes);

// Command lines. Each gets the words behind the program.
using Words = std::vector<Word>;
void read_torchrun(const Words& words, const std::string& file, Notes& notes);
void read_deepspeed_launcher(const Words& words, const std::string& file, Notes& notes);
void read_accelerate_launch(const Words& words, const std::string& file, Notes& notes);
void read_vllm(const Words& words, const std::string& file, Notes& notes);
void read_sglang(const Words& words, const std::string& file, Notes& notes);
void read_docker_run(const Words& words, const std::string& file, Notes& notes);
/// A script with its arguments: Megatron-LM's, or anything that takes the arguments of a Trainer.
void read_training_script(const Words& words, const std::string& file, Notes& notes);
bool is_megatron(const Sayings& said, const std::string& script);
void read_megatron(Sayings& said);
/// #SBATCH lines, or the options of srun.
void read_slurm(const Words& words, const std::string& file, Notes& notes);
/// A whole command: finds the launcher in it. False where there is none that is known.
bool read_command(const Words& words, const std::string& file, Notes& notes);

/// Words that hang on unknown variables may hold any option: they are noted, and defaults are not taken.
void note_unresolved(const Options& options, const std::string& file, Sayings& said);

/// How a file or a command states precision, optimizer and device sizes.
std::optional<std::string> optimizer_word(std::string_view name);
std::optional<std::string> precision_word(std::string_view dtype);
/// "16g", "512m", "8gb": GiB.
std::optional<double> memory_gib(std::string_view size);
void take_precision_flags(Sayings& said, std::string_view bf16, std::string_view fp16);
/// A model by its name, or by the last part of a local path.
void take_model_name(Sayings& said, std::string_view key);

}  // namespace steelyard::habits

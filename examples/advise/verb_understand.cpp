// advise understand: what files of other programs say about a job.
#include <steelyard/habits.hpp>

#include "common.hpp"
#include "inputs.hpp"

namespace advise {

using namespace steelyard;

int run_understand(const Words& words) {
  CommandLine line("understand FILE...",
                   "Reads the files that a job has anyway: config.json of a model, DeepSpeed JSON, accelerate, LLaMA-Factory and axolotl YAML, "
                   "command lines of torchrun, "
                   "deepspeed, accelerate, Megatron-LM, vLLM and SGLang, Slurm scripts, docker run lines. Shows what was understood, what is left "
                   "open and what is missing.",
                   {"advise understand train.yaml ds_config.json config.json", "advise understand job.sbatch --format json"});
  line.common();
  if (!line.parse(words)) return answered;
  if (line.files().empty()) throw UsageError("understand needs a file, or - for standard input");
  const Understanding understanding = value_or_throw(understand_inputs(read_inputs(line), Catalog::embedded()));
  print_answer(line, to_value(understanding), report::text(understanding));
  return answered;
}

}  // namespace advise

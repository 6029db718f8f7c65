// Finds the launcher in a command: srun torchrun ..., docker run ... vllm serve ..., python -m torch.distributed.run ...
#include <algorithm>

#include "core/text.hpp"
#include "habits/readers.hpp"

namespace steelyard::habits {

namespace {

using Reader = void (*)(const Words& words, const std::string& file, Notes& notes);

std::string program(const Word& word) { return word.text.substr(word.text.rfind('/') + 1); }

bool is_python(const std::string& name) { return name.rfind("python", 0) == 0; }

Words from(const Words& words, std::size_t first) {
  return {words.begin() + static_cast<std::ptrdiff_t>(std::min(first, words.size())), words.end()};
}

Reader module_reader(const std::string& module) {
  if (module == "torch.distributed.run" || module == "torch.distributed.launch") return read_torchrun;
  if (module.rfind("vllm.entrypoints", 0) == 0) return read_vllm;
  if (module == "sglang.launch_server") return read_sglang;
  if (module == "accelerate.commands.launch") return read_accelerate_launch;
  if (module == "deepspeed.launcher.runner") return read_deepspeed_launcher;
  return nullptr;
}

/// A reader and how many words belong to the name of the program.
struct Launcher {
  Reader reader = nullptr;
  std::size_t words = 1;
};

Launcher launcher_at(const Words& words, std::size_t i) {
  const std::string name = program(words[i]), next = i + 1 < words.size() ? words[i + 1].text : std::string();
  if (name == "torchrun") return {read_torchrun, 1};
  if (name == "deepspeed") return {read_deepspeed_launcher, 1};
  if (name == "accelerate" && next == "launch") return {read_accelerate_launch, 2};
  if (name == "vllm" && next == "serve") return {read_vllm, 2};
  if (name == "sglang" && next == "serve") return {read_sglang, 2};
  if ((name == "docker" || name == "podman" || name == "nvidia-docker") && next == "run") return {read_docker_run, 2};
  if (is_python(name) && next == "-m" && i + 2 < words.size()) return {module_reader(words[i + 2].text), 3};
  if (is_python(name)) {
    // Options of the interpreter ("-u") go before the script.
    std::size_t k = i + 1;
    while (k < words.size() && words[k].text.size() > 1 && words[k].text[0] == '-') ++k;
    const bool script = k < words.size() && words[k].text.size() > 3 && words[k].text.ends_with(".py");
    return {script ? read_training_script : nullptr, k - i};
  }
  return {};
}

// bash -c "...": a script of its own, at the place where it is written.
bool read_inner(const Word& text, const std::string& file, Notes& notes) {
  bool known = false;
  for (Words& words : read_script(text.text).commands) {
    for (Word& word : words) word.line = text.line + word.line - 1;
    known = read_command(words, file, notes) || known;
  }
  return known;
}

}  // namespace

bool read_command(const Words& words, const std::string& file, Notes& notes) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = program(words[i]);
    if ((name == "bash" || name == "sh") && i + 2 < words.size() && words[i + 1].text.find('c') != std::string::npos && words[i + 1].text[0] == '-') {
      return read_inner(words[i + 2], file, notes);
    }
    const Launcher launcher = launcher_at(words, i);
    if (!launcher.reader) continue;
    if (i > 0 && program(words[0]) == "srun") read_slurm({words.begin() + 1, words.begin() + static_cast<std::ptrdiff_t>(i)}, file, notes);
    launcher.reader(from(words, i + launcher.words), file, notes);
    return true;
  }
  return false;
}

void read_training_script(const Words& words, const std::string& file, Notes& notes) {
  if (words.empty()) return;
  Options options = read_options(from(words, 1), file);
  const std::string script = program(words.front());
  Sayings said(options.said, "trainer arguments", notes);
  if (is_megatron(said, script)) {
    Sayings megatron(options.said, "megatron", notes);
    note_unresolved(options, file, megatron);
    if (script.rfind("pretrain", 0) == 0 && !megatron.flag("finetune").value_or(false)) {
      const Said start{script, {}, false, {file, words.front().line, words.front().column}, false};
      notes.take("task", "pretrain", start, "megatron");
    }
    return read_megatron(megatron);
  }
  note_unresolved(options, file, said);
  // A script may take its arguments from a file.
  for (const Word& word : options.positional) {
    if (word.text.ends_with(".yaml") || word.text.ends_with(".yml") || word.text.ends_with(".json")) {
      notes.leave_open({word.text, {}, false, {file, word.line, word.column}, false}, "names another file: give it beside this one");
    }
  }
  read_trainer_arguments(said);
}

}  // namespace steelyard::habits

// advise stack: does this software run on this board, and what is the smallest change that makes it run.
#include <steelyard/stack.hpp>

#include "batch.hpp"
#include "common.hpp"
#include "files.hpp"

namespace advise {

using namespace steelyard;

namespace {

// The keys of a stack as flags: --gpu RTX4090 --driver 550.54.14 ...
constexpr std::pair<const char*, const char*> text_keys[] = {
    {"gpu", "board, by any name"},
    {"driver", "driver version or branch: 550.54.14, 550"},
    {"cuda", "toolkit (12.4.1) or wheel variant (cu121)"},
    {"framework", "PyTorch, vLLM, TensorFlow ..."},
    {"framework-version", "2.3.0, 2.5.0+cu121 ..."},
    {"image", "container image"},
    {"os", "linux, 'Ubuntu 22.04', windows, wsl2"},
    {"glibc", "version of the C library, where it is not that of the system"},
    {"kernel-module", "open or proprietary"},
    {"symptom", "text of the error"},
};

void declare_stack_flags(CommandLine& line) {
  for (const auto& [name, help] : text_keys) line.value(name, help);
  line.value("gpu-count", "GPUs in the machine").values("package", "a package with its version, flash-attn==2.8.0 (may be repeated)");
}

void apply_flags(const CommandLine& line, StackRequest& stack) {
  std::string* const fields[] = {&stack.gpu,   &stack.driver, &stack.cuda,  &stack.framework,     &stack.framework_version,
                                 &stack.image, &stack.os,     &stack.glibc, &stack.kernel_module, &stack.symptom};
  for (std::size_t i = 0; i < std::size(fields); ++i) *fields[i] = line.text(text_keys[i].first, *fields[i]);
  if (line.has("gpu-count")) stack.gpu_count = static_cast<int>(line.number("gpu-count", 1, 1, 1e6));
  for (const std::string& package : line.texts("package")) stack.packages.push_back(package);
}

StackRequest read_stack(const CommandLine& line) {
  if (line.files().size() > 1) throw UsageError("stack takes one file, found " + std::to_string(line.files().size()));
  StackRequest stack;
  if (!line.files().empty()) {
    const std::string& file = line.files().front();
    stack = value_or_throw(parse_stack(read_input(file, line.timeout_s()), file));
  }
  apply_flags(line, stack);
  if (stack == StackRequest{}) throw UsageError("stack needs a file, or flags such as --gpu RTX4090 --driver 550.54.14 --cuda cu124");
  return stack;
}

// A machine without software is a question for what runs there.
bool names_only_the_host(const StackRequest& stack) {
  const bool software = !stack.framework.empty() || !stack.framework_version.empty() || !stack.cuda.empty() || !stack.image.empty();
  return !stack.gpu.empty() && !stack.driver.empty() && !software && stack.packages.empty() && stack.symptom.empty();
}

}  // namespace

int run_stack(const Words& words) {
  CommandLine line("stack [STACK] [--gpu NAME] [--driver VERSION] ...",
                   "Does this software run on this board, and what is the smallest change that makes it run.",
                   {"advise stack --gpu V100-SXM2-16GB --driver 550.54.14",
                    "advise stack --gpu RTX5090 --driver 570.86.16 --cuda cu124 --framework pytorch --framework-version 2.6.0",
                    "advise stack --symptom 'CUDA error 803'", "advise stack --batch requests.jsonl --format json"});
  line.common().value("batch", "one JSON request a line; answers in the same order");
  declare_language(line);
  declare_stack_flags(line);
  if (!line.parse(words)) return answered;
  const Advisor advisor = make_advisor(line);
  if (line.has("batch")) {
    if (!line.files().empty()) throw UsageError("stack takes --batch or files, not both");
    const auto answer = [&](std::string text, const std::string& place) {
      return answer_stack(advisor.catalog(), advisor.book(), std::move(text), place);
    };
    write_output(line.text("out"), run_batch(line.text("batch"), line.timeout_s(), answer));
    return answered;
  }
  const StackRequest stack = read_stack(line);
  const StackReport report = check_stack(stack, advisor.catalog(), advisor.book());
  Value answer = Value::map();
  answer["schema"] = "steelyard.stack/1";
  const Value body = to_value(report);
  for (const auto& [key, value] : body.as_map()) answer[key] = value;
  std::string text = to_text(report, language(line));
  if (names_only_the_host(stack)) {
    const RunnableStacks runnable = runnable_stacks(stack, advisor.catalog(), advisor.book());
    answer["runnable"] = to_value(runnable);
    text += to_text(runnable, 12, language(line));
  }
  print_answer(line, answer, text);
  return report.verdict == "impossible" ? nothing_fits : answered;
}

}  // namespace advise

// python -m torch.utils.collect_env: the software of a machine.
#include "core/text.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

struct Environment {
  Value facts = Value::map();
  std::int64_t gpus = 0;
  bool heading = false, in_gpus = false, in_libraries = false;
  int first = 0, last = 0;
};

bool unknown(std::string_view value) {
  return value.empty() || value == "N/A" || value == "None" || value == "No CUDA" || starts_with(value, "Could not collect");
}

void set_known(Value& facts, std::string_view key, std::string_view value) {
  if (!unknown(value)) facts[key] = Value(value);
}

void read_gpu(std::string_view text, Environment& environment) {
  std::string_view name = text;
  if (starts_with(text, "GPU ") && integer_after(text, "GPU ")) name = after(text, ": ").value_or("");
  if (unknown(name)) return;
  ++environment.gpus;
  if (!environment.facts.find("gpu")) environment.facts["gpu"] = Value(trim(before(name, "(UUID")));
}

/// Keys as collect_env of all versions writes them; false where the line is none of them.
bool read_field(std::string_view text, Environment& environment) {
  const auto field = key_value(text);
  if (!field) return false;
  Value& facts = environment.facts;
  const std::string_view key = field->key, value = field->value;
  if (key == "PyTorch version")
    environment.heading = true, set_known(facts, "torch", value);
  else if (key == "CUDA used to build PyTorch")
    set_known(facts, "cuda_build", value);
  else if (key == "ROCM used to build PyTorch")
    set_known(facts, "rocm_build", value);
  else if (key == "OS")
    set_known(facts, "os", value);
  else if (key == "Libc version")
    set_known(facts, "glibc", starts_with(value, "glibc-") ? value.substr(6) : value);
  else if (key == "Python version")
    set_text(facts, "python", version_prefix(value));
  else if (key == "Is CUDA available" && (value == "True" || value == "False"))
    facts["cuda_available"] = value == "True";
  else if (key == "CUDA runtime version")
    set_known(facts, "cuda_runtime", value);
  else if (key == "Nvidia driver version")
    set_known(facts, "driver", value);
  else if (key == "Python platform" && contains_ci(value, "microsoft"))
    facts["wsl"] = true;
  else
    return key == "Is debug build" || key == "GCC version" || key == "Clang version" || key == "CMake version" || key == "cuDNN version" ||
           key == "Is CUDA available";
  return true;
}

constexpr std::string_view gpu_list = "GPU models and configuration";

bool read_line(std::string_view text, Environment& environment) {
  if (starts_with(text, gpu_list)) {  // some versions of the script pad their keys with blanks
    environment.in_gpus = true;
    if (const std::string_view name = trim(after(text.substr(gpu_list.size()), ":").value_or("")); !name.empty()) read_gpu(name, environment);
    return true;
  }
  if (environment.in_gpus && starts_with(text, "GPU ") && integer_after(text, "GPU ")) return read_gpu(text, environment), true;
  if (starts_with(text, "Versions of relevant libraries")) return environment.in_libraries = true;
  return read_field(text, environment);
}

}  // namespace

Records read_collect_env(const Paste& paste) {
  Environment environment;
  for (const Line& line : paste.lines) {
    const std::string_view text = trim(line.text);
    const auto field = key_value(text);
    const bool mark =
        contains(text, "Collecting environment information") || (field && field->key == "PyTorch version") || starts_with(text, gpu_list);
    if (mark && environment.first == 0) environment.first = line.number;
    if (environment.first == 0 || !(read_line(text, environment) || mark)) continue;
    environment.last = line.number;
  }
  if (environment.first == 0 || environment.facts.as_map().empty()) return {};
  ToolRecord record;
  record.tool = "collect_env";
  record.subject = "software";
  record.facts = std::move(environment.facts);
  if (environment.gpus > 0) record.facts["gpus"] = environment.gpus;
  record.first_line = environment.first;
  record.last_line = environment.last;
  record.complete = environment.heading && environment.in_libraries && !paste.elided_between(environment.first, environment.last);
  return {record};
}

}  // namespace steelyard::evidence

// How files and commands of different programs say the same things.
#include <algorithm>

#include "core/text.hpp"
#include "habits/readers.hpp"

namespace steelyard::habits {

void note_unresolved(const Options& options, const std::string& file, Sayings& said) {
  for (const Word& word : options.positional) {
    if (!word.unresolved) continue;
    said.incomplete();
    said.notes().leave_open({word.text, {}, true, {file, word.line, word.column}, true},
                            "a variable or command that this text does not resolve; it may hold settings");
  }
}

std::optional<std::string> optimizer_word(std::string_view name) {
  const std::string key = name_key(name);
  if (key.find("8bit") != std::string::npos && key.find("adam") != std::string::npos) return "adam8bit";
  if (key == "adafactor") return "adafactor";
  if (key == "sgd") return "sgd";
  // Adam and AdamW hold the same states; the names say where or by which kernel they are stepped.
  for (const char* one : {"adam", "adamw", "fusedadam", "fusedadamw", "adamwtorch", "adamwtorchfused", "adamwhf", "adamwapexfused", "cpuadam",
                          "deepspeedcpuadam", "pagedadamw", "pagedadamw32bit", "adamwbnb32bit"}) {
    if (key == one) return "adamw";
  }
  return std::nullopt;
}

std::optional<std::string> precision_word(std::string_view dtype) {
  const std::string key = name_key(dtype);
  if (key == "bfloat16" || key == "bf16" || key == "torchbfloat16") return "bf16";
  if (key == "float16" || key == "fp16" || key == "half" || key == "torchfloat16") return "fp16";
  if (key == "float32" || key == "fp32" || key == "float" || key == "torchfloat32") return "fp32";
  if (key == "fp8" || key == "fp8e4m3" || key == "e4m3" || key == "hybrid") return "fp8";
  return std::nullopt;
}

std::optional<double> memory_gib(std::string_view size) {
  const std::string lower = to_lower(size);
  const std::size_t end = lower.find_first_not_of("0123456789.");
  const auto amount = parse_number(lower.substr(0, end));
  std::string unit = end == std::string::npos ? "b" : lower.substr(end);
  if (!amount || *amount <= 0) return std::nullopt;
  if (unit.size() > 1 && unit.back() == 'b') unit.erase(unit.find_first_of("ib", 1));
  if (unit == "t") return *amount * 1024;
  if (unit == "g") return *amount;
  if (unit == "m") return *amount / 1024;
  if (unit == "k") return *amount / 1048576;
  return unit == "b" ? std::optional(*amount / 1073741824) : std::nullopt;
}

void take_precision_flags(Sayings& said, std::string_view bf16, std::string_view fp16) {
  const auto brain = said.flag(bf16), half = said.flag(fp16);
  if (brain.value_or(false)) {
    said.take(bf16, "precision", "bf16");
  } else if (half.value_or(false)) {
    said.take(fp16, "precision", "fp16");
  }
}

void take_model_name(Sayings& said, std::string_view key) {
  auto name = said.word(key);
  if (!name || name->empty()) return;
  const bool path = name->front() == '/' || name->front() == '.' || name->front() == '~' || std::count(name->begin(), name->end(), '/') > 1;
  if (path) {
    while (name->size() > 1 && name->back() == '/') name->pop_back();
    *name = name->substr(name->rfind('/') + 1);
  }
  said.take(key, "model.name", *name);
}

}  // namespace steelyard::habits

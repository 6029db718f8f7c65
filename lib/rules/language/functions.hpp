// The functions of the language: sizes, conversions, texts, math.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/language/expr.hpp"

namespace steelyard::rules {

struct Signature {
  std::string_view name;  // methods start with a dot
  Function function = Function::none;
  std::size_t least = 1, most = 1;  // arguments, a method's target included
  Type result = Type::any;
};

/// nullptr where there is no such function.
const Signature* find_function(std::string_view name);
std::vector<std::string> function_names();

/// All arguments known. `pattern` may be null; then the second argument of `matches` is compiled here.
Datum call_function(Function function, std::span<const Datum> arguments, const Pattern* pattern, ExprMode mode, Heap& heap);

/// While one lives, patterns of its thread are compiled when they are first used and not when they are read: for shipped books, all of whose patterns
/// their tests compile. Compiling them takes a third of the start of a program.
class CompileLater {
 public:
  CompileLater();
  ~CompileLater();
  CompileLater(const CompileLater&) = delete;
  CompileLater& operator=(const CompileLater&) = delete;
};

/// A compiled pattern, or null with the reason.
std::shared_ptr<const Pattern> compile_pattern(const std::string& text, std::string& error);
bool matches(const Pattern& pattern, std::string_view text);

}  // namespace steelyard::rules

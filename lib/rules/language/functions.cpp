#include "rules/language/functions.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>

#include "core/text.hpp"
#include "rules/language/real_text.hpp"

namespace steelyard::rules {

class Pattern {
 public:
  explicit Pattern(std::string text) : text_(std::move(text)) {}
  const RE2& regex() const {
    std::call_once(once_, [this] { regex_.emplace(text_, RE2::Quiet); });
    return *regex_;
  }

 private:
  std::string text_;
  mutable std::once_flag once_;
  mutable std::optional<RE2> regex_;
};

namespace {

thread_local int later = 0;

}  // namespace

CompileLater::CompileLater() { ++later; }
CompileLater::~CompileLater() { --later; }

namespace {

constexpr std::size_t many = 1000;

constexpr Signature signatures[] = {
    {"size", Function::size, 1, 1, Type::number},
    {".size", Function::size, 1, 1, Type::number},
    {"int", Function::to_int, 1, 1, Type::number},
    {"double", Function::to_double, 1, 1, Type::number},
    {"string", Function::to_string, 1, 1, Type::text},
    {"bool", Function::to_bool, 1, 1, Type::boolean},
    {"dyn", Function::dyn, 1, 1, Type::any},
    {".contains", Function::contains, 2, 2, Type::boolean},
    {".startsWith", Function::starts_with, 2, 2, Type::boolean},
    {".endsWith", Function::ends_with, 2, 2, Type::boolean},
    {".matches", Function::matches, 2, 2, Type::boolean},
    {"matches", Function::matches, 2, 2, Type::boolean},
    {"math.greatest", Function::greatest, 1, many, Type::number},
    {"math.least", Function::least, 1, many, Type::number},
    {"math.ceil", Function::ceil, 1, 1, Type::number},
    {"math.floor", Function::floor, 1, 1, Type::number},
    {"math.round", Function::round, 1, 1, Type::number},
    {"math.trunc", Function::trunc, 1, 1, Type::number},
    {"math.abs", Function::abs, 1, 1, Type::number},
    {"math.sign", Function::sign, 1, 1, Type::number},
    {"math.sqrt", Function::sqrt, 1, 1, Type::number},
    {"math.isNaN", Function::is_nan, 1, 1, Type::boolean},
    {"math.isInf", Function::is_inf, 1, 1, Type::boolean},
    {"math.isFinite", Function::is_finite, 1, 1, Type::boolean},
};

std::string name_of(Function function) {
  const auto* found = std::find_if(std::begin(signatures), std::end(signatures), [&](const Signature& s) { return s.function == function; });
  const std::string_view name = found->name;
  return std::string(name.substr(name[0] == '.' ? 1 : 0));
}

Datum no_overload(Function function, std::span<const Datum> arguments, Heap& heap) {
  std::string text = name_of(function) + "(";
  for (const Datum& argument : arguments) text += (&argument == arguments.data() ? "" : ", ") + describe(argument);
  return heap.error(text + "): not for these kinds");
}

// Whole numbers: integers where CEL's letter is kept, reals in books.
Datum whole(std::int64_t number, ExprMode mode) { return mode == ExprMode::strict ? Datum(number) : Datum(static_cast<double>(number)); }

std::int64_t count_characters(const std::string& text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; });
}

Datum size_of(const Datum& value, ExprMode mode, Heap& heap) {
  switch (value.kind) {
    case Kind::text: return whole(count_characters(*value.text), mode);
    case Kind::list: return whole(static_cast<std::int64_t>(value.list->size()), mode);
    case Kind::map: return whole(static_cast<std::int64_t>(value.map->size()), mode);
    default: return no_overload(Function::size, {&value, 1}, heap);
  }
}

Datum to_int(const Datum& value, ExprMode mode, Heap& heap) {
  if (value.kind == Kind::integer) return value;
  if (value.kind == Kind::text) {
    std::int64_t number = 0;
    const std::string& text = *value.text;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && end == text.data() + text.size()) return whole(number, mode);
    return heap.error("int(" + describe(value) + "): no whole number");
  }
  if (value.kind != Kind::real) return no_overload(Function::to_int, {&value, 1}, heap);
  constexpr double limit = 9223372036854775808.0;  // 2^63
  if (!(value.real > -limit && value.real < limit)) return heap.error("int(" + describe(value) + "): out of the range of a 64-bit integer");
  return mode == ExprMode::strict ? Datum(static_cast<std::int64_t>(value.real)) : Datum(std::trunc(value.real));
}

Datum to_double(const Datum& value, Heap& heap) {
  if (value.is_number()) return Datum(value.number());
  if (value.kind != Kind::text) return no_overload(Function::to_double, {&value, 1}, heap);
  double number = 0;
  const std::string& text = *value.text;
  if (read_real(std::string_view(text).substr(text.starts_with("+") ? 1 : 0), number)) return Datum(number);
  return heap.error("double(" + describe(value) + "): no number");
}

std::string real_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return format_number(value);
}

Datum to_string(const Datum& value, Heap& heap) {
  switch (value.kind) {
    case Kind::text: return value;
    case Kind::boolean: return heap.text(value.boolean ? "true" : "false");
    case Kind::integer: return heap.text(std::to_string(value.integer));
    case Kind::real: return heap.text(real_text(value.real));
    default: return no_overload(Function::to_string, {&value, 1}, heap);
  }
}

Datum to_bool(const Datum& value, Heap& heap) {
  if (value.kind == Kind::boolean) return value;
  if (value.kind != Kind::text) return no_overload(Function::to_bool, {&value, 1}, heap);
  const std::string& text = *value.text;
  for (const char* word : {"true", "TRUE", "True", "t", "1"}) {
    if (text == word) return Datum(true);
  }
  for (const char* word : {"false", "FALSE", "False", "f", "0"}) {
    if (text == word) return Datum(false);
  }
  return heap.error("bool(" + describe(value) + "): neither true nor false");
}

Datum text_function(Function function, std::span<const Datum> arguments, const Pattern* pattern, Heap& heap) {
  if (arguments[0].kind != Kind::text || arguments[1].kind != Kind::text) return no_overload(function, arguments, heap);
  const std::string& text = *arguments[0].text;
  const std::string& part = *arguments[1].text;
  if (function == Function::contains) return Datum(text.find(part) != std::string::npos);
  if (function == Function::starts_with) return Datum(text.starts_with(part));
  if (function == Function::ends_with) return Datum(text.ends_with(part));
  if (pattern) return Datum(matches(*pattern, text));
  std::string error;
  const auto compiled = compile_pattern(part, error);
  return compiled ? Datum(matches(*compiled, text)) : heap.error("matches: " + error);
}

// The first of equals wins; a single list stands for its elements.
Datum extreme(Function function, std::span<const Datum> arguments, Heap& heap) {
  if (arguments.size() == 1 && arguments[0].kind == Kind::list) arguments = *arguments[0].list;
  if (arguments.empty()) return heap.error(name_of(function) + ": an empty list");
  const bool numbers = std::all_of(arguments.begin(), arguments.end(), [](const Datum& value) { return value.is_number(); });
  if (!numbers) return no_overload(function, arguments, heap);
  const auto less = [](const Datum& one, const Datum& other) {
    const bool whole_numbers = one.kind == Kind::integer && other.kind == Kind::integer;
    return whole_numbers ? one.integer < other.integer : one.number() < other.number();
  };
  Datum best = arguments[0];
  for (const Datum& value : arguments) {
    if (function == Function::greatest ? less(best, value) : less(value, best)) best = value;
  }
  return best;
}

Datum integer_math(Function function, std::int64_t value, std::span<const Datum> arguments, Heap& heap) {
  switch (function) {
    case Function::abs:
      if (value == std::numeric_limits<std::int64_t>::min()) return heap.error("math.abs: out of the range of a 64-bit integer");
      return Datum(value < 0 ? -value : value);
    case Function::sign: return Datum(static_cast<std::int64_t>(value > 0) - static_cast<std::int64_t>(value < 0));
    case Function::sqrt: return Datum(std::sqrt(static_cast<double>(value)));
    default: return no_overload(function, arguments, heap);
  }
}

Datum real_math(Function function, double value) {
  switch (function) {
    case Function::ceil: return Datum(std::ceil(value));
    case Function::floor: return Datum(std::floor(value));
    case Function::round: return Datum(std::round(value));
    case Function::trunc: return Datum(std::trunc(value));
    case Function::abs: return Datum(std::abs(value));
    case Function::sign: return Datum(value > 0 ? 1.0 : value < 0 ? -1.0 : value);
    case Function::sqrt: return Datum(std::sqrt(value));
    case Function::is_nan: return Datum(std::isnan(value));
    case Function::is_inf: return Datum(std::isinf(value));
    default: return Datum(static_cast<bool>(std::isfinite(value)));
  }
}

Datum math_function(Function function, std::span<const Datum> arguments, Heap& heap) {
  const Datum& value = arguments[0];
  if (value.kind == Kind::integer) return integer_math(function, value.integer, arguments, heap);
  if (value.kind != Kind::real) return no_overload(function, arguments, heap);
  return real_math(function, value.real);
}

}  // namespace

const Signature* find_function(std::string_view name) {
  const auto* found = std::find_if(std::begin(signatures), std::end(signatures), [&](const Signature& s) { return s.name == name; });
  return found == std::end(signatures) ? nullptr : found;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Signature& signature : signatures) names.emplace_back(signature.name);
  return names;
}

Datum call_function(Function function, std::span<const Datum> arguments, const Pattern* pattern, ExprMode mode, Heap& heap) {
  switch (function) {
    case Function::size: return size_of(arguments[0], mode, heap);
    case Function::to_int: return to_int(arguments[0], mode, heap);
    case Function::to_double: return to_double(arguments[0], heap);
    case Function::to_string: return to_string(arguments[0], heap);
    case Function::to_bool: return to_bool(arguments[0], heap);
    case Function::dyn: return arguments[0];
    case Function::contains:
    case Function::starts_with:
    case Function::ends_with:
    case Function::matches: return text_function(function, arguments, pattern, heap);
    case Function::greatest:
    case Function::least: return extreme(function, arguments, heap);
    default: return math_function(function, arguments, heap);
  }
}

std::shared_ptr<const Pattern> compile_pattern(const std::string& text, std::string& error) {
  auto pattern = std::make_shared<const Pattern>(text);
  if (later > 0 || pattern->regex().ok()) return pattern;
  error = "'" + text + "' is no regular expression: " + pattern->regex().error();
  return nullptr;
}

bool matches(const Pattern& pattern, std::string_view text) { return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern.regex()); }

}  // namespace steelyard::rules

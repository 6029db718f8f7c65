// A JSON-like value: what verbs return, what rules read, what readers of tool outputs find.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace steelyard {

/// null, bool, 64-bit integer, double, string, list or map. Maps keep the order of insertion. Comparison is by value and kind.
class Value {
 public:
  using List = std::vector<Value>;
  using Entry = std::pair<std::string, Value>;
  using Map = std::vector<Entry>;

  Value() = default;
  Value(std::nullptr_t) {}
  Value(bool value) : data_(value) {}
  Value(int value) : data_(static_cast<std::int64_t>(value)) {}
  Value(std::int64_t value) : data_(value) {}
  Value(std::size_t value) : data_(static_cast<std::int64_t>(value)) {}
  Value(double value) : data_(value) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(std::string_view value) : data_(std::string(value)) {}
  Value(List value) : data_(std::move(value)) {}
  Value(Map value) : data_(std::move(value)) {}

  static Value list() { return Value(List{}); }
  static Value map() { return Value(Map{}); }

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  bool is_bool() const { return std::holds_alternative<bool>(data_); }
  bool is_int() const { return std::holds_alternative<std::int64_t>(data_); }
  bool is_double() const { return std::holds_alternative<double>(data_); }
  bool is_number() const { return is_int() || is_double(); }
  bool is_string() const { return std::holds_alternative<std::string>(data_); }
  bool is_list() const { return std::holds_alternative<List>(data_); }
  bool is_map() const { return std::holds_alternative<Map>(data_); }

  /// The value as that kind; std::bad_variant_access where it is another. `as_number` takes int and double.
  bool as_bool() const { return std::get<bool>(data_); }
  std::int64_t as_int() const { return std::get<std::int64_t>(data_); }
  double as_number() const { return is_int() ? static_cast<double>(as_int()) : std::get<double>(data_); }
  const std::string& as_string() const { return std::get<std::string>(data_); }
  const List& as_list() const { return std::get<List>(data_); }
  const Map& as_map() const { return std::get<Map>(data_); }
  List& as_list() { return std::get<List>(data_); }
  Map& as_map() { return std::get<Map>(data_); }

  /// The entry of that key, or nullptr where there is none or this is no map.
  const Value* find(std::string_view key) const;
  /// The value at a dotted path ("memory.peak_gib"), or nullptr.
  const Value* at_path(std::string_view path) const;
  /// The entry of that key, made null where missing; a null value becomes a map first.
  Value& operator[](std::string_view key);
  /// Sets the value at a dotted path, making the maps on the way.
  void set_path(std::string_view path, Value value);
  /// Appends to a list; a null value becomes a list first.
  void push_back(Value value);

  friend bool operator==(const Value&, const Value&) = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Map> data_;
};

/// JSON text (UTF-8; broken UTF-8 is replaced); doubles in the shortest form that reads back the same; NaN and infinity become null.
/// `indent` < 0 gives one line.
std::string to_json(const Value& value, int indent = -1);

}  // namespace steelyard

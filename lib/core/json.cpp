// JSON output of values, by nlohmann-json.
#include <cmath>
#include <nlohmann/json.hpp>
#include <steelyard/value.hpp>

namespace steelyard {

namespace {

nlohmann::ordered_json to_nlohmann(const Value& value) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_int()) return value.as_int();
  if (value.is_double()) {
    return std::isfinite(value.as_number()) ? nlohmann::ordered_json(value.as_number()) : nlohmann::ordered_json();
  }
  if (value.is_string()) return value.as_string();
  if (value.is_list()) {
    auto list = nlohmann::ordered_json::array();
    for (const Value& item : value.as_list()) list.push_back(to_nlohmann(item));
    return list;
  }
  if (value.is_map()) {
    auto map = nlohmann::ordered_json::object();
    for (const auto& [key, item] : value.as_map()) map[key] = to_nlohmann(item);
    return map;
  }
  return nullptr;
}

}  // namespace

std::string to_json(const Value& value, int indent) {
  return to_nlohmann(value).dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace steelyard

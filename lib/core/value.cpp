#include <algorithm>
#include <steelyard/value.hpp>

namespace steelyard {

const Value* Value::find(std::string_view key) const {
  if (!is_map()) return nullptr;
  const auto& entries = as_map();
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.first == key; });
  return found == entries.end() ? nullptr : &found->second;
}

const Value* Value::at_path(std::string_view path) const {
  const Value* value = this;
  while (value) {
    const auto dot = path.find('.');
    value = value->find(path.substr(0, dot));
    if (dot == std::string_view::npos) return value;
    path.remove_prefix(dot + 1);
  }
  return nullptr;
}

Value& Value::operator[](std::string_view key) {
  if (is_null()) *this = map();
  if (const Value* found = find(key)) return const_cast<Value&>(*found);
  return as_map().emplace_back(std::string(key), Value()).second;
}

void Value::set_path(std::string_view path, Value value) {
  const auto dot = path.find('.');
  Value& entry = (*this)[path.substr(0, dot)];
  if (dot == std::string_view::npos) {
    entry = std::move(value);
  } else {
    entry.set_path(path.substr(dot + 1), std::move(value));
  }
}

void Value::push_back(Value value) {
  if (is_null()) *this = list();
  as_list().push_back(std::move(value));
}

}  // namespace steelyard

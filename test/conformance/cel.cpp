// CEL cases: expressions in strict mode, values with their kinds.
#include <charconv>
#include <cmath>
#include <limits>

#include "cases.hpp"
#include "rules/language/checker.hpp"
#include "rules/language/evaluator.hpp"
#include "rules/language/parser.hpp"

namespace steelyard::conformance {

namespace {

using namespace steelyard::rules;

struct Unsupported {
  std::string kind;
};

double real_of(const std::string& text) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return infinity;
  if (text == "-Infinity") return -infinity;
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Datum tagged(const Value& value, Heap& heap) {
  const auto& [kind, content] = value.as_map().at(0);
  if (kind == "null") return Datum();
  if (kind == "bool") return Datum(content.as_bool());
  if (kind == "int") {
    std::int64_t number = 0;
    const std::string& text = content.as_string();
    std::from_chars(text.data(), text.data() + text.size(), number);
    return Datum(number);
  }
  if (kind == "double") return Datum(real_of(content.as_string()));
  if (kind == "string") return heap.text(content.as_string());
  if (kind == "list") {
    List list;
    for (const Value& item : content.as_list()) list.push_back(tagged(item, heap));
    return heap.list(std::move(list));
  }
  if (kind != "map") throw Unsupported{kind};
  Map map;
  for (const Value& entry : content.as_list()) map.emplace_back(tagged(entry.as_list()[0], heap), tagged(entry.as_list()[1], heap));
  return heap.map(std::move(map));
}

bool same(const Datum& one, const Datum& other);

bool same_map(const Map& one, const Map& other) {
  if (one.size() != other.size()) return false;
  for (const auto& [key, value] : one) {
    const Datum* found = find(other, key);
    if (!found || !same(value, *found)) return false;
  }
  return true;
}

// By value and kind: an int is no double, any NaN is a NaN.
bool same(const Datum& one, const Datum& other) {
  if (one.kind != other.kind) return false;
  if (one.kind == Kind::real && std::isnan(one.real)) return std::isnan(other.real);
  if (one.kind == Kind::map) return same_map(*one.map, *other.map);
  if (one.kind != Kind::list) return equal(one, other);
  if (one.list->size() != other.list->size()) return false;
  for (std::size_t at = 0; at < one.list->size(); ++at) {
    if (!same((*one.list)[at], (*other.list)[at])) return false;
  }
  return true;
}

class Bindings : public Scope {
 public:
  void add(const std::string& name) {
    meanings_.emplace_back().slot = static_cast<int>(names_.size());
    names_.push_back(name);
  }
  std::optional<Meaning> find(const std::string& name) const override {
    for (std::size_t at = 0; at < names_.size(); ++at) {
      if (names_[at] == name) return meanings_[at];
    }
    return std::nullopt;
  }
  const Meaning* meaning(int slot) const override { return &meanings_[static_cast<std::size_t>(slot)]; }
  int name_number(const std::string&) const override { return 0; }
  std::vector<std::string> known_names() const override { return names_; }
  std::size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
  std::vector<Meaning> meanings_;
};

class BoundFrame : public Frame {
 public:
  explicit BoundFrame(std::size_t slots) : Frame(slots, ExprMode::strict) {}

 protected:
  Datum compute(int) override { return heap().error("not bound"); }
};

Verdict judge(Verdict verdict, const Value& expect, const Datum& came, Heap& heap) {
  const Value* wanted = expect.find("value");
  const bool error = came.kind == Kind::error;
  const bool right = wanted ? !error && same(came, tagged(*wanted, heap)) : error;
  verdict.result = right ? "pass" : "fail";
  if (!right) verdict.detail = "expected " + to_json(expect) + ", came " + describe(came);
  return verdict;
}

Datum run(const Value& one_case, Heap& heap) {
  Bindings bindings;
  const Value* bound = one_case.find("bindings");
  const Value::Map none;
  const Value::Map& entries = bound && bound->is_map() ? bound->as_map() : none;
  for (const auto& entry : entries) bindings.add(entry.first);
  BoundFrame frame(bindings.size());
  for (std::size_t at = 0; at < entries.size(); ++at) frame.keep(static_cast<int>(at), tagged(entries[at].second, heap));
  auto parsed = parse_expression(one_case.find("expr")->as_string(), ExprMode::strict, heap);
  if (const auto* fault = std::get_if<Fault>(&parsed)) return heap.error(fault->message);
  Faults faults;
  Expr& expr = std::get<Expr>(parsed);
  resolve(expr, bindings, ExprMode::strict, faults);
  return copy(evaluate(expr, frame), heap);
}

}  // namespace

Verdict run_cel(const Value& one_case) {
  Verdict verdict{one_case.find("id")->as_string(), one_case.find("profile")->as_string(), "skip", {}};
  if (verdict.profile != "core") {
    verdict.detail = "uses kinds or functions outside the rule language";
    return verdict;
  }
  Heap heap;
  try {
    const Datum came = run(one_case, heap);
    return judge(verdict, *one_case.find("expect"), came, heap);
  } catch (const Unsupported& unsupported) {
    verdict.result = "fail";
    verdict.detail = "the case uses a " + unsupported.kind;
  }
  return verdict;
}

}  // namespace steelyard::conformance

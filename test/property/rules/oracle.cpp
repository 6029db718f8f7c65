#include "oracle.hpp"

#include <algorithm>

namespace steelyard::oracle {

bool same(const Value& one, const Value& other) {
  if (one.is_number() && other.is_number()) return one.as_number() == other.as_number();
  if (!one.is_list() || !other.is_list()) return one == other;
  return std::equal(one.as_list().begin(), one.as_list().end(), other.as_list().begin(), other.as_list().end(), same);
}

namespace {

/// yes, no, or open with the facts that it hangs on.
struct Truth {
  bool open = false, yes = false;
  std::set<std::string> facts;
};

Truth both(const Truth& one, const Truth& other) {
  if ((!one.open && !one.yes) || (!other.open && !other.yes)) return {};
  Truth truth{one.open || other.open, true, one.facts};
  truth.facts.insert(other.facts.begin(), other.facts.end());
  return truth;
}

Truth opposite(Truth truth) {
  truth.yes = !truth.yes;
  return truth;
}

Truth either(const Truth& one, const Truth& other) { return opposite(both(opposite(one), opposite(other))); }

class Row {
 public:
  Row(const Table& table, const Facts& facts) : table_(table), facts_(facts) {}

  Truth rule(const Rule& rule) const {
    Truth truth{false, true, {}};
    for (std::size_t at = 0; at < rule.cells.size(); ++at) truth = both(truth, cell(rule.cells[at], table_.columns[at]));
    return truth;
  }

 private:
  const Value* value_of(const std::string& name) const {
    const auto found = facts_.find(name);
    return found == facts_.end() ? nullptr : &found->second;
  }

  Truth cell(const Cell& cell, const std::string& name) const {
    if (cell.alternatives.empty()) return {false, true, {}};
    Truth any;
    for (const Alternative& one : cell.alternatives) any = either(any, alternative(one, name));
    return cell.negated ? opposite(any) : any;
  }

  Truth alternative(const Alternative& one, const std::string& name) const {
    const Value* input = value_of(name);
    if (one.value) return input ? Truth{false, same(*input, *one.value), {}} : Truth{true, true, {name}};
    Truth inside{false, true, {}};
    if (one.low) inside = both(inside, beyond(name, *one.low, one.low_open, 1));
    if (one.high) inside = both(inside, beyond(name, *one.high, one.high_open, -1));
    return inside;
  }

  // sign 1: the input lies above the end; -1: below.
  Truth beyond(const std::string& name, const End& end, bool open_end, int sign) const {
    const Value* input = value_of(name);
    if (input && input->is_null()) return {};  // what does not apply lies nowhere
    const Value stated(end.number);
    const Value* limit = end.fact.empty() ? &stated : value_of(end.fact);
    Truth truth{!input || !limit, true, {}};
    if (!input) truth.facts.insert(name);
    if (!limit) truth.facts.insert(end.fact);
    if (truth.open) return truth;
    const double distance = sign * (input->as_number() - limit->as_number());
    truth.yes = open_end ? distance > 0 : distance >= 0;
    return truth;
  }

  const Table& table_;
  const Facts& facts_;
};

/// What a table comes to where it is certain which rules apply. `broken`: the rules contradict the policy.
struct Certain {
  bool broken = false, hit = false;
  Value output;

  friend bool operator==(const Certain& one, const Certain& other) {
    return one.broken == other.broken && one.hit == other.hit && same(one.output, other.output);
  }
};

std::vector<std::size_t> places(const Table& table, const Value& output) {
  std::vector<std::size_t> all;
  for (const auto& [entry, values] : table.priorities) {
    const Value* part = entry.empty() ? &output : output.is_map() ? output.find(entry) : nullptr;
    const auto found = std::find_if(values.begin(), values.end(), [&](const Value& value) { return part && same(*part, value); });
    all.push_back(static_cast<std::size_t>(found - values.begin()));
  }
  return all;
}

Value list_of(const std::vector<Value>& outputs) {
  Value list = Value::list();
  for (const Value& output : outputs) list.push_back(output);
  return list;
}

Certain result(const Table& table, const std::vector<bool>& applies) {
  std::vector<Value> outputs;
  for (std::size_t at = 0; at < table.rules.size(); ++at) {
    if (applies[at]) outputs.push_back(table.rules[at].output);
  }
  const std::string& policy = table.policy;
  if (policy == "C#") return {false, true, static_cast<double>(outputs.size())};
  const bool list = policy == "R" || policy == "O" || policy == "C";
  if (outputs.empty()) {
    if (table.otherwise) return {false, true, *table.otherwise};
    if (list) return {false, true, Value::list()};
    return policy == "C+" ? Certain{false, true, 0.0} : Certain{};
  }
  if (policy == "P" || policy == "O") {
    std::stable_sort(outputs.begin(), outputs.end(), [&](const Value& one, const Value& other) { return places(table, one) < places(table, other); });
  }
  if (list) return {false, true, list_of(outputs)};
  if (policy == "U" && outputs.size() > 1) return {true, false, {}};
  if (policy == "A" && !std::all_of(outputs.begin(), outputs.end(), [&](const Value& output) { return same(output, outputs[0]); }))
    return {true, false, {}};
  if (!policy.starts_with("C")) return {false, true, outputs[0]};
  double total = policy == "C+" ? 0 : outputs[0].as_number();
  for (const Value& output : outputs) {
    const double number = output.as_number();
    total = policy == "C+" ? total + number : policy == "C<" ? std::min(total, number) : std::max(total, number);
  }
  return {false, true, total};
}

// Every way in which the open rules can turn out. Beyond 2^6 ways: none of them, each alone, each pair.
std::vector<std::vector<bool>> ways(std::size_t open) {
  constexpr std::size_t most = 6;
  std::vector<std::vector<bool>> all;
  if (open <= most) {
    for (std::size_t way = 0; way < (std::size_t{1} << open); ++way) {
      std::vector<bool>& bits = all.emplace_back(open);
      for (std::size_t at = 0; at < open; ++at) bits[at] = (way >> at & 1) != 0;
    }
    return all;
  }
  all.emplace_back(open);
  for (std::size_t one = 0; one < open; ++one) {
    for (std::size_t other = one; other < open; ++other) {
      std::vector<bool>& bits = all.emplace_back(open);
      bits[one] = bits[other] = true;
    }
  }
  return all;
}

class Worlds {
 public:
  Worlds(const Table& table, const std::vector<Truth>& truths) : table_(table), truths_(truths), certain_(truths.size()) {
    for (std::size_t at = 0; at < truths.size(); ++at) {
      if (truths[at].open) open_.push_back(at);
      certain_[at] = !truths[at].open && truths[at].yes;
    }
  }

  Answer answer() const {
    const Certain base = result(table_, certain_);
    if (base.broken) return {"failed", {}, {}};
    std::vector<bool> decides(open_.size());
    for (const auto& way : ways(open_.size())) {
      for (std::size_t at = 0; at < open_.size(); ++at) {
        if (way[at] && !decides[at]) decides[at] = matters(way, at);
      }
    }
    std::set<std::string> facts;
    for (std::size_t at = 0; at < open_.size(); ++at) {
      if (decides[at]) facts.insert(truths_[open_[at]].facts.begin(), truths_[open_[at]].facts.end());
    }
    if (!facts.empty()) return {"undetermined", {}, facts};
    return base.hit ? Answer{"decided", base.output, {}} : Answer{"no_hit", {}, {}};
  }

 private:
  // The result with and without one open rule. A way that breaks the policy is taken for one that does not happen.
  bool matters(std::vector<bool> way, std::size_t at) const {
    const Certain with = result(table_, applies(way));
    way[at] = false;
    const Certain without = result(table_, applies(way));
    return !with.broken && !without.broken && !(with == without);
  }

  std::vector<bool> applies(const std::vector<bool>& way) const {
    std::vector<bool> all = certain_;
    for (std::size_t at = 0; at < way.size(); ++at) all[open_[at]] = way[at];
    return all;
  }

  const Table& table_;
  const std::vector<Truth>& truths_;
  std::vector<bool> certain_;
  std::vector<std::size_t> open_;
};

}  // namespace

Answer decide(const Table& table, const Facts& facts) {
  const Row row(table, facts);
  std::vector<Truth> truths;
  for (const Rule& rule : table.rules) truths.push_back(row.rule(rule));
  return Worlds(table, truths).answer();
}

}  // namespace steelyard::oracle

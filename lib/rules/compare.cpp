// Two books side by side, and what hangs on one fact.
#include <algorithm>
#include <map>
#include <set>
#include <steelyard/rule_tools.hpp>

#include "core/text.hpp"
#include "rules/book.hpp"

namespace steelyard {

namespace {

using rules::BookData;
using rules::DecisionData;
using rules::RuleData;

Loaded<rules::Book> open(const std::string& name_or_folder) {
  if (name_or_folder == "reference" || name_or_folder == "field_guide") return {rules::embedded_book(name_or_folder), {}};
  return rules::load_book(std::filesystem::path(name_or_folder));
}

// ---- contents of rules, as far as they decide anything

std::string text_of(const rules::OutputData& output) {
  std::string text;
  for (const auto& field : output.fields) text += field.name + "=" + field.expression.text + ";";
  return text;
}

std::string text_of(const DecisionData& decision, const RuleData& rule) {
  std::string text = rule.condition ? rule.condition->text : "";
  for (std::size_t at = 0; at < rule.cells.size(); ++at) {
    if (!rule.cells[at].any) text += decision.inputs[at].expression.text + ":" + rule.cells[at].text + ";";
  }
  return text + "|" + text_of(rule.then) + "|" + rule.because.text;
}

struct Part {
  std::string decision, content;
  SourceLocation where;
};

// Rules by id; a decision itself by its id, with what is common to its rules.
std::map<std::string, Part> parts_of(const BookData& book) {
  std::map<std::string, Part> parts;
  for (const DecisionData& decision : book.decisions) {
    const bool expression = decision.policy == rules::HitPolicy::expression;
    std::string common = std::string(rules::policy_name(decision.policy)) + "|" + decision.unit_text;
    for (const auto& [entry, values] : decision.priorities) common += "|" + entry + ":" + to_json(values);
    if (decision.otherwise) common += "|" + text_of(*decision.otherwise);
    if (expression && !decision.rules.empty()) common += "|" + text_of(decision, decision.rules.front());
    parts[decision.id] = {decision.id, std::move(common), decision.where};
    if (expression) continue;
    for (const RuleData& rule : decision.rules) parts[rule.id] = {decision.id, text_of(decision, rule), rule.where};
  }
  return parts;
}

RuleChange change(const char* kind, const std::string& rule, const std::string& decision) {
  RuleChange change;
  change.kind = kind;
  change.rule = rule;
  change.decision = decision;
  return change;
}

// ---- verdicts

using Verdicts = std::map<std::string, VerdictChange::Side>;

VerdictChange::Side side(const std::string& verdict, const Reason& reason) { return {verdict, reason.rule, reason.message}; }

Verdicts verdicts_of(const Decision& decision) {
  Verdicts verdicts;
  for (const RankedOffer& ranked : decision.ranking) {
    verdicts[ranked.offer] =
        ranked.estimate.reasons.empty() ? VerdictChange::Side{"accept", "", ""} : side("accept", ranked.estimate.reasons.front());
  }
  for (const RejectedOffer& rejected : decision.rejected) verdicts[rejected.offer] = side("reject", rejected.reason);
  for (const RejectedOffer& undecided : decision.undecided) verdicts[undecided.offer] = side("unknown", undecided.reason);
  return verdicts;
}

}  // namespace

Loaded<RuleBookDiff> diff_rule_books(const std::string& before, const std::string& after) {
  const auto one = open(before), other = open(after);
  Issues issues = one.issues;
  issues.insert(issues.end(), other.issues.begin(), other.issues.end());
  if (!one || !other) return {std::nullopt, std::move(issues)};
  RuleBookDiff diff{before, after, {}, {}, 0};
  const auto old_parts = parts_of(one.value->data()), new_parts = parts_of(other.value->data());
  for (const auto& [id, part] : old_parts) {
    const auto found = new_parts.find(id);
    if (found == new_parts.end()) {
      diff.rules.push_back(change("removed", id, part.decision));
      diff.rules.back().before = part.where;
    } else if (found->second.content != part.content) {
      diff.rules.push_back(change("changed", id, part.decision));
      diff.rules.back().before = part.where;
      diff.rules.back().after = found->second.where;
    }
  }
  for (const auto& [id, part] : new_parts) {
    if (old_parts.contains(id)) continue;
    diff.rules.push_back(change("added", id, part.decision));
    diff.rules.back().after = part.where;
  }
  return {std::move(diff), std::move(issues)};
}

void compare_decisions(const Decision& before, const Decision& after, RuleBookDiff& diff) {
  const Verdicts one = verdicts_of(before), other = verdicts_of(after);
  diff.offers_compared += one.size();
  for (const auto& [offer, side] : one) {
    const auto found = other.find(offer);
    if (found != other.end() && found->second.verdict != side.verdict) diff.offers.push_back({offer, side, found->second});
  }
}

namespace {

class Impact {
 public:
  Impact(const BookData& book, int slot) : book_(book) { affected_.insert(slot); }

  void run(RuleImpact& impact) {
    std::set<std::string> steps;
    for (const int index : book_.order) {
      const DecisionData& decision = book_.decisions[static_cast<std::size_t>(index)];
      RuleImpact::Affected entry{decision.id, decision.step, false, {}, {}};
      for (const int need : decision.needs) {
        if (affected_.contains(need)) entry.through.push_back(book_.name_of(need));
      }
      if (entry.through.empty()) continue;
      entry.direct = std::find(entry.through.begin(), entry.through.end(), impact.name) != entry.through.end();
      for (const RuleData& rule : decision.rules) {
        if (touches(decision, rule)) entry.rules.push_back(rule.id);
      }
      affected_.insert(decision.slot);
      if (!decision.step.empty()) steps.insert(decision.step);
      impact.decisions.push_back(std::move(entry));
    }
    impact.steps.assign(steps.begin(), steps.end());
  }

 private:
  // Computed inputs are looked through to what they read.
  void mark(int slot, bool& found) const {
    if (slot < book_.first_input()) {
      found = found || affected_.contains(slot);
      return;
    }
    const auto [decision, input] = book_.computed_inputs[static_cast<std::size_t>(slot - book_.first_input())];
    const auto& expression = book_.decisions[static_cast<std::size_t>(decision)].inputs[static_cast<std::size_t>(input)].expression;
    rules::each_slot(expression.expr, [&](int inner) { mark(inner, found); });
  }

  bool touches(const DecisionData& decision, const RuleData& rule) const {
    bool found = false;
    const auto visit = [&](int slot) { mark(slot, found); };
    if (rule.condition) rules::each_slot(rule.condition->expr, visit);
    for (std::size_t at = 0; at < rule.cells.size(); ++at) {
      if (rule.cells[at].any) continue;
      visit(decision.inputs[at].slot);
      rules::each_slot(rule.cells[at], visit);
    }
    for (const auto& field : rule.then.fields) rules::each_slot(field.expression.expr, visit);
    return found;
  }

  const BookData& book_;
  std::set<int> affected_;
};

}  // namespace

Loaded<RuleImpact> rule_impact(const std::string& name_or_folder, const std::string& name) {
  auto book = open(name_or_folder);
  if (!book) return {std::nullopt, std::move(book.issues)};
  const BookData& data = book.value->data();
  const auto found = data.slots.find(name);
  if (found == data.slots.end()) {
    std::vector<std::string> known;
    for (const auto& entry : data.slots) known.push_back(entry.first);
    const auto near = nearest_words(name, known, 1);
    Issue& issue = book.issues.emplace_back();
    issue.message = "no fact or decision '" + name + "' in book " + name_or_folder;
    issue.fix = near.empty() ? "name a fact such as configuration.gpus" : "did you mean " + near[0] + "?";
    return {std::nullopt, std::move(book.issues)};
  }
  RuleImpact impact{name_or_folder, name, {}, {}};
  Impact(data, found->second).run(impact);
  return {std::move(impact), std::move(book.issues)};
}

namespace {

Value to_list(const std::vector<std::string>& words) {
  Value list = Value::list();
  for (const std::string& word : words) list.push_back(word);
  return list;
}

Value to_value(const VerdictChange::Side& side) { return Value::Map{{"verdict", side.verdict}, {"rule", side.rule}, {"reason", side.reason}}; }

Value place_or_null(const SourceLocation& where) { return where.file.empty() ? Value() : Value(to_string(where)); }

}  // namespace

Value to_value(const RuleBookDiff& diff) {
  Value value = Value::Map{
      {"schema", "steelyard.rules_diff/1"}, {"before", diff.before}, {"after", diff.after}, {"rules", Value::list()}, {"offers", Value::list()}};
  for (const RuleChange& change : diff.rules) {
    value["rules"].push_back(Value::Map{{"kind", change.kind},
                                        {"rule", change.rule},
                                        {"decision", change.decision},
                                        {"before", place_or_null(change.before)},
                                        {"after", place_or_null(change.after)}});
  }
  for (const VerdictChange& change : diff.offers)
    value["offers"].push_back(Value::Map{{"offer", change.offer}, {"before", to_value(change.before)}, {"after", to_value(change.after)}});
  value["offers_compared"] = diff.offers_compared;
  return value;
}

Value to_value(const RuleImpact& impact) {
  Value value = Value::Map{{"schema", "steelyard.rules_impact/1"},
                           {"book", impact.book},
                           {"name", impact.name},
                           {"steps", to_list(impact.steps)},
                           {"decisions", Value::list()}};
  for (const auto& entry : impact.decisions) {
    value["decisions"].push_back(Value::Map{{"decision", entry.decision},
                                            {"step", entry.step},
                                            {"direct", entry.direct},
                                            {"through", to_list(entry.through)},
                                            {"rules", to_list(entry.rules)}});
  }
  return value;
}

}  // namespace steelyard

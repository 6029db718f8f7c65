// Names -> slots, requirement graph, kinds and units.
#include <algorithm>
#include <set>

#include "core/text.hpp"
#include "rules/book.hpp"
#include "rules/graph/graph.hpp"

namespace steelyard::rules {

namespace {

// The names that the expressions of one decision see: its inputs before all others.
class DecisionScope : public Scope {
 public:
  DecisionScope(BookData& book, const DecisionData* decision, std::size_t visible) : book_(book), decision_(decision), visible_(visible) {}
  explicit DecisionScope(BookData& book) : DecisionScope(book, nullptr, 0) {}
  DecisionScope(BookData& book, const DecisionData& decision) : DecisionScope(book, &decision, decision.inputs.size()) {}

  void allow_output() { output_ = true; }

  std::optional<Meaning> find(const std::string& name) const override {
    for (std::size_t at = 0; at < visible_; ++at) {
      if (decision_->inputs[at].name == name) return book_.meanings[static_cast<std::size_t>(decision_->inputs[at].slot)];
    }
    if (output_ && name == "output") return book_.meanings[static_cast<std::size_t>(decision_->slot)];
    const auto found = book_.slots.find(name);
    return found == book_.slots.end() ? std::nullopt : std::optional(book_.meanings[static_cast<std::size_t>(found->second)]);
  }
  const Meaning* meaning(int slot) const override { return &book_.meanings[static_cast<std::size_t>(slot)]; }
  int name_number(const std::string& name) const override { return book_.part_number(name); }
  std::shared_ptr<const Model> model(const std::string& name) const override {
    const auto found = book_.models.find(name);
    return found == book_.models.end() ? nullptr : found->second;
  }
  std::vector<std::string> model_names() const override {
    std::vector<std::string> names;
    for (const auto& entry : book_.models) names.push_back(entry.first);
    return names;
  }
  std::vector<std::string> known_names() const override {
    std::vector<std::string> names;
    for (std::size_t at = 0; at < visible_; ++at) names.push_back(decision_->inputs[at].name);
    for (const auto& entry : book_.slots) names.push_back(entry.first);
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  BookData& book_;
  const DecisionData* decision_;
  std::size_t visible_;
  bool output_ = false;
};

class Linker {
 public:
  Linker(BookData& book, Issues& issues) : book_(book), issues_(issues) {}

  void run() {
    number_names();
    for (DecisionData& decision : book_.decisions) resolve_decision(decision);
    if (!order()) return;
    for (const int index : book_.order) check_decision(book_.decisions[static_cast<std::size_t>(index)]);
    for (DecisionData& decision : book_.decisions) finish_sentences(decision);
    for (DecisionData& decision : book_.decisions) prepare_conditions(decision);
    for (int slot = 0; slot < book_.slot_count(); ++slot) book_.unknowns.push_back(book_.heap.unknown({slot}));
  }

 private:
  void issue(const SourceLocation& where, std::string message, std::string fix) {
    issues_.push_back({Severity::error, where, std::move(message), std::move(fix), {}});
  }
  void report(const Faults& faults, const SourceLocation& where, const std::string& owner) {
    for (const Fault& fault : faults) issues_.push_back(fault_issue(fault, where, owner));
  }

  void number_names() {
    book_.fact_count = static_cast<int>(book_.facts.size());
    book_.decision_count = static_cast<int>(book_.decisions.size());
    for (FactData& fact : book_.facts) {
      add_name(fact.name, "fact", fact.where);
      const auto dot = fact.name.find('.');
      if (dot != std::string::npos) book_.fact_groups[fact.name.substr(0, dot)].push_back(static_cast<int>(book_.names.size()) - 1);
      Meaning& meaning = book_.meanings.back();
      meaning.type = fact.type;
      meaning.unit = fact.unit;
      meaning.fact = true;
      meaning.words = &fact.words;
    }
    for (DecisionData& decision : book_.decisions) {
      decision.slot = static_cast<int>(book_.names.size());
      add_name(decision.id, "decision", decision.where);
      collect_keys(decision);
      book_.meanings.back().keys = &decision.keys;
    }
    number_rules();
    check_answers();
  }

  void check_answers() {
    for (const auto& [name, where] : book_.answers) {
      const auto found = book_.slots.find(name);
      if (found != book_.slots.end() && book_.is_decision(found->second)) continue;
      std::vector<std::string> names;
      for (const DecisionData& decision : book_.decisions) names.push_back(decision.id);
      const auto near = nearest_words(name, names, 1);
      issue(where, "answers: no decision '" + name + "'", near.empty() ? "name decisions of this book" : "did you mean " + near[0] + "?");
    }
  }

  // A rule of a layer may stand before those of the book below: the layer is to blame all the same.
  void number_rules() {
    std::unordered_map<std::string, const RuleData*> rules;
    for (const DecisionData& decision : book_.decisions) {
      for (const RuleData& rule : decision.rules) {
        if (decision.policy == HitPolicy::expression) continue;
        const auto [found, added] = rules.emplace(rule.id, &rule);
        if (added) continue;
        const bool earlier = found->second->layer <= rule.layer;
        const RuleData &first = earlier ? *found->second : rule, &second = earlier ? rule : *found->second;
        const std::string fix = first.layer == second.layer ? "give each rule an id of its own" : "put it under `replace:`, or give it another id";
        issue(second.where, "rule " + rule.id + ": the id stands twice, first at " + to_string(first.where), fix);
      }
    }
  }

  void add_name(const std::string& name, const std::string& kind, const SourceLocation& where) {
    const int slot = static_cast<int>(book_.names.size());
    const auto [found, added] = book_.slots.emplace(name, slot);
    if (!added) {
      const bool fact = found->second < book_.first_decision();
      const SourceLocation first = fact ? book_.facts[static_cast<std::size_t>(found->second)].where : book_.decision_at(found->second).where;
      const bool below = !fact && kind == "decision" && book_.decision_at(found->second).layer != book_.decision_at(slot).layer;
      issue(where, kind + " " + name + ": the name stands twice, first at " + to_string(first),
            below ? "put it under `replace:`, or use another name" : "use another name, or take one out");
    }
    book_.names.push_back(name);
    book_.meanings.emplace_back().slot = slot;
  }

  static void collect_keys(DecisionData& decision) {
    const auto add = [&](const OutputData& output) {
      for (const auto& field : output.fields) {
        const bool known = field.name.empty() || std::find(decision.keys.begin(), decision.keys.end(), field.name) != decision.keys.end();
        if (!known) decision.keys.push_back(field.name);
      }
    };
    if (gives_list(decision.policy)) return;
    for (const RuleData& rule : decision.rules) add(rule.then);
    if (decision.otherwise) add(*decision.otherwise);
  }

  // ---- resolve

  std::string rule_owner(const DecisionData& decision, const RuleData& rule) const {
    return (decision.policy == HitPolicy::expression ? "decision " : "rule ") + rule.id;
  }

  void resolve_one(Expression& expression, const Scope& scope, const std::string& owner) {
    Faults faults;
    resolve(expression.expr, scope, ExprMode::book, faults);
    report(faults, expression.where, owner);
  }

  void resolve_output(OutputData& output, const Scope& scope, const std::string& owner) {
    for (auto& field : output.fields) resolve_one(field.expression, scope, owner + (field.name.empty() ? "" : " " + field.name));
  }

  void resolve_inputs(DecisionData& decision) {
    for (std::size_t at = 0; at < decision.inputs.size(); ++at) {
      InputData& input = decision.inputs[at];
      resolve_one(input.expression, DecisionScope(book_, &decision, at),
                  input.owner.empty() ? "decision " + decision.id + ": input " + input.name : input.owner);
      if (input.expression.expr.op == Op::slot) {
        input.slot = input.expression.expr.number;
        continue;
      }
      input.computed = true;
      input.slot = book_.slot_count();
      book_.computed_inputs.emplace_back(static_cast<int>(&decision - book_.decisions.data()), static_cast<int>(at));
      book_.names.push_back(decision.id + "/" + input.name);
      book_.meanings.emplace_back().slot = input.slot;
    }
  }

  void resolve_decision(DecisionData& decision) {
    resolve_inputs(decision);
    const DecisionScope scope(book_, decision);
    for (RuleData& rule : decision.rules) {
      const std::string owner = rule_owner(decision, rule);
      if (rule.condition) resolve_one(*rule.condition, scope, owner + ": when");
      for (std::size_t at = 0; at < rule.cells.size(); ++at) {
        Faults faults;
        resolve_cell(rule.cells[at], scope, faults);
        report(faults, rule.cells[at].where, owner + ": when " + decision.inputs[at].name);
      }
      resolve_output(rule.then, scope, owner + (decision.policy == HitPolicy::expression ? ": value" : ": then"));
    }
    if (decision.otherwise) resolve_output(*decision.otherwise, scope, "decision " + decision.id + ": default");
  }

  // ---- order

  static void collect_models(DecisionData& decision) {
    std::set<std::string> names;
    const auto add = [&](const Model& model) { names.insert(model.function.name); };
    for (const InputData& input : decision.inputs) each_model(input.expression.expr, add);
    for (const RuleData& rule : decision.rules) {
      if (rule.condition) each_model(rule.condition->expr, add);
      for (const auto& field : rule.then.fields) each_model(field.expression.expr, add);
      for (const Cell& cell : rule.cells) {
        for (const Test& test : cell.tests) {
          each_model(test.low, add);
          each_model(test.high, add);
        }
      }
    }
    decision.models.assign(names.begin(), names.end());
  }

  void collect_needs(DecisionData& decision) {
    std::set<int> slots;
    std::function<void(int)> add = [&](int slot) {
      if (slot < book_.first_input()) {
        slots.insert(slot);
        return;
      }
      const auto [owner, input] = book_.computed_inputs[static_cast<std::size_t>(slot - book_.first_input())];
      each_slot(book_.decisions[static_cast<std::size_t>(owner)].inputs[static_cast<std::size_t>(input)].expression.expr, add);
    };
    for (const InputData& input : decision.inputs) add(input.slot);
    for (const RuleData& rule : decision.rules) {
      if (rule.condition) each_slot(rule.condition->expr, add);
      for (const Cell& cell : rule.cells) each_slot(cell, add);
      for (const auto& field : rule.then.fields) each_slot(field.expression.expr, add);
    }
    if (decision.otherwise) {
      for (const auto& field : decision.otherwise->fields) each_slot(field.expression.expr, add);
    }
    decision.needs.assign(slots.begin(), slots.end());
  }

  bool order() {
    std::vector<std::vector<int>> needs(book_.decisions.size());
    for (std::size_t at = 0; at < needs.size(); ++at) {
      collect_needs(book_.decisions[at]);
      collect_models(book_.decisions[at]);
      for (const int slot : book_.decisions[at].needs) {
        if (book_.is_decision(slot)) needs[at].push_back(slot - book_.first_decision());
      }
    }
    GraphOrder graph = order_graph(needs);
    for (const auto& cycle : graph.cycles) report_cycle(cycle);
    book_.order = std::move(graph.order);
    return graph.cycles.empty();
  }

  void report_cycle(const std::vector<int>& cycle) {
    std::string text, places;
    for (const int index : cycle) {
      const DecisionData& decision = book_.decisions[static_cast<std::size_t>(index)];
      text += decision.id + " -> ";
      places += (places.empty() ? "" : ", ") + decision.id + " at " + to_string(decision.where);
    }
    const DecisionData& first = book_.decisions[static_cast<std::size_t>(cycle[0])];
    issue(first.where, "decisions need each other: " + text + first.id + " (" + places + ")", "take one of these needs out");
  }

  // ---- check

  void check_one(Expression& expression, const Scope& scope, const std::string& owner) {
    Faults faults;
    check(expression.expr, scope, book_.heap, faults);
    report(faults, expression.where, owner);
  }

  void check_decision(DecisionData& decision) {
    const DecisionScope scope(book_, decision);
    for (InputData& input : decision.inputs) {
      if (!input.computed) continue;
      check_one(input.expression, scope, "decision " + decision.id + ": input " + input.name);
      Meaning& meaning = book_.meanings[static_cast<std::size_t>(input.slot)];
      meaning.type = input.expression.expr.type;
      meaning.unit = input.expression.expr.unit;
    }
    for (RuleData& rule : decision.rules) check_rule(decision, rule, scope);
    if (decision.otherwise) check_output(*decision.otherwise, scope, "decision " + decision.id + ": default");
    conclude(decision);
  }

  void check_rule(DecisionData& decision, RuleData& rule, const Scope& scope) {
    const std::string owner = rule_owner(decision, rule);
    if (rule.condition) {
      check_one(*rule.condition, scope, owner + ": when");
      const Expr& condition = rule.condition->expr;
      if (condition.type != Type::any && condition.type != Type::boolean) {
        report({{0, "expected a condition, found a " + std::string(type_name(condition.type)), "compare it with something, as in x > 1"}},
               rule.condition->where, owner + ": when");
      }
    }
    for (std::size_t at = 0; at < rule.cells.size(); ++at) {
      Faults faults;
      check_cell(rule.cells[at], book_.meanings[static_cast<std::size_t>(decision.inputs[at].slot)], scope, book_.heap, faults);
      report(faults, rule.cells[at].where, owner + ": when " + decision.inputs[at].name);
    }
    check_output(rule.then, scope, owner + (decision.policy == HitPolicy::expression ? ": value" : ": then"));
  }

  void check_output(OutputData& output, const Scope& scope, const std::string& owner) {
    for (auto& field : output.fields) check_one(field.expression, scope, owner + (field.name.empty() ? "" : " " + field.name));
  }

  // The kind, unit and words of a decision are those on which all its outputs agree.
  void conclude(DecisionData& decision) {
    std::vector<OutputData*> outputs;
    for (RuleData& rule : decision.rules) outputs.push_back(&rule.then);
    if (decision.otherwise) outputs.push_back(&*decision.otherwise);
    if (!decision.unit_text.empty()) give_unit(decision, outputs);
    for (OutputData* output : outputs) assemble(*output);
    Meaning& meaning = book_.meanings[static_cast<std::size_t>(decision.slot)];
    if (gives_list(decision.policy)) {
      meaning.type = Type::list;
    } else if (decision.policy == HitPolicy::collect_count) {
      meaning.type = Type::number;
    } else if (!outputs.empty()) {
      agree(decision, outputs, meaning);
    }
    decision.type = meaning.type;
    decision.unit = meaning.unit;
  }

  void give_unit(DecisionData& decision, const std::vector<OutputData*>& outputs) {
    const auto unit = parse_unit(decision.unit_text);
    if (!unit) {
      const auto near = nearest_words(decision.unit_text, unit_words(), 1);
      return issue(decision.where, "decision " + decision.id + ": unknown unit '" + decision.unit_text + "'",
                   near.empty() ? "write it like GiB, Gbit/s, USD/h, or 1 for a pure number" : "did you mean " + near[0] + "?");
    }
    for (OutputData* output : outputs) {
      for (auto& field : output->fields) {
        Faults faults;
        if (field.expression.expr.type == Type::number) convert(field.expression.expr, *unit, faults, "unit");
        if (!field.expression.expr.unit.stated) field.expression.expr.unit = *unit;
        report(faults, field.expression.where, "decision " + decision.id);
      }
    }
  }

  void agree(DecisionData& decision, const std::vector<OutputData*>& outputs, Meaning& meaning) {
    const auto is_null = [](const Expr& expr) { return expr.type == Type::null; };
    bool first = true, literal = true;
    for (const OutputData* output : outputs) {
      const Expr& whole = output->whole;
      if (is_null(whole)) continue;
      if (first) {
        meaning.type = whole.type;
        meaning.unit = whole.unit;
      } else {
        if (meaning.type != whole.type) meaning.type = Type::any;
        if (!meaning.unit.same_dimension(whole.unit) || meaning.unit.scale != whole.unit.scale || !whole.unit.stated) meaning.unit = {};
      }
      first = false;
      literal = literal && whole.op == Op::literal && whole.value.kind == Kind::text;
      if (literal) decision.words.push_back(*whole.value.text);
    }
    if (!literal) decision.words.clear();
    std::sort(decision.words.begin(), decision.words.end());
    decision.words.erase(std::unique(decision.words.begin(), decision.words.end()), decision.words.end());
    meaning.words = &decision.words;
  }

  void assemble(OutputData& output) {
    if (output.fields.size() == 1 && output.fields[0].name.empty()) {
      output.whole = output.fields[0].expression.expr;
    } else {
      assemble_map(output);
    }
    if (output.whole.op == Op::literal) output.constant = to_value(output.whole.value);
  }

  void assemble_map(OutputData& output) {
    output.whole.op = Op::make_map;
    output.whole.type = Type::map;
    for (const auto& field : output.fields) {
      Expr key;
      key.value = book_.heap.text(field.name);
      output.whole.args.push_back(std::move(key));
      output.whole.args.push_back(field.expression.expr);
    }
    Faults none;
    check(output.whole, DecisionScope(book_), book_.heap, none);  // folds constant maps
  }

  static void prepare_conditions(DecisionData& decision) {
    for (RuleData& rule : decision.rules) {
      if (rule.condition) rule.terms = quick_terms(rule.condition->expr);
      for (std::size_t at = 0; at < rule.cells.size(); ++at) {
        if (!rule.cells[at].any && !rule.cells[at].tests.empty()) rule.quick.push_back(quick(rule.cells[at], decision.inputs[at].slot));
      }
    }
  }

  // ---- sentences: they may name everything, their own decision included

  void finish_sentences(DecisionData& decision) {
    DecisionScope scope(book_, decision);
    scope.allow_output();
    for (RuleData& rule : decision.rules) {
      finish_sentence(rule.because, scope, rule_owner(decision, rule) + ": because");
      for (Translation& translation : rule.translations) {
        finish_sentence(translation.because, scope, rule_owner(decision, rule) + ": because " + std::string(to_string(translation.language)));
      }
    }
  }

  void finish_sentence(Sentence& sentence, const Scope& scope, const std::string& owner) {
    for (Sentence::Piece& piece : sentence.pieces) {
      if (!piece.computed) continue;
      resolve_one(piece.expression, scope, owner);
      check_one(piece.expression, scope, owner);
    }
  }

  BookData& book_;
  Issues& issues_;
};

}  // namespace

void link(BookData& book, Issues& issues) { Linker(book, issues).run(); }

}  // namespace steelyard::rules

// Facts, inputs, outputs and decisions that nothing reads.
#include <algorithm>
#include <set>

#include "core/text.hpp"
#include "rules/lint/checks.hpp"
#include "rules/lint/expression_text.hpp"

namespace steelyard::rules::analysis {

namespace {

// What expressions read: slots, and of decisions with named outputs either single ones or the whole.
struct Reads {
  std::set<int> slots;
  std::set<std::string> names;  // as written
  std::set<int> whole;
  std::set<std::pair<int, std::string>> keys;

  void add(const Expr& expr) {
    if (expr.op == Op::slot) {
      slots.insert(expr.number);
      names.insert(expr.text);
      whole.insert(expr.number);
    }
    const bool key = (expr.op == Op::select || expr.op == Op::has) && !expr.args.empty() && expr.args[0].op == Op::slot;
    if (expr.op == Op::select && key) {
      slots.insert(expr.args[0].number);
      names.insert(expr.args[0].text);
      keys.emplace(expr.args[0].number, expr.text);
      return;
    }
    for (const Expr& argument : expr.args) add(argument);
  }
  void add(const Cell& cell) {
    for (const Test& test : cell.tests) {
      add(test.low);
      add(test.high);
    }
  }
  void add(const Sentence& sentence) {
    for (const Sentence::Piece& piece : sentence.pieces) {
      if (piece.computed) add(piece.expression.expr);
    }
  }
  void add(const OutputData& output) {
    for (const auto& field : output.fields) add(field.expression.expr);
  }
};

class UseCheck {
 public:
  UseCheck(const BookData& book, const Reach& reach, Findings& findings) : book_(book), reach_(reach), findings_(findings) {}

  void run() {
    Reads all;
    for (std::size_t at = 0; at < book_.decisions.size(); ++at) {
      const DecisionData& decision = book_.decisions[at];
      add_rules(decision, all, nullptr);
      check_inputs(decision);
    }
    check_facts(all);
    check_decisions();
    if (!book_.answers.empty()) check_outputs(all);
  }

 private:
  // Everything that a decision reads; without the rules that never apply where `dead` is given.
  void add_rules(const DecisionData& decision, Reads& reads, const std::vector<bool>* dead) const {
    std::vector<bool> needed(decision.inputs.size(), !dead);
    for (std::size_t number = 0; number < decision.rules.size(); ++number) {
      if (dead && (*dead)[number]) continue;
      const RuleData& rule = decision.rules[number];
      if (rule.condition) reads.add(rule.condition->expr);
      for (std::size_t at = 0; at < rule.cells.size(); ++at) {
        reads.add(rule.cells[at]);
        if (!rule.cells[at].any) needed[at] = true;
      }
      reads.add(rule.then);
      reads.add(rule.because);
    }
    if (decision.otherwise) reads.add(*decision.otherwise);
    for (std::size_t at = decision.inputs.size(); at-- > 0;) {  // a later input may read an earlier one
      const InputData& input = decision.inputs[at];
      if (needed[at] || reads.names.count(input.name) != 0) read_input(input, reads, uses_cells(decision, at));
    }
  }

  // An input that is a decision with named outputs is read as a whole only where a cell tests it.
  static void read_input(const InputData& input, Reads& reads, bool tested) {
    if (input.computed) return reads.add(input.expression.expr);
    reads.slots.insert(input.slot);
    if (tested) reads.whole.insert(input.slot);
  }

  static bool uses_cells(const DecisionData& decision, std::size_t input) {
    return std::any_of(decision.rules.begin(), decision.rules.end(),
                       [&](const RuleData& rule) { return input < rule.cells.size() && !rule.cells[input].any; });
  }

  void check_inputs(const DecisionData& decision) {
    Reads reads;
    for (const RuleData& rule : decision.rules) {
      if (rule.condition) reads.add(rule.condition->expr);
      for (const Cell& cell : rule.cells) reads.add(cell);
      reads.add(rule.then);
      reads.add(rule.because);
    }
    for (const InputData& input : decision.inputs) reads.add(input.expression.expr);
    if (decision.otherwise) reads.add(*decision.otherwise);
    for (std::size_t at = 0; at < decision.inputs.size(); ++at) {
      const InputData& input = decision.inputs[at];
      const bool itself = input.expression.text == input.name;  // a fact under its full name, made by a cell
      if (itself || uses_cells(decision, at) || reads.names.count(input.name) != 0) continue;
      findings_.add("unused_input", input.expression.where, "decision " + decision.id + ": no rule uses the input " + input.name, "take it out")
          .decision = decision.id;
    }
  }

  void check_facts(const Reads& all) {
    for (std::size_t slot = 0; slot < book_.facts.size(); ++slot) {
      const FactData& fact = book_.facts[slot];
      const bool shared = fact.where.file.starts_with("data/schema/");  // declared for all books
      if (shared || all.slots.count(static_cast<int>(slot)) != 0) continue;
      findings_.add("unused_fact", fact.where, "fact " + fact.name + ": no decision uses it", "take it out, or use it");
    }
  }

  bool is_answer(const DecisionData& decision) const {
    return std::any_of(book_.answers.begin(), book_.answers.end(), [&](const auto& answer) { return answer.first == decision.id; });
  }

  std::vector<std::set<int>> needs(bool live) const {
    std::vector<std::set<int>> needs;
    for (std::size_t at = 0; at < book_.decisions.size(); ++at) {
      Reads reads;
      add_rules(book_.decisions[at], reads, live ? &reach_.dead[at] : nullptr);
      auto& own = needs.emplace_back();
      for (const int slot : reads.slots) {
        if (book_.is_decision(slot)) own.insert(slot - book_.first_decision());
      }
      own.erase(static_cast<int>(at));  // a sentence may name its own decision
    }
    return needs;
  }

  // From the answers of the book (where it states none: from the decisions that no other needs) along the rules that can apply.
  void check_decisions() {
    const auto all = needs(false), live = needs(true);
    std::vector<bool> needed(book_.decisions.size(), false), reached(book_.decisions.size(), false);
    for (const auto& own : all) {
      for (const int index : own) needed[static_cast<std::size_t>(index)] = true;
    }
    std::vector<int> open;
    for (std::size_t at = 0; at < book_.decisions.size(); ++at) {
      const bool root = book_.answers.empty() ? !needed[at] : is_answer(book_.decisions[at]);
      if (root) open.push_back(static_cast<int>(at));
    }
    while (!open.empty()) {
      const auto at = static_cast<std::size_t>(open.back());
      open.pop_back();
      if (reached[at]) continue;
      reached[at] = true;
      open.insert(open.end(), live[at].begin(), live[at].end());
    }
    for (std::size_t at = 0; at < reached.size(); ++at) {
      if (!reached[at]) report_decision(book_.decisions[at], needed[at]);
    }
  }

  void report_decision(const DecisionData& decision, bool needed) {
    RuleFinding& finding = needed
                               ? findings_.add("unreachable_decision", decision.where,
                                               "decision " + decision.id + ": only rules that never apply and decisions that nobody asks for need it",
                                               "take it out, or correct what needs it")
                               : findings_.add("unused_decision", decision.where,
                                               "decision " + decision.id + ": no decision needs it, and it is none of the book's answers",
                                               "take it out, or name it under `answers`");
    finding.decision = decision.id;
  }

  void check_outputs(const Reads& all) {
    for (const DecisionData& decision : book_.decisions) {
      const bool read = all.slots.count(decision.slot) != 0 && all.whole.count(decision.slot) == 0;
      if (!read || is_answer(decision)) continue;
      for (const std::string& key : decision.keys) {
        if (key.empty() || all.keys.count({decision.slot, key}) != 0) continue;
        findings_.add("unused_output", decision.where, "decision " + decision.id + ": nothing reads its output " + key, "take it out of `then`")
            .decision = decision.id;
      }
    }
  }

  const BookData& book_;
  const Reach& reach_;
  Findings& findings_;
};

}  // namespace

void check_use(const BookData& book, const Reach& reach, Findings& findings) { UseCheck(book, reach, findings).run(); }

}  // namespace steelyard::rules::analysis

// Pieces of reading a rule file, shared by its .cpp files.
#pragma once

#include <string>

#include "load/fields.hpp"
#include "rules/book.hpp"

namespace steelyard::rules {

/// Where the first character of a scalar stands (behind its quote).
SourceLocation text_place(const load::Document& document, const load::Node& node);
/// The constant of a node: literals of the heap.
Expr constant(const load::Node& node, Heap& heap);

/// Dotted names: letters, digits, _ and dots.
bool is_name(const std::string& name);
/// Issues from `from` on that name no owner, or only its kind ("fact: name is missing"), get the owner's name.
void name_owner(Issues& issues, std::size_t from, const std::string& kind, const std::string& owner);

/// Reads one decision; `owner` prefixes its messages.
class DecisionReader {
 public:
  DecisionReader(const load::Document& document, BookData& book, Issues& issues) : document_(document), book_(book), issues_(issues) {}
  void read(const load::Node& node);
  /// Rules that a layer brings for a table below it: put before the rule at `place`, or over that rule.
  enum class Amend { insert, replace };
  void amend(DecisionData& decision, const load::Node& rules, Amend how, std::size_t place);
  /// The test rows of a changed table.
  void amend_tests(DecisionData& decision, load::Fields& fields);
  /// A rule's sentence in another language.
  void translate(RuleData& rule, Language language, const load::Node& sentence);
  /// Texts of a rule's `then` in another language, over those it has.
  void translate_texts(RuleData& rule, const load::Node& texts);

 private:
  void read_body(load::Fields& fields, const load::Node& node);
  void read_inputs(load::Fields& fields);
  void read_policy(load::Fields& fields);
  void read_table(load::Fields& fields);
  void read_value(load::Fields& fields, const load::Node& node);
  void read_rule(const load::Node& node);
  void fill_cells();
  void read_then(load::Fields& fields, const load::Node& node, RuleData& rule);
  void read_when(load::Fields& fields, RuleData& rule);
  void read_cells(const load::Node& when, RuleData& rule);
  Cell read_cell(const load::Node& node, const std::string& input);
  std::size_t input_number(const load::Entry& entry);
  void read_priorities(load::Fields& fields);
  void read_tests(load::Fields& fields);
  TestRow read_test(load::Fields& fields);
  OutputData read_output(const load::Node& node, bool expressions);
  Expression read_output_value(const load::Node& node, bool expressions);
  Expression parse(const std::string& text, const SourceLocation& where);
  void read_because(load::Fields& fields, RuleData& rule);
  Sentence sentence(const load::Node& node);
  void report(const Faults& faults, const SourceLocation& where);
  void issue(const SourceLocation& where, const std::string& message, const std::string& fix);

  const load::Document& document_;
  BookData& book_;
  Issues& issues_;
  DecisionData decision_;
  std::string owner_;  // "rule network.tier.pcie: when"
};

}  // namespace steelyard::rules

// What a book consists of after loading. Internal: only lib/rules includes it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <steelyard/issue.hpp>
#include <steelyard/value.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "rules/language/expression.hpp"
#include "rules/language/model.hpp"
#include "rules/lint/allowance.hpp"
#include "rules/rules.hpp"
#include "rules/tables/cell.hpp"
#include "rules/tables/condition.hpp"
#include "rules/tables/policy.hpp"

namespace steelyard::rules {

/// A declared fact.
struct FactData {
  std::string name;
  std::string about, source;
  Type type = Type::any;
  std::string unit_text;
  Unit unit;
  std::vector<std::string> words;  // `values` of a text
  std::optional<double> least, most;
  std::optional<Datum> on_unknown;  // stands in where the fact is missing
  SourceLocation where;
  Allowance lint;
};

/// A local name of a table: a fact or decision under another name, or an expression of its own.
struct InputData {
  std::string name;
  Expression expression;
  int slot = -1;          // where its value is kept; that of the fact or decision itself where it is nothing but that
  bool computed = false;  // has a slot of its own
  std::string owner;      // "rule x: when" where a rule names a fact or decision that is no declared input
};

/// `then`: one value, or named outputs.
struct OutputData {
  struct Field {
    std::string name;  // empty for a single value
    Expression expression;
  };
  std::vector<Field> fields;
  SourceLocation where;
  Expr whole;      // what is evaluated
  Value constant;  // where `whole` is a literal
};

/// A rule's sentence in another language than English.
struct Translation {
  Language language = Language::english;
  Sentence because;
};

struct RuleData {
  std::string id;
  SourceLocation where;
  std::vector<Cell> cells;  // one an input, in their order; empty where `condition` stands
  std::optional<Expression> condition;
  std::vector<QuickCell> quick;  // the cells that test anything
  std::vector<QuickTerm> terms;  // of the condition
  OutputData then;
  Sentence because;
  std::vector<Translation> translations;
  std::string source;
  int layer = 0;  // the book it comes from: a place in BookData::layers
  Allowance lint;
};

/// A row of a decision's `tests`.
struct TestRow {
  SourceLocation where;
  Value input;
  std::optional<Value> output;
  std::optional<std::string> rule, status;
  std::optional<std::vector<std::string>> unknown;
};

struct DecisionData {
  std::string id, about, source;
  std::string step;  // "network"
  SourceLocation where;
  HitPolicy policy = HitPolicy::expression;
  std::vector<InputData> inputs;
  std::vector<RuleData> rules;  // one without condition where the decision is an expression
  std::optional<OutputData> otherwise;
  std::vector<std::pair<std::string, std::vector<Value>>> priorities;  // output name -> values, most important first
  std::vector<TestRow> tests;
  std::string unit_text;
  // found by linking
  int slot = -1;
  Type type = Type::any;
  Unit unit;
  std::vector<std::string> keys;    // named outputs
  std::vector<std::string> words;   // all texts it can give, where they are fixed
  std::vector<int> needs;           // slots of facts and decisions, sorted
  std::vector<std::string> models;  // functions of the program that it calls, sorted
  int layer = 0;
  Allowance lint;
};

/// One book of a chain of books that extend each other: what it did to those below.
struct LayerData {
  std::string name;
  bool shipped = false;
  SourceLocation where;  // its `extends`; none for the lowest
  int added = 0, replaced = 0, off = 0;
  std::vector<std::pair<std::string, SourceLocation>> switched_off;  // ids, and where that is said
};

/// Slots: facts, then decisions in the order of the files, then computed inputs. Parts of facts ("offer.tags.iso") have negative numbers.
struct BookData {
  std::string name;
  Heap heap;
  std::vector<FactData> facts;
  std::vector<DecisionData> decisions;
  std::vector<std::pair<int, int>> computed_inputs;             // decision, input
  std::vector<std::pair<std::string, SourceLocation>> answers;  // decisions that are asked for from outside; none stated: unknown
  std::vector<int> order;                                       // decisions, each behind what it needs
  std::vector<std::string> names, parts;
  std::vector<Datum> unknowns;  // of each slot: unknown, hanging on itself
  std::vector<Meaning> meanings;
  std::unordered_map<std::string, int> slots;                        // of facts and decisions
  std::map<std::string, std::vector<int>, std::less<>> fact_groups;  // the slots of "group.name" and deeper, by group

  Models models;
  std::vector<LayerData> layers;  // the lowest first
  Language language = Language::english;

  int fact_count = 0, decision_count = 0;

  int first_decision() const { return fact_count; }
  int first_input() const { return fact_count + decision_count; }
  int part_number(const std::string& name);
  int slot_count() const { return first_input() + static_cast<int>(computed_inputs.size()); }
  const std::string& name_of(int number) const {
    return number < 0 ? parts[static_cast<std::size_t>(-1 - number)] : names[static_cast<std::size_t>(number)];
  }
  bool is_decision(int slot) const { return slot >= first_decision() && slot < first_input(); }
  const DecisionData& decision_at(int slot) const { return decisions[static_cast<std::size_t>(slot - first_decision())]; }
};

/// A chain of books, the lowest first, each over those before it; the last gives the name.
struct Layer {
  std::string name;
  std::vector<load::Document> documents;
  bool shipped = false;  // its sentences in other languages are in data/languages
};

/// What a book is loaded with.
struct LoadOptions {
  ModelFunctions functions;
  Language language = Language::english;
};
Loaded<Book> build_book(const std::vector<Layer>& layers, const LoadOptions& options);
/// The books below some documents, by their `extends`, before the documents themselves; the facts of data/schema come with a shipped book.
std::vector<Layer> chain_of_books(std::string name, std::vector<load::Document> documents, Issues& issues);
/// The rule files of a folder.
std::vector<load::Document> folder_documents(const std::filesystem::path& folder, Issues& issues);
std::vector<load::Document> schema_documents();
std::vector<load::Document> embedded_documents(std::string_view name);
Loaded<Book> load_book(std::string name, const std::vector<load::Document>& documents, const LoadOptions& options);
Loaded<Book> load_book(const std::filesystem::path& folder, const LoadOptions& options);
Loaded<Book> load_embedded(std::string_view name, const LoadOptions& options);

/// What a file changes in the books below: `off`, `replace`, `add`.
void apply_layer(const load::Document& document, BookData& book, Issues& issues);

/// Reads one file into a book: expressions parsed, names not yet resolved.
void read_rules(const load::Document& document, BookData& book, Issues& issues);

/// An issue for a fault in an expression: place from its offset, message with its owner ("rule network.tier.pcie: when: ...").
Issue fault_issue(const Fault& fault, const SourceLocation& where, const std::string& owner);

/// Do tables hold together: defaults, priorities and sums against the outputs, test rows against rules and inputs. After `link`, of books without
/// faults.
void check_tables(const BookData& book, Issues& issues);

/// Resolves names, orders the graph, checks kinds and units. Faults become issues.
void link(BookData& book, Issues& issues);

}  // namespace steelyard::rules

// The rule engine's door: books of rules (data), sessions that decide over facts, outcomes that explain themselves.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <steelyard/issue.hpp>
#include <steelyard/language.hpp>
#include <steelyard/rule_book.hpp>
#include <steelyard/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "load/node.hpp"

namespace steelyard::rules {

struct BookData;

/// A declared fact, or a decision, of one book: resolve the name once, then use the id.
struct FactId {
  int slot = -1;
};
struct DecisionId {
  int index = -1;
};

/// decided: the output is certain. undetermined: it hangs on facts that are not known. no_hit: no rule applies and the table has no default.
/// failed: two rules contradict under a policy that forbids it, or an expression failed.
enum class Status : unsigned char { decided, undetermined, no_hit, failed };

std::string_view to_string(Status status);

/// One rule that applied (or the expression of a decision, whose rule id is the decision's).
struct Hit {
  std::string rule;
  SourceLocation where;  // the rule's own item in its file
  std::string because;   // the sentence with its numbers
  Value inputs;          // what the rule's condition looked at: name -> value (null: not known)
  Value output;
};

/// One condition that failed: its text, what it met, and how far a number was off (in the unit of the input).
struct FailedCell {
  std::string input;
  std::string cell;
  Value actual;
  std::optional<double> gap;
};

/// A rule that did not apply and what stood against it.
struct NearMiss {
  std::string rule;
  SourceLocation where;
  Value output;
  std::vector<FailedCell> failed;
};

/// What one decision came to, and why.
struct Outcome {
  std::string decision;
  std::string step;    // "task", "network", ... from the folder of the file
  std::string policy;  // "first", ...; "expression" where the decision is one
  Status status = Status::failed;
  Value output;                      // null unless decided
  std::vector<Hit> hits;             // rules that apply for certain; with undetermined too
  std::vector<std::string> unknown;  // facts that are missing and would decide
  std::vector<NearMiss> near;        // nearest first: fewest failed conditions, then smallest distance
  Value inputs;                      // all inputs of the table: name -> value
  std::string error;                 // where failed: what failed, with its place
  SourceLocation where;              // the decision in its file
};

/// An immutable book of rules. Copies are cheap and share the data; safe to read from many threads.
class Book {
 public:
  explicit Book(std::shared_ptr<const BookData> data) : data_(std::move(data)) {}

  const std::string& name() const;
  /// Of the sentences of its rules.
  Language language() const;
  /// A book of the library itself, with nothing on top.
  bool shipped() const;
  std::optional<FactId> fact(std::string_view name) const;
  std::optional<DecisionId> decision(std::string_view id) const;
  /// In the order of the requirement graph: what a decision needs stands before it.
  std::vector<std::string> decision_names() const;
  std::vector<std::string> fact_names() const;
  /// The names of the facts and decisions that a decision needs directly, sorted.
  std::vector<std::string> needs(std::string_view id) const;
  /// Rules of a table; 1 of a decision that is an expression.
  int rule_count(DecisionId decision) const;
  /// An entry of a rule's output where it is written out as a text; empty where it is computed or not there.
  std::optional<std::string> fixed_text(DecisionId decision, int rule, std::string_view entry) const;
  /// Does a decision need, directly or through others, a fact whose name starts so? False where the book has no such decision.
  bool rests_on(std::string_view id, std::string_view start_of_fact) const;
  /// Everything that changes when this fact or decision changes, in the order of the graph.
  std::vector<std::string> dependents(std::string_view name) const;
  const BookData& data() const { return *data_; }

 private:
  std::shared_ptr<const BookData> data_;
};

/// A book of the library itself ("reference", "field_guide"). LoadError if it has faults (its tests hold that it has none).
Book embedded_book(std::string_view name, Language language = Language::english);
/// The same from documents, or from a folder of .yaml files (read recursively, in the order of their paths); all faults at once.
/// Embedded books and folders know the facts of data/schema; documents alone declare their own.
Loaded<Book> load_book(std::string name, const std::vector<load::Document>& documents);
Loaded<Book> load_book(const std::filesystem::path& folder);

/// A shipped book by its name, or a folder or file; functions of the program that its expressions may call.
Loaded<Book> open_book(const std::string& name_or_path, const ModelFunctions& functions = {}, Language language = Language::english);

/// Decides over one set of facts. Decisions that others need are made on demand and kept until a fact changes. Not thread-safe; cheap to make,
/// cheaper to reuse with `reset`.
class Session {
 public:
  /// `facts` is a map of maps; dotted names are its paths; what is missing is unknown, what is null is known not to apply.
  explicit Session(Book book, Value facts = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  /// Forgets all facts and decisions and starts over. `common` are facts that several sessions share: they are looked up where `facts` has none.
  void reset(Value facts = {}, std::shared_ptr<const Value> common = nullptr);
  /// Facts "group.name" by name, beside those given and instead of any of that group before; what was decided is forgotten.
  void add(std::string_view group, Value facts);
  /// Sets one fact, or fixes the output of a decision, by name; false where the book knows no such name.
  bool set(std::string_view name, Value value);
  /// The same by id, without a Value.
  void set(FactId fact, double value);
  void set(FactId fact, bool value);
  void set(FactId fact, std::string_view value);
  void set(FactId fact, Value value);
  /// Makes a fact unknown.
  void set_unknown(FactId fact);

  /// The full outcome, made once and kept until a fact changes. A name that the book does not have gives `failed` with the nearest names.
  const Outcome& decide(std::string_view decision);
  const Outcome& decide(DecisionId decision);
  /// The same without near misses and inputs, where only what applies counts; a full outcome that is there already stays.
  const Outcome& decide_briefly(DecisionId decision);

  /// Only the result: no sentences, no allocation for numbers and flags.
  Status status(DecisionId decision);
  /// Number of the first rule that applied (from 0), -1 where none did.
  int hit(DecisionId decision);
  /// Numbers of the rules that apply for certain, in the order of their outputs.
  const std::vector<int>& hits(DecisionId decision);
  Value output(DecisionId decision);
  /// The output, or one entry of a map output, as a number, flag or text; empty where it is none or not decided. The text lives until a fact changes.
  std::optional<double> number(DecisionId decision, std::string_view entry = {});
  std::optional<bool> flag(DecisionId decision, std::string_view entry = {});
  std::optional<std::string_view> text(DecisionId decision, std::string_view entry = {});

  const Book& book() const;

  struct State;
  State& state() { return *state_; }  // internal

 private:
  std::unique_ptr<State> state_;
};

/// Result of the test rows of a book: one issue at each row that fails.
struct TestReport {
  int passed = 0;
  int failed = 0;
  Issues issues;
};
TestReport run_tests(const Book& book);

}  // namespace steelyard::rules

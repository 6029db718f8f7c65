// Rule books inside a program: decide over facts, call functions of the program, take in changed files while running.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <steelyard/issue.hpp>
#include <steelyard/language.hpp>
#include <steelyard/source_location.hpp>
#include <steelyard/value.hpp>
#include <string>
#include <vector>

namespace steelyard {

namespace rules {
class Book;
}

/// A function of the program that the expressions of a book may call by its name. It must give the same for the same arguments, and several threads
/// may call it at once.
struct ModelFunction {
  struct Parameter {
    std::string name;
    std::string type = "number";  // number bool string list map any
    std::string unit;             // of a number: "GiB"; arguments in another unit of its kind are converted. Empty: any number
  };
  std::string name;  // dotted: "storage.price"
  std::string about;
  std::vector<Parameter> parameters;
  std::string type = "number", unit;  // of the result
  /// Called only where all arguments are known; where one is not, the result is not either. An empty result is not known. An exception fails the
  /// decision with its text.
  std::function<std::optional<Value>(const std::vector<Value>&)> call;
};
using ModelFunctions = std::vector<ModelFunction>;

/// What a decision came to: status is "decided", "undetermined" (see `unknown`), "no_hit" or "failed" (see `error`).
struct RuleOutcome {
  struct Hit {
    std::string rule, because;
    SourceLocation where;
    Value inputs, output;
  };
  std::string decision, status;
  Value output;  // null unless decided
  std::vector<Hit> hits;
  std::vector<std::string> unknown;  // facts that are missing and would decide
  std::string error;
};
Value to_value(const RuleOutcome& outcome);

/// A book without faults. Copies share it; any number of threads may decide at once. Its sentences are in one language: where a rule has none of its
/// own in that language, they are in English.
class RuleBook {
 public:
  /// A shipped book ("reference", "field_guide"), or a folder of rules.
  static Loaded<RuleBook> load(const std::string& name_or_folder, const ModelFunctions& functions = {}, Language language = Language::english);
  /// One file of rules at hand; `file` is its name in messages.
  static Loaded<RuleBook> from_text(std::string text, const std::string& file, const ModelFunctions& functions = {},
                                    Language language = Language::english);

  const std::string& name() const;
  std::vector<std::string> decisions() const;
  std::vector<std::string> facts() const;
  /// `facts` is a map of maps: the fact offer.region is its entry "offer", therein "region". What is missing is unknown. A decision that the book
  /// does not have fails with the nearest name.
  RuleOutcome decide(const std::string& decision, const Value& facts) const;

  const rules::Book& book() const { return *book_; }  // internal

 private:
  explicit RuleBook(std::shared_ptr<const rules::Book> book) : book_(std::move(book)) {}
  std::shared_ptr<const rules::Book> book_;
};

/// The requirement graph in Graphviz's DOT language, as `rule_book_graph(name_or_folder)` draws it, with the functions of the program (hexagons) and
/// the decisions that call them.
std::string rule_book_graph(const RuleBook& book);

/// A folder of rules that may change while the program runs. Whoever holds a book keeps deciding with it; the next one who asks gets the new one.
class LiveRuleBook {
 public:
  /// LoadError where the folder has faults: there is no old book to fall back on.
  explicit LiveRuleBook(std::string name_or_folder, ModelFunctions functions = {});

  std::shared_ptr<const RuleBook> book() const;
  /// Reads the folder again, apart, and swaps the book at once. A folder with faults leaves the old book in place; the issues say why.
  Issues reload();

 private:
  std::string name_or_folder_;
  ModelFunctions functions_;
  // Not std::atomic<std::shared_ptr>: GCC 12's gives its lock back with relaxed order, a race by the thread sanitizer.
  mutable std::mutex guard_;
  std::shared_ptr<const RuleBook> book_;
};

}  // namespace steelyard

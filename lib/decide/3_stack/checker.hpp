// Runs the step's tables over one stack. One checker serves many requests (a batch, or the changed stacks of a search).
#pragma once

#include <steelyard/stack.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "decide/3_stack/subject.hpp"
#include "rules/rules.hpp"

namespace steelyard::stack {

/// A finding, and where its remedy is looked for.
struct Found {
  StackFinding finding;
  bool cured_by_table = false;  // remedies.yaml; else a search over builds and drivers
};

class Checker {
 public:
  Checker(const BoardSource& source, const rules::Book& book) : source_(source), library_(Library::embedded()), session_(book) {}
  Checker(const Catalog& catalog, const rules::Book& book) : Checker(BoardSource{&catalog, nullptr}, book) {}

  StackReport check(const StackRequest& request);
  /// Findings of the facts alone, without the error text.
  std::vector<Found> structural(const Subject& subject);
  /// Does nothing stop this stack that another build or driver could cure? Faster than `structural`: makes no sentences.
  bool runs(const StackRequest& request);
  /// "ok", "limited", ... of the facts alone.
  std::string verdict_of(const StackRequest& request);

  Subject subject_of(const StackRequest& request) const { return gather(request, source_, library_); }
  /// The facts of a stack for rules.
  Value facts_of(const Subject& subject) const { return stack::facts_of(subject, library_, phrases()); }
  const Library& library() const { return library_; }
  /// In the language of the book.
  const words::Phrases& phrases() const { return words::Phrases::of(session_.book().language()); }

 private:
  void run_tables(std::string_view list, std::vector<Found>& found);
  std::vector<std::string> tables_of(std::string_view list);
  bool table_blocks(const std::string& table);
  void add_hits(const std::string& table, bool from_text, std::vector<Found>& found);
  std::vector<StackFix> table_fixes(const std::vector<Found>& found);
  void ask(const Subject& subject, StackReport& report);
  void count(const std::vector<Found>& found);
  std::string decide_verdict(const StackReport& report);

  BoardSource source_;
  const Library& library_;
  rules::Session session_;
};

/// The smallest changes after which nothing stops the stack, each verified by running the rules; those that leave the driver alone first.
std::vector<StackFix> search_fixes(Checker& checker, const Subject& subject);

}  // namespace steelyard::stack

// The working memory of a session.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "rules/book.hpp"
#include "rules/tables/apply.hpp"

namespace steelyard::rules {

struct Session::State : Frame {
  State(Book the_book, Value the_facts);

  const BookData& data() const { return book.data(); }
  Datum compute(int slot) override;
  /// The value of a fact set by name or id; what hangs on it is forgotten.
  void put(int slot, const Datum& value);
  void forget_results();
  void start(Value the_facts, std::shared_ptr<const Value> shared);
  void add(std::string_view group, Value more);
  const Outcome& outcome(DecisionId decision, bool brief);
  const Datum& decided(DecisionId decision) { return load(data().first_decision() + decision.index); }

  Book book;
  Value facts;
  std::shared_ptr<const Value> common;             // of several sessions; null: none
  std::vector<std::pair<int, Datum>> from_common;  // slots that were read there: still right after a start with the same `common`
  Heap common_heap;                                // of these
  std::vector<Result> results;                     // by decision
  bool computed = false;                           // something hangs on the facts
  std::vector<int> explained;                      // decisions whose outcome is current
  std::vector<int> explained_briefly;              // those whose outcome is current but for near misses and inputs
  std::map<int, std::string> own_texts;            // facts set one by one, by slot
  std::map<int, Value> own_values;
  Heap fact_heap;
  std::vector<std::unique_ptr<Outcome>> outcomes;  // by decision; kept to be written over
  Outcome no_decision;

 private:
  Datum read_fact(int slot);
  Datum compute_result(int slot);
  Datum run_decision(int slot);
};

/// Writes the outcome of a decision that has run over an older one; a brief one without near misses and inputs.
void explain(Session::State& state, const DecisionData& decision, Outcome& outcome, bool brief);

}  // namespace steelyard::rules

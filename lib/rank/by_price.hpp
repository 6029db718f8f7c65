// Step 4 for the offers of one kind, which differ in nothing that earlier steps look at but their prices.
#pragma once

#include <cstdint>
#include <optional>
#include <steelyard/catalog.hpp>
#include <steelyard/decision.hpp>
#include <utility>
#include <vector>

#include "rank/machines.hpp"

namespace steelyard::rank {

/// What some offers of one kind came to.
struct Outcome {
  enum class Verdict : unsigned char { accept, unknown, reject };
  Verdict verdict = Verdict::unknown;
  OfferList::Kind kind = 0;
  int nodes = 1;
  decide::MachineDecision* machine = nullptr;  // null: excluded before any machine was looked at
  Reason reason;                               // of what is not accepted: the first, most fundamental one, or what is missing
  std::vector<Question> questions;             // of what is not known
};

/// The outcome of an answer that does not accept.
Outcome not_accepted(OfferList::Kind kind, int nodes, decide::MachineDecision* machine, Estimate estimate);

class ByPrice {
 public:
  /// Kinds that share machines (Machines::family) must not be decided at the same time.
  ByPrice(const decide::Job& job, const OfferList& offers, Machines& machines, const decide::PriceContext& context, OfferList::Kind kind);

  /// Decides these rows (and sorts them by price): the place of each one's outcome in `outcomes()` goes to `of_row[row]`.
  void run(std::vector<std::uint32_t>& rows, std::vector<std::uint32_t>& of_row);
  std::vector<Outcome>& outcomes() { return outcomes_; }

 private:
  /// A node count and its machine, once that was asked for.
  struct Candidate {
    int nodes = 1;
    decide::MachineDecision* machine = nullptr;
    std::optional<std::uint32_t> accepted, rejected;  // the outcomes in which the price has no say
  };
  /// The number of the outcome at the price that `configuration_` has now, and whether the price had a say.
  std::pair<std::uint32_t, bool> choose();
  std::uint32_t add(Outcome outcome);
  std::uint32_t rejected(Candidate& candidate);
  std::uint32_t judge_price(Candidate& candidate);

  const OfferList& offers_;
  Machines& machines_;
  const decide::PriceContext& context_;
  OfferList::Kind kind_;
  Configuration configuration_;
  std::vector<Candidate> candidates_;
  std::vector<Outcome> outcomes_;
};

}  // namespace steelyard::rank

// What the engine answers: verdicts with reasons, traces, rankings.
#pragma once

#include <optional>
#include <steelyard/configuration.hpp>
#include <steelyard/estimate.hpp>
#include <steelyard/value.hpp>
#include <steelyard/workload.hpp>
#include <string>
#include <vector>

namespace steelyard {

/// Why: a reject or warning code (contract.md), a sentence with numbers, the rule that says so.
struct Reason {
  std::string code, message, rule;
  std::optional<double> needed, actual;  // where the rule compares two figures
  std::string unit;

  friend bool operator==(const Reason&, const Reason&) = default;
};

/// What to ask or to measure, the field it fills, and the outcomes it decides.
struct Question {
  std::string ask, field;
  std::vector<std::string> decides;

  friend bool operator==(const Question&, const Question&) = default;
};

/// One rule that decided, as it was evaluated.
struct TraceStep {
  std::string step;  // "task" "network" "stack" "cost"
  std::string table, rule;
  Value inputs, output;
  std::string because;   // sentence with the numbers filled in
  SourceLocation where;  // the rule's place in its file
};

/// A rule that would have accepted, and what failed: the nearest miss first.
struct NearMiss {
  std::string rule;
  Value failed;  // list of {cell, actual, gap}
};

/// The guide's four factors, derived from the estimate; shares in 0..1, TFLOPS per GPU. Empty = not known.
struct EffectiveCompute {
  std::optional<double> peak_tflops, interconnect, memory, software, tflops;
};

/// Cost of a unit of useful work.
struct UnitCost {
  Money money;
  std::string per;  // "effective_tflops_hour"
};

/// What renting for the whole work costs, part by part. Only where the price states terms; the parts add up to the cost.
struct CostParts {
  std::string currency;     // of all amounts
  double running_h = 0;     // the work itself
  double elapsed_h = 0;     // expected with checkpoints and interruptions
  double billed_h = 0;      // after increments, minimum and commitment
  double compute = 0;       // the running hours
  double interruption = 0;  // hours lost to checkpoints, repeated work and restarts
  double unused = 0;        // hours that are billed and not used
  double storage = 0, egress = 0;
  double interruptions = 0;                  // expected number
  std::optional<double> checkpoint_every_s;  // the interval that loses the least; empty: none are written
  std::vector<std::string> not_counted;      // terms that are stated and lack a fact of the job: "egress: workload.data.egress_gib"

  double total() const { return compute + interruption + unused + storage + egress; }
};

/// What more nodes bring: the job on `nodes` nodes against one of them.
struct NodeScaling {
  int nodes = 2;
  std::optional<double> speedup, efficiency;             // with the network that is stated; empty: not known
  std::string link;                                      // for 90 %: "needed" "any" "out_of_reach"; empty: not known
  std::optional<double> link_for_90_percent_gbit_per_s;  // per node, one direction, where `link` is "needed"
  std::string link_kind;                                 // the network kind that the rate is meant for
  std::string because;
};

/// The software that runs the work on an offer: as the workload states it, chosen only where it leaves something open.
struct ChosenSoftware {
  std::string framework, version, cuda, image;  // empty: not stated and not needed for the verdict
  std::vector<std::string> packages;
  std::string driver;           // of the offer
  std::string verdict;          // of step 3: "ok" "limited" "fixable" "impossible" "unknown"
  std::string change, command;  // what was chosen in place of the usual build, and how to get it; empty: as stated
};

/// A framework build that runs.
struct RunnableBuild {
  std::string framework, version, variant;  // "pytorch" "2.9" "cu128"
  std::string cuda;                         // toolkit it is built with
  std::string verdict;                      // "ok" or "limited" (minor-version compatibility)
};

/// What runs on a board with its driver and system, newest first.
struct RunnableStacks {
  std::vector<RunnableBuild> builds;  // framework wheels
  std::vector<std::string> images;    // container images
};

/// Answer of `estimate` for one workload on one configuration.
struct Estimate {
  std::string verdict = "unknown";  // "accept" "reject" "unknown"
  std::vector<Reason> reasons;      // of the verdict: reject codes, most fundamental first
  std::vector<Reason> warnings;
  std::vector<Question> questions;
  std::string task_type, tier;
  std::optional<double> csi;
  MemoryEstimate memory;
  std::optional<Plan> plan;
  std::optional<ChosenSoftware> software;  // where software or driver is stated
  TimeEstimate time;
  std::optional<double> time_h, preference;
  std::optional<Money> cost;
  std::optional<CostParts> cost_parts;  // where the price states terms
  std::optional<NodeScaling> scaling;   // where the trace is asked for
  std::optional<UnitCost> unit_cost;
  EffectiveCompute effective;
  std::vector<TraceStep> trace;
  std::vector<NearMiss> near;
};

/// One offer of a ranking, with the configuration (node count chosen) that its estimate is about.
struct RankedOffer {
  int rank = 0;
  std::string offer;
  Configuration configuration;
  Estimate estimate;
  std::string dominated_by;  // an offer that is no worse in time and cost, and better in one; may be empty
};

struct RejectedOffer {
  std::string offer;
  Configuration configuration;
  Reason reason;  // the first, most fundamental one
};

/// A point of the time and cost front.
struct ParetoPoint {
  std::string offer;
  double time_h = 0;
  Money cost;
};

/// An accepted offer that is best in one respect.
struct Choice {
  std::string role;  // "best_value" "cheapest_work" "fastest" "fewest_gpus" "cheapest_hour" "cheapest_spot"
  std::string offer;
  int gpus = 0;
  std::optional<double> time_h;
  std::optional<Money> cost;                // of the whole work
  std::optional<Money> hourly;              // of the whole cluster
  std::optional<double> break_even_h = {};  // spot: hours between interruptions from which on it is cheaper than the machine on demand
};

/// One size of a growth path, against the size before it.
struct GrowthStep {
  std::string offer;
  int gpus = 0;
  std::optional<double> speedup;     // over the step before; empty for the first
  std::optional<double> cost_ratio;  // of the work, to the step before
  std::string because;               // when to take it, with its numbers
};

/// How firm the first place of a ranking is.
struct Sensitivity {
  std::string runner_up;                             // first once the winner is dearer than `price_limit`
  std::optional<Money> price, price_limit;           // of an hour of the winner's whole cluster
  std::vector<std::pair<std::string, double>> wins;  // share of draws in which an offer is first, most first; shares of 0 are left out
  int draws = 0;                                     // draws of the speeds within their intervals
};

/// The smallest cluster that works, and how to grow from it.
struct MinimalCluster {
  std::string offer;
  int gpus = 0;
  std::vector<int> grow_to;
  std::string because;
};

/// Changes to a workload or a configuration that give another outcome; dotted fields start with "workload." or "configuration.".
struct WhatIf {
  struct Change {
    std::string field;
    Value from, to;
  };
  std::string to;               // "accept" "win"
  std::vector<Change> changes;  // smallest set: no strict subset does it
  bool verified = false;        // the engine was run with the changes
};

/// Answer of `explain` for one offer.
struct Explanation {
  std::string offer;
  Configuration configuration;  // with the node count that was chosen
  Estimate estimate;
  int rank = 0;                            // 0: not ranked
  std::optional<RunnableStacks> runnable;  // where the offer states its driver
  std::vector<WhatIf> what_if;
};

/// How many offers came to what; the lists of a decision may hold fewer of them.
struct OfferCounts {
  std::size_t accepted = 0, rejected = 0, undecided = 0;
  std::vector<std::pair<std::string, std::size_t>> rejected_by_code;  // the most frequent first
};

/// Answer of `recommend`: every offer is ranked, rejected or undecided.
struct Decision {
  Workload workload;
  std::string task_type, tier;
  std::optional<double> csi;
  OfferCounts counts;
  std::vector<RankedOffer> ranking;  // accepted offers, best first: all, or as many as were asked for
  std::vector<RejectedOffer> rejected;
  std::vector<RejectedOffer> undecided;  // the reason's message says what is missing
  std::vector<ParetoPoint> pareto;
  std::optional<MinimalCluster> minimal;
  std::vector<Choice> choices;
  std::vector<GrowthStep> growth;  // from the smallest cluster up, only sizes that are faster than the one before
  std::optional<Sensitivity> sensitivity;
  std::vector<Explanation> feasible;  // where nothing is accepted: rejected offers, and what would make each accepted
  std::vector<Question> questions;
  Value acceptance;
  std::size_t offers = 0;

  const RankedOffer* best() const { return ranking.empty() ? nullptr : &ranking.front(); }
};

/// One step of two offers side by side.
struct ComparedStep {
  std::string step;        // "task" "network" "stack" "cost"
  std::string one, other;  // what the step comes to for each, with the numbers
  bool differs = false;
};

/// One figure of two offers.
struct ComparedTerm {
  std::string term, unit;  // "price_per_hour" "USD"
  std::optional<double> one, other;
};

/// Answer of `compare`: the first step where two offers differ, then the terms of their cost.
struct Comparison {
  RankedOffer one, other;
  std::vector<ComparedStep> steps;
  std::string first_difference;  // a step; empty where no rule tells them apart
  std::vector<ComparedTerm> terms;
  std::string better;  // the offer to prefer; empty where neither is accepted
  std::string because;
};

}  // namespace steelyard

// What a renter can change about a job and a machine.
#pragma once

#include <functional>
#include <steelyard/configuration.hpp>
#include <steelyard/offers.hpp>
#include <steelyard/value.hpp>
#include <steelyard/workload.hpp>
#include <string>
#include <vector>

namespace steelyard::explain {

/// A job on a machine: what a lever changes.
struct Case {
  Workload workload;
  Configuration configuration;
};

/// One thing that can be changed. `steps` run from the smallest change to the largest; where they are numbers that can be divided, the smallest value
/// between the last step that fails and the first that works is looked for.
struct Lever {
  std::string field;
  std::function<Value(const Case&)> get;
  std::function<void(Case&, const Value&)> set;
  std::vector<Value> steps;
  bool whole_numbers = false;
  bool real_numbers = false;
};

/// What can let a machine in: a lower price, another network or link, more nodes, more of the host, another way of running the job.
std::vector<Lever> levers_to_accept(const Case& now);

/// What a job says about which offers it wants to hear of, widened so that this one is among them.
std::vector<Lever> levers_of_wishes(const Case& now, const Offer& offer);

/// What can bring an accepted machine ahead of others: a lower price, another purchase of the same machine, another network or link, more or fewer
/// nodes; and where its speed can't be predicted, one that is measured. `purchases`: the prices at which the same machine stands in the catalog.
std::vector<Lever> levers_to_win(const Case& now, const std::vector<Price>& purchases, bool speed_known);

}  // namespace steelyard::explain

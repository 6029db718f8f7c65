// A machine or cluster that can be rented: what `estimate` is asked about and what every offer holds.
#pragma once

#include <memory>
#include <optional>
#include <steelyard/board.hpp>
#include <steelyard/issue.hpp>
#include <steelyard/money.hpp>
#include <steelyard/value.hpp>
#include <string>
#include <vector>

namespace steelyard {

/// Network between nodes. `kind` empty = not known; "none" = known to have none.
struct InterNode {
  std::string kind;                           // "infiniband" "roce" "efa" "tcpx" "omnipath" "ethernet" "none"
  std::optional<double> gbit_per_s_per_node;  // sum over ports, one direction
  std::optional<int> ports_per_node;
  std::optional<double> gbit_per_s_per_port;
  std::optional<bool> gpudirect;

  friend bool operator==(const InterNode&, const InterNode&) = default;
};

/// What an offer says of its price beyond the amount; amounts in the price's currency. Empty = not stated: nothing is charged for it.
struct PriceTerms {
  std::optional<double> billing_increment_s;    // begun increments are billed whole
  std::optional<double> minimum_h;              // the least that one rental is billed
  std::optional<double> commitment_h;           // paid for, used or not
  std::optional<double> discount;               // share of the amount that the commitment takes off: 0.3
  std::optional<double> storage_gib;            // of the whole cluster, rented beside the machines
  std::optional<double> storage_per_gib_month;  // a month has 730 h
  std::optional<double> egress_per_gib;         // of data sent out of the provider's network
  std::optional<double> interruptions_per_h;    // of one node: how often the provider takes it back

  friend bool operator==(const PriceTerms&, const PriceTerms&) = default;
};

/// Price of renting. `per` "node_hour" or "gpu_hour"; `purchase` "on_demand" "spot" "reserved".
struct Price {
  double amount = 0;
  std::string currency = "USD";
  std::string per = "node_hour";
  std::string purchase = "on_demand";
  std::optional<Date> date;
  std::shared_ptr<const PriceTerms> terms = nullptr;  // null: none stated; shared, since few of many offers have any

  friend bool operator==(const Price& one, const Price& other) {
    const bool same_terms = one.terms == other.terms || (one.terms && other.terms && *one.terms == *other.terms);
    return same_terms && one.amount == other.amount && one.currency == other.currency && one.per == other.per && one.purchase == other.purchase &&
           one.date == other.date;
  }
};

/// Speeds measured with the very workload on the very configuration; they outrank the model.
struct MeasuredRates {
  std::optional<double> samples_per_s, requests_per_s, tokens_per_s;

  friend bool operator==(const MeasuredRates&, const MeasuredRates&) = default;
};

/// What a calibration found of a machine's links, each against what the estimate expects of such a link. Set while an estimate runs; no part of a
/// configuration's file.
struct LinkShares {
  double slot = 1;             // rate between GPUs of one node over PCIe
  double host = 1;             // rate between GPU and host memory
  double network = 1;          // rate between nodes
  double network_latency = 1;  // start-up time between nodes

  friend bool operator==(const LinkShares&, const LinkShares&) = default;
};

struct Configuration {
  std::string gpu;               // as written; board is resolved from it
  const Board* board = nullptr;  // owned by the catalog; null where the name is unknown or ambiguous
  int gpus_per_node = 1;
  int nodes = 1;
  std::string intra_node;                 // "nvlink" "nvlink_pairs" "pcie" "none"; empty = not known
  std::optional<bool> gpu_peer_access;    // empty = from the board
  std::optional<int> nvlink_domain_gpus;  // where NVLink reaches beyond a node (NVL72: 72)
  InterNode inter_node;
  std::optional<double> host_memory_gib;  // per node
  std::optional<double> shm_gib;          // /dev/shm of the container
  std::string os;                         // "linux" "windows" "wsl2"; empty = linux
  std::string driver;                     // "550.54.14"; empty = not known
  std::optional<Price> price;
  MeasuredRates measured;
  LinkShares links;
  SourceLocation where;

  int gpus() const { return gpus_per_node * nodes; }

  friend bool operator==(const Configuration&, const Configuration&) = default;
};

/// Something a provider sells: a machine type at a place and a price. One node unless the offer says otherwise.
struct Offer {
  std::string id;  // "provider/region/type", with "/spot" or "/reserved" where it is that purchase
  std::string provider, region, machine_type;
  Configuration configuration;
  std::optional<int> vcpus;
  std::vector<Source> sources;
  std::vector<std::string> warnings;  // "name_resolved: …" and the like, from the import
  SourceLocation where;

  friend bool operator==(const Offer&, const Offer&) = default;
};

class Catalog;

/// Reads a configuration (YAML or JSON text). Wrong words, numbers and unknown keys are errors, and there is no value then; a GPU name
/// that fits several boards or none is a warning that lists what fits, and leaves `board` null.
Loaded<Configuration> parse_configuration(std::string text, std::string file, const Catalog& catalog);
/// The same from a plain value, as Python and C callers hold it.
Loaded<Configuration> configuration_from_value(const Value& value, std::string source, const Catalog& catalog);

/// In the contract's keys; `gpu` is the id of the board where it is known. What is not known is absent.
Value to_value(const Configuration& configuration);
Value to_value(const Price& price);

}  // namespace steelyard

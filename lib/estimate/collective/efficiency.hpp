// The fitted parameters of collectives and the table of what the law leaves over.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/collective/law.hpp"
#include "estimate/collective/links.hpp"
#include "estimate/efficiencies.hpp"

namespace steelyard::estimate {

/// Offsets (log of time) by octave of the buffer's size, and their spread.
struct ResidualLine {
  int first_octave = 9;  // log2 of the bytes of the first entry
  std::vector<double> offsets, spreads;
};

struct Residual {
  double offset = 0, log_sd = 0.2;
  bool seen = false;  // this link, class and number of GPUs were measured
};

/// data/efficiency/collectives.yaml.
struct CollectiveEfficiency {
  FittedFamily fitted;
  std::map<std::string, ResidualLine, std::less<>> residuals;  // "nvlink4 all_gather 8"

  /// Law of a link for a kind between `gpus` GPUs. `plain_ring`: without NVLink SHARP.
  LinkLaw link(const IntraLink& link, std::string_view kind, double gpus, bool plain_ring = false) const;
  /// What the law leaves over, interpolated in log size and log number of GPUs; spread where the link was never measured.
  Residual residual(const std::string& link, std::string_view kind, double bytes, double gpus) const;
  /// Law of the network between nodes for `nodes` nodes.
  LinkLaw network(const InterLink& link, std::string_view kind, double nodes) const;
  double network_log_sd(const InterLink& link) const;
  /// By how much a measured board's times differ from those of its link generation; empty: not measured.
  std::optional<double> board_factor(const std::string& board) const;

  static const CollectiveEfficiency& embedded();
};

/// Reads the parameters and `residuals:` (link, kind, gpus, first_octave, offsets, spreads). Faults become issues.
CollectiveEfficiency read_collectives(const load::Document& document, Issues& issues);

}  // namespace steelyard::estimate

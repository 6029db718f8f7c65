// What machines of a class reach: published figures, from data/evidence/references.yaml.
#pragma once

#include <map>
#include <optional>
#include <steelyard/board.hpp>
#include <steelyard/issue.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "load/node.hpp"

namespace steelyard::evidence {

/// One published figure. `kind`: "measured" (judged by share) or "floor" (must be reached). Zero: holds for any.
struct Reference {
  std::vector<std::string> boards;
  std::string test;  // collective, copy test, or "triad"
  int ranks = 0, nodes = 0;
  double network_gbit_per_s = 0;  // of a node, for runs between nodes
  double gb_per_s = 0;
  std::string kind, source;
};

class References {
 public:
  static const References& embedded();

  /// The figure for a collective; one for any collective stands in where its name is not known. Several nodes need the same network.
  const Reference* collective(const Board& board, std::string_view name, int ranks, int nodes, double network_gbit_per_s) const;
  const Reference* copy(const Board& board, std::string_view test) const;
  const Reference* triad(const Board& board) const;

  /// The lowest rate that ports are sold with and that a measured rate can belong to (2 % above it are rounding); empty above the fastest.
  std::optional<double> line_rate_gbit_per_s(double measured) const;
  bool is_line_rate(double gbit_per_s) const;
  /// Devices that programs see for one board; more than 1 where a module holds several chips.
  int devices_of(const Board& board) const;

 private:
  friend Loaded<References> load_references(const load::Document& document);

  std::vector<Reference> collectives_, copies_, memory_;
  std::vector<double> line_rates_;
  std::map<std::string, int> devices_;  // by board
};

Loaded<References> load_references(const load::Document& document);

/// Links that every GPU of this board has when all are up, from its NVLink rate; empty where it has none or it is not known.
std::optional<int> expected_nvlinks(const Board& board);

/// One direction of the PCIe link that this board is built for; empty where generation or lanes are not known.
std::optional<double> pcie_gb_per_s(const Board& board);

}  // namespace steelyard::evidence

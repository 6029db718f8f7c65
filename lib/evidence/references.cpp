#include "evidence/references.hpp"

#include <algorithm>
#include <cmath>

#include "load/embedded.hpp"
#include "load/fields.hpp"

namespace steelyard::evidence {

namespace {

Reference read_reference(load::Fields& fields, const std::string& name_key, const std::string& value_key) {
  Reference reference;
  reference.boards = fields.texts("boards");
  reference.test = name_key.empty() ? "triad" : fields.required_text(name_key);
  reference.ranks = fields.integer("ranks").value_or(0);
  reference.nodes = fields.integer("nodes").value_or(0);
  reference.network_gbit_per_s = fields.number("network_gbit_per_s", 0).value_or(0);
  reference.gb_per_s = fields.required_number(value_key, 0);
  reference.kind = fields.word("kind", {"measured", "floor"}).value_or("measured");
  reference.source = fields.required_text("source");
  fields.finish();
  return reference;
}

bool names_board(const Reference& reference, const Board& board) {
  return std::find(reference.boards.begin(), reference.boards.end(), board.id) != reference.boards.end();
}

const Reference* find(const std::vector<Reference>& references, const Board& board, std::string_view test) {
  const auto found =
      std::find_if(references.begin(), references.end(), [&](const Reference& one) { return one.test == test && names_board(one, board); });
  return found == references.end() ? nullptr : &*found;
}

}  // namespace

Loaded<References> load_references(const load::Document& document) {
  Loaded<References> loaded;
  References references;
  load::Fields fields(document, document.root, loaded.issues, "references");
  fields.node("sources");
  const auto each = [&](const std::string& list, const std::string& name_key, const std::string& value_key, std::vector<Reference>& into) {
    const load::Node* node = fields.node(list);
    if (node)
      load::each_map(document, *node, loaded.issues, list, [&](load::Fields& entry) { into.push_back(read_reference(entry, name_key, value_key)); });
  };
  each("collectives", "collective", "busbw_gb_per_s", references.collectives_);
  each("copies", "test", "gb_per_s", references.copies_);
  each("memory", "", "triad_gb_per_s", references.memory_);
  if (const load::Node* several = fields.node("devices_of_a_board")) {
    load::each_map(document, *several, loaded.issues, "board", [&](load::Fields& entry) {
      references.devices_[entry.required_text("board")] = entry.integer("devices").value_or(1);
      entry.required_text("source");
      entry.finish();
    });
  }
  if (const load::Node* rates = fields.node("line_rates_gbit_per_s")) {
    for (const load::Node& rate : rates->items) references.line_rates_.push_back(load::to_value(rate).as_number());
  }
  fields.finish();
  if (!has_errors(loaded.issues)) loaded.value = std::move(references);
  return loaded;
}

const References& References::embedded() {
  static const References references = value_or_throw(load_references(load::embedded_document("data/evidence/references.yaml")));
  return references;
}

const Reference* References::collective(const Board& board, std::string_view name, int ranks, int nodes, double network_gbit_per_s) const {
  const auto fits = [&](const Reference& one, std::string_view wanted) {
    const bool network = nodes <= 1 || std::abs(one.network_gbit_per_s - network_gbit_per_s) < 1;
    return one.test == wanted && names_board(one, board) && one.ranks == ranks && one.nodes == nodes && network;
  };
  for (const std::string_view wanted : {name, std::string_view("any")}) {
    if (wanted.empty() || (wanted == "any" && !name.empty())) continue;
    const auto found = std::find_if(collectives_.begin(), collectives_.end(), [&](const Reference& one) { return fits(one, wanted); });
    if (found != collectives_.end()) return &*found;
  }
  return nullptr;
}

const Reference* References::copy(const Board& board, std::string_view test) const { return find(copies_, board, test); }

const Reference* References::triad(const Board& board) const { return find(memory_, board, "triad"); }

std::optional<double> References::line_rate_gbit_per_s(double measured) const {
  constexpr double rounding = 1.02;  // loopback and peaks come out a little above the rate of the wire
  const auto found = std::find_if(line_rates_.begin(), line_rates_.end(), [&](double rate) { return measured <= rate * rounding; });
  return found == line_rates_.end() ? std::nullopt : std::optional(*found);
}

bool References::is_line_rate(double gbit_per_s) const {
  return std::any_of(line_rates_.begin(), line_rates_.end(), [&](double rate) { return std::abs(rate - gbit_per_s) < 0.5; });
}

int References::devices_of(const Board& board) const {
  const auto found = devices_.find(board.id);
  return found == devices_.end() ? 1 : found->second;
}

std::optional<int> expected_nvlinks(const Board& board) {
  // GB/s of one link, both directions together: NVLink 1 40, 2 to 4 50, 5 100.
  static constexpr double of_a_link[] = {0, 40, 50, 50, 50, 100};
  const int generation = board.nvlink_generation.value_or(0);
  if (generation < 1 || generation > 5 || !board.nvlink_gb_per_s_bidirectional) return std::nullopt;
  return static_cast<int>(std::lround(*board.nvlink_gb_per_s_bidirectional / of_a_link[generation]));
}

std::optional<double> pcie_gb_per_s(const Board& board) {
  if (!board.pcie_generation || *board.pcie_generation < 3 || !board.pcie_lanes) return std::nullopt;
  // A lane carries 8 GT/s in generation 3 and twice as much in each later one, 128 of 130 bits of it data.
  return *board.pcie_lanes * std::exp2(*board.pcie_generation - 3) * 128 / 130;
}

}  // namespace steelyard::evidence

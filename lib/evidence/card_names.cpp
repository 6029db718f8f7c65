// Names of PCIe cards in a text, from the facts of the boards.
#include <algorithm>

#include "core/text.hpp"
#include "evidence/judge.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

bool word_character(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); }

/// Names of three characters and more that hold a letter: "T4" and "4090" also occur as sizes and addresses.
bool telling(const std::string& name) {
  return name.size() >= 3 && std::any_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

/// Is the chip sold on PCIe cards only? Then its bare name is enough.
bool cards_only(const std::string& chip) {
  const auto& boards = Catalog::embedded().boards();
  return std::all_of(boards.begin(), boards.end(), [&](const Board& board) { return board.chip != chip || board.form_factor == "pcie"; });
}

std::vector<std::string> card_names() {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (telling(to_lower(name))) names.push_back(to_lower(name));
  };
  for (const Board& board : Catalog::embedded().boards()) {
    if (board.form_factor != "pcie") continue;
    for (const std::string& name : {board.id, board.marketing_name, board.chip + "-pcie", board.chip + " pcie",
                                    board.chip + " " + format_number(board.memory_gb_nominal) + "gb pcie"})
      add(name);
    if (cards_only(board.chip)) add(board.chip);
    for (const std::string& alias : board.aliases) add(alias);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool holds_word(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !word_character(text[at - 1])) && (end == text.size() || !word_character(text[end]))) return true;
  }
  return false;
}

}  // namespace

bool names_pcie_card(std::string_view text) {
  static const std::vector<std::string> names = card_names();
  const std::string lower = to_lower(text);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return holds_word(lower, name); });
}

}  // namespace steelyard::evidence

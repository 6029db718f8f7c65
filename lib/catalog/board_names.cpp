#include <algorithm>
#include <cmath>

#include "catalog/names.hpp"
#include "core/text.hpp"

namespace steelyard {

namespace {

/// Sizes are compared within this share: drivers and catalogs print 22.4 for 24 GB, 31.7 for 32 GB.
constexpr double memory_tolerance = 0.10;

bool has_memory(const Board& board, double memory_gb) {
  return board.memory_gb_nominal > 0 && std::abs(memory_gb - board.memory_gb_nominal) <= memory_tolerance * board.memory_gb_nominal;
}

/// The key of a name without the maker's words in front and general words behind.
std::string board_key(std::string_view name) {
  std::string key = name_key(name);
  const auto strip = [&](std::initializer_list<std::string_view> words, bool front) {
    for (bool again = true; again;) {
      again = false;
      for (const std::string_view word : words) {
        if (key.size() <= word.size()) continue;
        if (front ? !key.starts_with(word) : !key.ends_with(word)) continue;
        key.erase(front ? 0 : key.size() - word.size(), word.size());
        again = true;
      }
    }
  };
  strip({"nvidia", "tesla", "geforce", "amd", "instinct", "intel", "habana", "huawei"}, true);
  strip({"tensorcoregpu", "tensorcore", "gpu", "gpus", "graphics"}, false);
  return key;
}

std::vector<std::string> form_words(const std::string& form) {
  if (form.starts_with("sxm")) return {form, "sxm"};
  if (form.empty() || form == "superchip") return {};
  return {form};
}

/// Chip alone and with form factor and memory in every order people write.
std::vector<std::string> composed_keys(const Board& board) {
  const std::string chip = board_key(board.chip);
  std::vector<std::string> keys = {chip}, sizes;
  if (board.memory_gb_nominal > 0) {
    const std::string number = name_key(format_number(board.memory_gb_nominal));
    sizes = {number + "gb", number + "g", number + "gib"};
  }
  for (const std::string& size : sizes) keys.push_back(chip + size);
  for (const std::string& form : form_words(board.form_factor)) {
    keys.push_back(chip + form);
    for (const std::string& size : sizes) {
      keys.push_back(chip + form + size);
      keys.push_back(chip + size + form);
    }
  }
  return keys;
}

template <class Item>
void put(std::unordered_map<std::string, std::vector<const Item*>>& table, const std::string& key, const Item* item) {
  auto& items = table[key];
  if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
}

template <class Item>
std::vector<const Item*> look(const std::unordered_map<std::string, std::vector<const Item*>>& table, const std::string& key) {
  const auto found = table.find(key);
  return found == table.end() ? std::vector<const Item*>() : found->second;
}

}  // namespace

std::string ids_of(const std::vector<const Board*>& boards) {
  std::vector<std::string> names;
  for (const Board* board : boards) names.push_back(board->id);
  return join(names, ", ");
}

BoardIndex::BoardIndex(const std::deque<Board>& boards) {
  for (const Board& board : boards) {
    put(own_, board_key(board.id), &board);
    put(own_, board_key(board.marketing_name), &board);
    for (const std::string& alias : board.aliases) put(own_, board_key(alias), &board);
    for (const std::string& key : composed_keys(board)) put(board.rare ? rare_ : composed_, key, &board);
    for (const auto& [name, warning] : board.doubtful_names) doubtful_.emplace(board_key(name), std::pair(&board, warning));
  }
  for (const Table* table : {&own_, &composed_}) {
    for (const auto& [key, found] : *table) keys_.push_back(key);
  }
  std::sort(keys_.begin(), keys_.end());
}

NameMatch<Board> BoardIndex::find(std::string_view name, double memory_gb) const {
  const std::string key = board_key(name);
  NameMatch<Board> match;
  if (const auto doubtful = doubtful_.find(key); doubtful != doubtful_.end()) {
    return {{doubtful->second.first}, {}, std::string(name) + ": " + doubtful->second.second};
  }
  const Boards composed = look(composed_, key);
  match.candidates = look(own_, key);
  if (match.candidates.empty()) match.candidates = composed;
  if (match.candidates.empty()) match.candidates = look(rare_, key);
  Boards others;
  for (const Board* board : composed) {
    if (std::find(match.candidates.begin(), match.candidates.end(), board) == match.candidates.end()) others.push_back(board);
  }
  if (memory_gb > 0 && !match.candidates.empty()) {
    const auto narrow = [&](Boards boards) {
      std::erase_if(boards, [&](const Board* board) { return !has_memory(*board, memory_gb); });
      return boards;
    };
    Boards fitting = narrow(match.candidates);
    if (fitting.empty()) fitting = narrow(others);
    if (fitting.empty()) fitting = narrow(look(rare_, key));
    if (fitting.empty()) {
      match.warning = "no " + std::string(name) + " has " + format_number(memory_gb) + " GB; known: " + ids_of(match.candidates);
    } else {
      match.candidates = fitting;
    }
  }
  if (match.warning.empty() && match.resolved() && !others.empty()) {
    std::erase(others, match.resolved());
    if (!others.empty())
      match.warning = std::string(name) + " read as " + match.resolved()->id + "; " + ids_of(others) + " are sold under other names";
  }
  if (match.candidates.empty()) {
    for (const std::string& near : nearest_words(key, keys_)) {
      for (const Table* table : {&own_, &composed_}) {
        for (const Board* board : look(*table, near)) {
          if (std::find(match.nearest.begin(), match.nearest.end(), board->id) == match.nearest.end()) match.nearest.push_back(board->id);
        }
      }
    }
  }
  return match;
}

}  // namespace steelyard

// Names to identities. A name is compared by its letters and digits, as a whole: a name that merely contains a known one does not fit.
#pragma once

#include <deque>
#include <steelyard/catalog.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace steelyard {

/// Boards by id, by the names they are known under, and by chip with any of form factor and memory ("A100-80GB", "H100 SXM").
class BoardIndex {
 public:
  explicit BoardIndex(const std::deque<Board>& boards);

  NameMatch<Board> find(std::string_view name, double memory_gb) const;

 private:
  using Boards = std::vector<const Board*>;
  using Table = std::unordered_map<std::string, Boards>;

  Table own_;       // ids and aliases: they outrank composed names
  Table composed_;  // chip, form factor, memory
  Table rare_;      // composed names of odd variants, for a name with the memory given apart
  std::unordered_map<std::string, std::pair<const Board*, std::string>> doubtful_;
  std::vector<std::string> keys_;
};

/// "A100-SXM4-80GB, A100-PCIE-80GB": for messages.
std::string ids_of(const std::vector<const Board*>& boards);

/// Models by id, by alias, and by the names that hubs give to the same network, tuned or stored in another format.
class ModelIndex {
 public:
  explicit ModelIndex(const std::deque<Model>& models);

  NameMatch<Model> find(std::string_view name) const;

  /// "Qwen2.5-72B-Instruct-AWQ": "awq". Empty where the name is that of weights as their owner first published them.
  std::string stored_format(std::string_view name) const;

 private:
  using Models = std::vector<const Model*>;
  using Table = std::unordered_map<std::string, Models>;
  struct Requantized {
    Models models;
    std::string format;
  };

  static Models look(const Table& table, const std::string& key);
  Models published(std::string_view name) const;
  Requantized requantized(std::string_view name) const;

  Table table_;
  Table precise_;  // keys that keep decimal points
  Table untuned_;  // keys of language models without "instruct", "chat" ...
  std::vector<std::string> keys_;
};

}  // namespace steelyard

// Is a box covered by others? Exact: a search that branches over the regions of one column after the other.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "rules/lint/formula.hpp"

namespace steelyard::rules::analysis {

/// covered: every row. open: not every row; `row` is one that is left (a region a column). too_hard: the search was given up.
struct Coverage {
  enum class State : unsigned char { covered, open, too_hard };
  State state = State::covered;
  std::vector<int> row;
};

class CoverSearch {
 public:
  explicit CoverSearch(const std::vector<Column>& columns) : columns_(columns) {}

  int add(Box box);
  int count() const { return static_cast<int>(boxes_.size()); }
  const Box& box(int at) const { return boxes_[static_cast<std::size_t>(at)]; }
  /// All boxes so far, as a set to choose from.
  Bits all() const { return Bits(count(), true); }

  /// Is `target` covered by the chosen boxes?
  Coverage covered(const Box& target, const Bits& chosen);
  /// The largest box around a row that none of the boxes meets, grown column by column within `bounds`.
  Box grown(const std::vector<int>& row, const Box& bounds) const;
  /// Boxes that meet this one.
  Bits meeting(const Box& box) const;

 private:
  struct Branch {
    Bits live;
    int region;
  };
  struct Key {
    Bits columns, live;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return key.columns.hash() * 31 + key.live.hash(); }
  };

  bool corner_open(const Box& target, const Bits& live);
  void index(const Box& target, const Bits& chosen);
  bool find_open(const Bits& live, const Bits& columns);
  std::size_t widest(const Bits& live, const Bits& columns) const;
  std::vector<Branch> branches(const Bits& live, int column) const;

  const std::vector<Column>& columns_;
  Boxes boxes_;
  // of one question
  const Box* target_ = nullptr;
  std::vector<std::vector<Bits>> at_;  // column, region -> boxes that hold it
  std::vector<Bits> full_;             // column -> boxes that hold all of the target there
  std::vector<int> row_;
  std::unordered_set<Key, KeyHash> closed_;  // what was found covered
  long steps_ = 0;
};

}  // namespace steelyard::rules::analysis

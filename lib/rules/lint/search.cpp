#include "rules/lint/search.hpp"

#include <algorithm>

namespace steelyard::rules::analysis {

namespace {

constexpr long most_steps = 50'000;  // of one question; ordinary tables need tens

}  // namespace

int CoverSearch::add(Box box) {
  boxes_.push_back(std::move(box));
  return count() - 1;
}

Bits CoverSearch::meeting(const Box& box) const {
  Bits found(count());
  for (int at = 0; at < count(); ++at) {
    if (meet(boxes_[static_cast<std::size_t>(at)], box)) found.set(at);
  }
  return found;
}

// Most boxes that are not covered show it at a corner; trying these first spares the search.
bool CoverSearch::corner_open(const Box& target, const Bits& live) {
  const unsigned corners = 1u << std::min<std::size_t>(target.size(), 4);
  for (unsigned corner = 0; corner < corners; ++corner) {
    for (std::size_t column = 0; column < target.size(); ++column)
      row_[column] = corner >> (column % 4) & 1 ? target[column].last() : target[column].first();
    bool held = false;
    live.each([&](int at) {
      if (held) return;
      const Box& box = boxes_[static_cast<std::size_t>(at)];
      held = true;
      for (std::size_t column = 0; held && column < target.size(); ++column) held = box[column].test(row_[column]);
    });
    if (!held) return true;
  }
  return false;
}

void CoverSearch::index(const Box& target, const Bits& chosen) {
  target_ = &target;
  at_.assign(columns_.size(), {});
  full_.assign(columns_.size(), Bits(count()));
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    at_[column].assign(columns_[column].regions.size(), Bits());
    target[column].each([&](int region) { at_[column][static_cast<std::size_t>(region)] = Bits(count()); });
  }
  chosen.each([&](int at) {
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const Bits& set = boxes_[static_cast<std::size_t>(at)][column];
      if (target[column].within(set)) full_[column].set(at);
      (target[column] & set).each([&](int region) { at_[column][static_cast<std::size_t>(region)].set(at); });
    }
  });
}

Coverage CoverSearch::covered(const Box& target, const Bits& chosen) {
  Bits live = chosen;
  chosen.each([&](int at) {
    if (!meet(boxes_[static_cast<std::size_t>(at)], target)) live.reset(at);
  });
  for (const Bits& set : target) {
    if (set.none()) return {};
  }
  row_.assign(columns_.size(), 0);
  if (corner_open(target, live)) return {Coverage::State::open, row_};
  for (std::size_t column = 0; column < columns_.size(); ++column) row_[column] = target[column].first();
  index(target, live);
  closed_.clear();
  steps_ = 0;
  const bool open = find_open(live, Bits(static_cast<int>(columns_.size()), true));
  if (steps_ > most_steps) return {Coverage::State::too_hard, {}};
  return open ? Coverage{Coverage::State::open, row_} : Coverage{};
}

// The column that most boxes narrow.
std::size_t CoverSearch::widest(const Bits& live, const Bits& columns) const {
  int best = -1, most = -1;
  columns.each([&](int column) {
    const int narrowing = (live - full_[static_cast<std::size_t>(column)]).count();
    if (narrowing > most) {
      most = narrowing;
      best = column;
    }
  });
  return static_cast<std::size_t>(best);
}

// Regions that keep the same boxes are one branch; one that keeps fewer is harder to cover, so only the least sets count.
std::vector<CoverSearch::Branch> CoverSearch::branches(const Bits& live, int column) const {
  std::vector<Branch> found;
  Bits last;
  (*target_)[static_cast<std::size_t>(column)].each([&](int region) {
    Bits kept = live & at_[static_cast<std::size_t>(column)][static_cast<std::size_t>(region)];
    if (!found.empty() && kept == last) return;
    last = kept;
    found.push_back({std::move(kept), region});
  });
  std::stable_sort(found.begin(), found.end(), [](const Branch& one, const Branch& other) { return one.live.count() < other.live.count(); });
  std::vector<Branch> least;
  for (Branch& branch : found) {
    const bool larger = std::any_of(least.begin(), least.end(), [&](const Branch& one) { return one.live.within(branch.live); });
    if (!larger) least.push_back(std::move(branch));
  }
  return least;
}

bool CoverSearch::find_open(const Bits& live, const Bits& columns) {
  if (live.none()) return true;
  if (++steps_ > most_steps) return false;
  Bits whole = live;
  columns.each([&](int column) { whole &= full_[static_cast<std::size_t>(column)]; });
  if (whole.any()) return false;
  if (closed_.contains({columns, live})) return false;
  const auto column = widest(live, columns);
  Bits rest = columns;
  rest.reset(static_cast<int>(column));
  for (const Branch& branch : branches(live, static_cast<int>(column))) {
    row_[column] = branch.region;
    if (find_open(branch.live, rest)) return true;
    if (steps_ > most_steps) return false;
  }
  row_[column] = (*target_)[column].first();
  closed_.insert({columns, live});
  return false;
}

Box CoverSearch::grown(const std::vector<int>& row, const Box& bounds) const {
  Box box = bounds;
  for (std::size_t column = 0; column < box.size(); ++column) {
    box[column] = Bits(static_cast<int>(columns_[column].regions.size()));
    box[column].set(row[column]);
  }
  for (std::size_t column = 0; column < box.size(); ++column) {
    box[column] = bounds[column];
    meeting(box).each([&](int at) { box[column] -= boxes_[static_cast<std::size_t>(at)][column]; });
  }
  return box;
}

}  // namespace steelyard::rules::analysis

// Runs a resolved expression over one set of values. Unknown is a third truth: it passes through everything that it could change.
#pragma once

#include <vector>

#include "rules/language/expr.hpp"

namespace steelyard::rules {

/// Where an expression reads: slots are computed when first read, and kept while their stamp is the current one.
class Frame {
 public:
  Frame(std::size_t slots, ExprMode mode) : mode_(mode), values_(slots), stamps_(slots, 0) {}
  virtual ~Frame() = default;
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  const Datum& load(int slot) {
    const auto at = static_cast<std::size_t>(slot);
    return stamps_[at] == stamp_ ? values_[at] : keep(slot, compute(slot));
  }
  bool has(int slot) const { return stamps_[static_cast<std::size_t>(slot)] == stamp_; }
  const Datum& keep(int slot, const Datum& value) {
    const auto at = static_cast<std::size_t>(slot);
    stamps_[at] = stamp_;
    return values_[at] = value;
  }
  void forget(int slot) { stamps_[static_cast<std::size_t>(slot)] = 0; }
  void forget_all();
  /// Forgets all slots, but what they pointed to stays alive.
  void next_row();

  ExprMode mode() const { return mode_; }
  Heap& heap() { return heap_; }
  std::vector<Datum>& locals() { return locals_; }

 protected:
  virtual Datum compute(int slot) = 0;

 private:
  ExprMode mode_;
  std::uint32_t stamp_ = 1;
  std::vector<Datum> values_;
  std::vector<std::uint32_t> stamps_;
  std::vector<Datum> locals_;  // variables of macros, by their depth
  Heap heap_;
};

Datum evaluate(const Expr& expr, Frame& frame);

}  // namespace steelyard::rules

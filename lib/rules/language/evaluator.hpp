// Runs a resolved expression over one set of values. Unknown is a third truth: it passes through everything that it could change.
#pragma once

#include <vector>

#include "rules/language/expr.hpp"

namespace steelyard::rules {

/// Where an expression reads: slots are computed when first read. What is kept for good stays until it is forgotten; the rest until
/// `forget_computed`.
class Frame {
 public:
  Frame(std::size_t slots, ExprMode mode) : mode_(mode), values_(slots), stamps_(slots, 0) {}
  virtual ~Frame() = default;
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  const Datum& load(int slot) {
    const auto at = static_cast<std::size_t>(slot);
    return stamps_[at] >= stamp_ ? values_[at] : keep_computed(slot, compute(slot));
  }
  const Datum& keep(int slot, const Datum& value) {
    const auto at = static_cast<std::size_t>(slot);
    stamps_[at] = for_good;
    return values_[at] = value;
  }
  void forget(int slot) { stamps_[static_cast<std::size_t>(slot)] = 0; }
  /// Forgets what was computed; texts and lists that it pointed to stay alive until the heap is cleared.
  void forget_computed();
  void forget_all();

  ExprMode mode() const { return mode_; }
  Heap& heap() { return heap_; }
  std::vector<Datum>& locals() { return locals_; }

 protected:
  virtual Datum compute(int slot) = 0;

 private:
  static constexpr std::uint32_t for_good = 0xFFFFFFFF;

  const Datum& keep_computed(int slot, const Datum& value) {
    const auto at = static_cast<std::size_t>(slot);
    if (stamps_[at] != for_good) stamps_[at] = stamp_;  // `compute` may have kept it for good
    return values_[at] = value;
  }

  ExprMode mode_;
  std::uint32_t stamp_ = 1;
  std::vector<Datum> values_;
  std::vector<std::uint32_t> stamps_;
  std::vector<Datum> locals_;  // variables of macros, by their depth
  Heap heap_;
};

Datum evaluate_operation(const Expr& expr, Frame& frame);

inline Datum evaluate(const Expr& expr, Frame& frame) {
  if (expr.op == Op::literal) return expr.value;
  if (expr.op == Op::slot) return frame.load(expr.number);
  return evaluate_operation(expr, frame);
}

}  // namespace steelyard::rules

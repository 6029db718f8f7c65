// The facts of many rows in memory.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core/large_pages.hpp"
#include "rules/book.hpp"
#include "rules/columns/kernels.hpp"

namespace steelyard::rules {

constexpr std::size_t block_rows = 1024;  // a block of all columns in flight fits the second-level cache
constexpr std::size_t block_words = block_rows / 64;

/// Arrays are padded to whole blocks. Numbers that a float holds exactly are kept as floats: half the memory traffic.
struct FactColumn {
  enum class Form : unsigned char { constant, number, code, mixed };
  Form form = Form::constant;
  Datum constant;
  Column<double> wide;    // NaN where unknown or null
  Column<float> narrow;   // instead of `wide`
  std::vector<Bits> odd;  // unknown rows; empty where there are none
  std::vector<Bits> null;
  Column<Code> codes;
  std::vector<Datum> values;  // by code; unknown and null are values too
  std::vector<Datum> mixed;

  Datum at(std::size_t row, const Datum& unknown) const;
};

/// A value as a fact of its declared kind: an error where it is of another.
Datum fitting(const FactData& fact, const Value& value, Heap& heap);

/// Is the value of the kind that a declaration names? Anything is of a kind without values of its own.
bool fits(Type type, const Value& value);

inline bool bit(const std::vector<Bits>& bits, std::size_t row) { return !bits.empty() && (bits[row / 64] >> (row % 64) & 1) != 0; }

}  // namespace steelyard::rules

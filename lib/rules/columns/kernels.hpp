// Inner loops over blocks of rows, once for each instruction set; chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace steelyard::rules {

using Bits = std::uint64_t;  // one bit a row, 64 rows a word
using Code = std::uint16_t;

enum class Arithmetic : unsigned char { add, subtract, multiply, divide, least, greatest };
enum class Order : unsigned char { less, less_equal, equal };

/// All arrays hold `words` x 64 rows. A null pointer for an operand stands for the constant beside it.
struct Kernels {
  std::string_view name;
  /// least <= x <= most; infinite ends are not looked at.
  void (*range)(const double* x, double least, double most, Bits* out, std::size_t words);
  void (*range_narrow)(const float* x, float least, float most, Bits* out, std::size_t words);
  void (*code_equal)(const Code* x, Code code, Bits* out, std::size_t words);
  void (*order)(Order order, const double* left, const double* right, Bits* out, std::size_t words);
  void (*arithmetic)(Arithmetic op, const double* left, double left_constant, const double* right, double right_constant, double* out,
                     std::size_t words);
  void (*widen)(const float* x, double* out, std::size_t words);
  /// out[i] = r where bit i of masks[r] is set, `none` where no mask has it.
  void (*number_rows)(const Bits* const* masks, std::size_t count, Code none, Code* out, std::size_t words);
  /// out[i] = table[codes[i]]; the table has at least 16 entries.
  void (*look_up)(const Code* codes, const double* table, std::size_t entries, double* out, std::size_t words);
};

enum class InstructionSet : unsigned char { plain, avx2, avx512 };

/// The widest set that this processor has.
InstructionSet best_instruction_set();
/// The loops for one set; those of the widest one below it where the processor or the compiler lacks it.
const Kernels& kernels(InstructionSet set);

}  // namespace steelyard::rules

#include "rules/columns/kernels.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define STEELYARD_X86 1
#include <immintrin.h>
#endif

namespace steelyard::rules {

#ifdef STEELYARD_X86

namespace plain {
#define STEELYARD_LANES 2
#include "rules/columns/kernels.inl"
#undef STEELYARD_LANES
}  // namespace plain

// No contraction to fused multiply-add: every set must give the same bits.
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
namespace avx2 {
#define STEELYARD_LANES 4
#include "rules/columns/kernels.inl"
#undef STEELYARD_LANES
}  // namespace avx2
#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#endif
namespace avx512 {
#define STEELYARD_LANES 8
#include "rules/columns/kernels.inl"
#undef STEELYARD_LANES
}  // namespace avx512
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

InstructionSet best_instruction_set() {
  __builtin_cpu_init();
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
  if (wide) return InstructionSet::avx512;
  return __builtin_cpu_supports("avx2") ? InstructionSet::avx2 : InstructionSet::plain;
}

const Kernels& kernels(InstructionSet set) {
  static const Kernels plain_kernels = plain::table_of("plain");
  static const Kernels avx2_kernels = avx2::table_of("avx2");
  static const Kernels avx512_kernels = avx512::table_of("avx512");
  if (set > best_instruction_set()) set = best_instruction_set();
  return set == InstructionSet::avx512 ? avx512_kernels : set == InstructionSet::avx2 ? avx2_kernels : plain_kernels;
}

#else

namespace plain {
#define STEELYARD_LANES 1
#include "rules/columns/kernels.inl"
#undef STEELYARD_LANES
}  // namespace plain

InstructionSet best_instruction_set() { return InstructionSet::plain; }

const Kernels& kernels(InstructionSet) {
  static const Kernels plain_kernels = plain::table_of("plain");
  return plain_kernels;
}

#endif

}  // namespace steelyard::rules

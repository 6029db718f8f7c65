// The fitted parameters of the law of matrix products: which board and which format runs how well.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "estimate/efficiencies.hpp"
#include "estimate/gemm/law.hpp"

namespace steelyard::estimate {

/// The format whose fit stands for a format: "fp16" for "bf16" and so on.
std::string_view fitted_format(std::string_view format);

/// Name and place of every parameter of the law, in the order of the fit.
struct GemmMember {
  const char* name;
  double GemmLaw::*member;
};
const std::array<GemmMember, 13>& gemm_members();

/// The parameters of data/efficiency/gemm.yaml.
struct GemmEfficiency {
  FittedFamily fitted;

  /// Law of a format on a board: its parameters "bf16.rate" times the factors "bf16.rate@Hopper" and "bf16.rate@H100-SXM5-80GB" where there are any.
  GemmLaw law(std::string_view format, const Board& board) const;
  bool seen(std::string_view format, const Board& board) const;
  /// sd of the log of a measured time around the law.
  double log_sd(std::string_view format, const Board& board) const;

  static const GemmEfficiency& embedded();
};

}  // namespace steelyard::estimate

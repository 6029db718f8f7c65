#include "estimate/gemm/efficiency.hpp"

#include <cmath>

namespace steelyard::estimate {

std::string_view fitted_format(std::string_view format) {
  if (format == "fp8" || format == "mxfp8" || format == "int8") return "fp8";
  if (format == "nvfp4" || format == "mxfp4" || format == "fp4" || format == "int4") return "nvfp4";
  return "bf16";
}

const std::array<GemmMember, 13>& gemm_members() {
  static const std::array<GemmMember, 13> all{{{"launch_us", &GemmLaw::launch_us},
                                               {"rate", &GemmLaw::rate},
                                               {"memory", &GemmLaw::memory},
                                               {"k_step_us", &GemmLaw::k_step_us},
                                               {"cast", &GemmLaw::cast},
                                               {"cache_tb_per_s", &GemmLaw::cache_tb_per_s},
                                               {"cache_share", &GemmLaw::cache_share},
                                               {"fill", &GemmLaw::fill},
                                               {"tile_128", &GemmLaw::tile_128},
                                               {"tile_64", &GemmLaw::tile_64},
                                               {"tile_small", &GemmLaw::tile_small},
                                               {"tail", &GemmLaw::tail},
                                               {"split_us", &GemmLaw::split_us}}};
  return all;
}

GemmLaw GemmEfficiency::law(std::string_view format, const Board& board) const {
  GemmLaw out;
  for (const GemmMember& member : gemm_members()) {
    const std::string name = std::string(fitted_format(format)) + "." + member.name;
    out.*member.member = fitted.parameter(name, out.*member.member) * fitted.parameter(name + "@" + board.architecture, 1) *
                         fitted.parameter(name + "@" + board.id, 1);
  }
  return out;
}

bool GemmEfficiency::seen(std::string_view format, const Board& board) const {
  return fitted.parameters.count(std::string(fitted_format(format)) + ".rate@" + board.id) > 0;
}

double GemmEfficiency::log_sd(std::string_view format, const Board& board) const {
  const std::string name(fitted_format(format));
  const double own = fitted.parameter(name + ".noise", 0.1);
  if (seen(format, board)) return own;
  return std::hypot(own, fitted.parameter(name + ".noise_of_unseen_board", 0.25));
}

const GemmEfficiency& GemmEfficiency::embedded() {
  static const GemmEfficiency shipped{embedded_family("gemm")};
  return shipped;
}

}  // namespace steelyard::estimate

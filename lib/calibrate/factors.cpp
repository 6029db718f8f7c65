#include "calibrate/factors.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/rates.hpp"
#include "calibrate/statistics.hpp"
#include "calibrate/tables.hpp"

namespace steelyard::calibration {

namespace {

// A PCIe lane carries 8 GT/s in generation 3 and twice as much in each later one, 128 of 130 bits of it data.
std::optional<double> pcie_gb_per_s(const Board& board) {
  if (!board.pcie_generation || *board.pcie_generation < 3) return std::nullopt;
  return board.pcie_lanes.value_or(16) * std::exp2(*board.pcie_generation - 3) * 8 * 128 / 130 / 8;
}

Measured share(double measured, double peak, double spread, std::string what) {
  return {std::min(1.0, measured / peak), spread, "measured", std::move(what)};
}

std::optional<Measured> interconnect(const Calibration& calibration, const Board& board) {
  const auto curves = collective_curves(calibration.measurements);
  const auto found = curves.find({"gpu", "all_reduce", 1});
  if (found == curves.end() || found->second.empty()) return std::nullopt;
  const auto& [ranks, curve] = *found->second.rbegin();
  const CurvePoint& last = curve.curve.points().back();
  const double rate = bus_gb_per_s("all_reduce", ranks, last.bytes, last.seconds);
  const auto peak = link_peak_gb_per_s(board, rate);
  if (!peak) return std::nullopt;
  return share(rate, *peak, curve.spread, "all_reduce bus bandwidth over one direction of the link's peak");
}

std::optional<Measured> memory(const Calibration& calibration, const Board& board) {
  auto found = representative(calibration.measurements, "gpu", "memory.triad");
  if (!found) found = representative(calibration.measurements, "gpu", "memory.copy");
  if (!found || !board.memory_bandwidth_gb_per_s) return std::nullopt;
  return share(found->value, *board.memory_bandwidth_gb_per_s, relative_spread(found->time), found->metric + " over the memory's peak");
}

std::optional<Measured> software(const Calibration& calibration, const Board& board) {
  const auto surfaces = gemm_surfaces(calibration.measurements);
  for (const std::string format : {"bf16", "fp16", "tf32", "fp32"}) {
    const auto found = surfaces.find({"gpu", format});
    const auto peak = dense_peak_tflops(board, format);
    if (found == surfaces.end() || !peak) continue;
    return share(found->second.surface.best_rate() / 1e12, *peak, found->second.spread, "best " + format + " matrix product over the dense peak");
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> link_peak_gb_per_s(const Board& board, double measured_gb_per_s) {
  const auto pcie = pcie_gb_per_s(board);
  const bool has_nvlink = board.nvlink_gb_per_s_bidirectional && board.nvlink_kind != "none";
  // Bridges and switches may be missing in this machine: a rate that PCIe can carry is no proof of them, and then PCIe is the measure.
  if (has_nvlink && (!pcie || measured_gb_per_s > *pcie)) return *board.nvlink_gb_per_s_bidirectional / 2;
  return pcie;
}

MeasuredFactors derive_factors(const Calibration& calibration, const Board& board) {
  return {interconnect(calibration, board), memory(calibration, board), software(calibration, board)};
}

}  // namespace steelyard::calibration

// The three factors of the guide's formula from measurements and the board's peaks.
#pragma once

#include <steelyard/calibrate.hpp>

namespace steelyard::calibration {

/// One direction of the fastest link that the measured all_reduce can have used, in 1e9 bytes/s; empty where the board states none.
std::optional<double> link_peak_gb_per_s(const Board& board, double measured_gb_per_s);
MeasuredFactors derive_factors(const Calibration& calibration, const Board& board);

}  // namespace steelyard::calibration

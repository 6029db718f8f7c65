// What writer and reader of calibration files share.
#pragma once

#include <string_view>

namespace steelyard::calibrate {

inline constexpr std::string_view kSchema = "steelyard.calibration/1";

}  // namespace steelyard::calibrate

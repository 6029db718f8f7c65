// What writer and reader of calibration files share, and the probes with them.
#pragma once

#include <steelyard/calibrate.hpp>
#include <string_view>

#include "load/fields.hpp"

namespace steelyard::calibration {

inline constexpr std::string_view kSchema = "steelyard.calibration/1";

Value value_of(const Measurement& one);
Value value_of(const Reading& one);
Value value_of(const ProbeOutcome& one);
Value value_of(const Coefficient& one);
Value value_of(const CalibratedMachine& machine);

// Each reads one map and names its unknown keys.
Measurement read_measurement(load::Fields& fields);
Reading read_reading(load::Fields& fields);
ProbeOutcome read_outcome(load::Fields& fields);
Coefficient read_coefficient(load::Fields& fields);
CalibratedMachine read_machine(load::Fields& fields);

}  // namespace steelyard::calibration

// The JSON lines that a child writes and its parent reads.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "probes/probe.hpp"

namespace steelyard::probes {

/// Runs a request of the C interface: reads it, runs the probe, writes lines to the descriptor, puts the reason into `error`.
int run_request(const std::vector<std::unique_ptr<Probe>>& probes, const std::string& json, int descriptor, char* error, std::size_t error_size);

/// Puts what a line says into the calibration; false where it is no line of a probe.
bool take_line(std::string_view line, Calibration& into);
/// What was found replaces what was known; what was not found stays.
void merge_machine(const CalibratedMachine& found, CalibratedMachine& into);

}  // namespace steelyard::probes

// Finished probes of a run, kept outside the user's folders so that an interrupted run can go on.
#pragma once

#include <filesystem>
#include <optional>
#include <steelyard/calibrate.hpp>
#include <string>
#include <string_view>

#include "probes/ranks/launcher.hpp"

namespace steelyard::probes {

/// The file for a run that writes `out` with `backend`; empty where the environment names no folder of the user's.
std::filesystem::path kept_file(const std::filesystem::path& out, std::string_view backend, const Environment& environment);

/// Writes what is finished, whole or not at all, and makes the folder where it is missing. Empty: done; else the reason.
std::optional<std::string> keep(const Calibration& finished, const std::filesystem::path& file);

/// What an earlier run on the same machine and day had finished; empty where there is none such.
std::optional<Calibration> kept(const std::filesystem::path& file, const Calibration& now);

}  // namespace steelyard::probes

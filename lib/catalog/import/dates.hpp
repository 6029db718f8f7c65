// Dates in the names of files and columns.
#pragma once

#include <optional>
#include <steelyard/date.hpp>
#include <string_view>

namespace steelyard::catalog {

/// The first date in a name, the year first: "2026-06-18", "2026_06_18", "2026.06.18", "20260618".
std::optional<Date> date_in_name(std::string_view name);

}  // namespace steelyard::catalog

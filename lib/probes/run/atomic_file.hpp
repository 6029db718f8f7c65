// Files that are whole at any time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace steelyard::probes {

/// Writes a new file beside the old one, syncs it and renames it over the old one. Empty: done; else the reason, and the old file stays.
std::optional<std::string> write_whole(const std::filesystem::path& file, std::string_view text);

}  // namespace steelyard::probes

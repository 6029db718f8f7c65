// Outputs of tools that the evidence tests read: our own ones, written after the tools' formats, and those of a folder beside the sources where there
// is one.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <steelyard/requests.hpp>
#include <string>
#include <vector>

namespace steelyard::test {

struct Sample {
  std::string name, text;
};

inline std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<Sample> samples_of(const std::filesystem::path& folder) {
  std::vector<Sample> found;
  if (!std::filesystem::is_directory(folder)) return found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string kind = entry.path().extension();
    const bool output = kind == ".log" || kind == ".txt" || kind == ".json";
    if (output && entry.path().filename() != "expected.json") found.push_back({entry.path().filename(), read_all(entry.path())});
  }
  std::sort(found.begin(), found.end(), [](const Sample& one, const Sample& other) { return one.name < other.name; });
  return found;
}

inline std::filesystem::path own_samples_folder() { return std::filesystem::path(STEELYARD_SOURCE_DIR) / "test/samples/evidence"; }

inline std::vector<Sample> own_samples() { return samples_of(own_samples_folder()); }

/// Empty where there is no such folder.
inline std::vector<Sample> shared_samples() { return samples_of(std::filesystem::path(STEELYARD_SHARED_DATA) / "tool_outputs"); }

inline std::vector<Sample> all_samples() {
  std::vector<Sample> all = own_samples();
  for (Sample& sample : shared_samples()) all.push_back(std::move(sample));
  return all;
}

}  // namespace steelyard::test

// Cutting any real output anywhere never throws and never makes a bad paste look healthy.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <steelyard/evidence.hpp>

#include "support/catch.hpp"

using namespace steelyard;

namespace {

const std::set<std::string> bad{"defective", "fails_promise", "not_rdma", "no_verdict", "degraded", "config_fault", "software_unfit"};

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::filesystem::path> samples() {
  const std::filesystem::path folder = std::filesystem::path(STEELYARD_SHARED_DATA) / "tool_outputs";
  std::vector<std::filesystem::path> found;
  if (!std::filesystem::is_directory(folder)) return found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string kind = entry.path().extension();
    if (kind == ".log" || kind == ".txt" || (kind == ".json" && entry.file_size() < 100000)) found.push_back(entry.path());
  }
  return found;
}

/// A listing of blocks that ends exactly where a block ends is a whole listing of a smaller machine: nothing in it tells of a cut.
bool at_block_end(const std::string& text, std::size_t cut) {
  std::size_t next = text.find_first_not_of(" \t\r\n", cut);
  if (next == std::string::npos) return true;
  for (const char* start : {"CA '", "Infiniband device '", "GPU ", "hca_id:"}) {
    if (text.compare(next, std::string(start).size(), start) == 0) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a cut text never turns from bad to healthy") {
  const auto files = samples();
  if (files.empty()) {
    WARN("no samples beside the source folder: nothing to cut");
    return;
  }
  const Evidence evidence = Evidence::embedded();
  for (const auto& path : files) {
    INFO(path.filename().string());
    const std::string text = read_all(path);
    if (bad.count(evidence.read(text).verdict.verdict_class) == 0) continue;
    // Every byte of the short ones; of the long ones a step that meets every column of their lines over time.
    const std::size_t step = text.size() / 400 + 1;
    for (std::size_t cut = 0; cut < text.size(); cut += step) {
      const PasteReading reading = evidence.read(std::string_view(text).substr(0, cut));
      const bool harmless = reading.verdict.verdict_class != "healthy" || at_block_end(text, cut);
      if (!harmless) FAIL_CHECK("cut at byte " << cut << ": " << reading.verdict.because);
    }
  }
}

TEST_CASE("parts, shuffled lines and broken bytes never throw") {
  const auto files = samples();
  for (const auto& path : files) {
    std::string text = read_all(path);
    for (std::size_t at = 0; at < text.size(); at += 97) text[at] = static_cast<char>(at * 131 % 256);
    CHECK_NOTHROW(read_tool_output(text));
    CHECK_NOTHROW(read_tool_output(text.substr(text.size() / 3)));
    CHECK_NOTHROW(redact(text));
  }
}

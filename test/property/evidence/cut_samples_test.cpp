// Cutting one of our samples anywhere never throws and never makes a bad paste look healthy.
#include <random>
#include <set>
#include <steelyard/evidence.hpp>

#include "support/catch.hpp"
#include "support/samples.hpp"

using namespace steelyard;

namespace {

const std::set<std::string> bad{"defective", "fails_promise", "not_rdma", "no_verdict", "degraded", "config_fault", "software_unfit"};

/// A listing of blocks that ends exactly where a block ends is a whole listing of a smaller machine: nothing in it tells of a cut.
bool at_block_end(const std::string& text, std::size_t cut) {
  const std::size_t next = text.find_first_not_of(" \t\r\n|+-=", cut);
  if (next == std::string::npos) return true;
  for (const char* start : {"CA '", "Infiniband device '", "GPU ", "hca_id:", "CA: ", "Switch: ", "gpuId ", "1  NVIDIA ", "1  Tesla "}) {
    if (text.compare(next, std::string(start).size(), start) == 0) return true;
  }
  return false;
}

/// Of outputs whose lines stand for themselves, or whose fault is the last line, a part that ends with a line is whole:
/// a cut inside a line must be no better than the cuts at its ends.
bool line_by_line(const PasteReading& whole) {
  static const std::set<std::string> tools{"iblinkinfo", "dmesg", "nccl-log", "babelstream"};
  return !whole.records.empty() && tools.count(whole.records.front().tool) > 0;
}

bool as_good_at_the_line_ends(const Evidence& evidence, const std::string& text, std::size_t cut) {
  const std::size_t line = cut == 0 ? std::string::npos : text.rfind('\n', cut - 1);
  const std::size_t begin = line == std::string::npos ? 0 : line + 1, end = std::min(text.find('\n', cut), text.size());
  const auto healthy = [&](std::size_t length) { return evidence.read(std::string_view(text).substr(0, length)).verdict.verdict_class == "healthy"; };
  return healthy(begin) || healthy(end);
}

/// Rows of a query stand for themselves too, except the one that the cut goes through.
bool at_row_end(const PasteReading& whole, const std::string& text, std::size_t cut) {
  const bool query = !whole.records.empty() && whole.records.front().tool == "nvidia-smi" && text.find("pcie.link.width") != std::string::npos;
  return query && (text[cut] == '\n' || text[cut - 1] == '\n' || text.find_last_of(',', cut) > text.rfind('\n', cut));
}

/// Every byte of the short texts; of the long ones 300 places by a fixed seed.
std::vector<std::size_t> cuts_of(const std::string& text) {
  std::vector<std::size_t> cuts;
  if (text.size() <= 1000) {
    for (std::size_t cut = 0; cut < text.size(); ++cut) cuts.push_back(cut);
    return cuts;
  }
  std::mt19937 random(20261130);
  for (int count = 0; count < 300; ++count) cuts.push_back(random() % text.size());
  return cuts;
}

void cut_everywhere(const std::vector<test::Sample>& samples) {
  const Evidence evidence = Evidence::embedded();
  for (const test::Sample& sample : samples) {
    INFO(sample.name);
    const PasteReading whole = evidence.read(sample.text);
    if (bad.count(whole.verdict.verdict_class) == 0) continue;
    for (const std::size_t cut : cuts_of(sample.text)) {
      const PasteReading reading = evidence.read(std::string_view(sample.text).substr(0, cut));
      const bool harmless = reading.verdict.verdict_class != "healthy" || at_block_end(sample.text, cut) || at_row_end(whole, sample.text, cut) ||
                            (line_by_line(whole) && as_good_at_the_line_ends(evidence, sample.text, cut));
      if (!harmless) FAIL_CHECK("cut at byte " << cut << ": " << reading.verdict.because);
    }
  }
}

}  // namespace

TEST_CASE("a cut sample never turns from bad to healthy") { cut_everywhere(test::own_samples()); }

TEST_CASE("parts and broken bytes of samples never throw") {
  for (test::Sample& sample : test::own_samples()) {
    INFO(sample.name);
    std::string& text = sample.text;
    for (std::size_t at = 0; at < text.size(); at += 97) text[at] = static_cast<char>(at * 131 % 256);
    CHECK_NOTHROW(read_tool_output(text));
    CHECK_NOTHROW(read_tool_output(text.substr(text.size() / 3)));
    CHECK_NOTHROW(redact(text));
  }
}

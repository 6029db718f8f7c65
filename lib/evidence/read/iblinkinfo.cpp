// iblinkinfo: "==( 4X  25.78125 Gbps Active/  LinkUp)==>" is lanes times the signalling rate of one lane.
#include <algorithm>
#include <array>
#include <set>

#include "core/text.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

struct LaneSpeed {
  double signalling_gbit_per_s, nominal_gbit_per_s;
  std::string_view name;
};

constexpr std::array<LaneSpeed, 9> lane_speeds{{{2.5, 2.5, "SDR"},
                                                {5.0, 5, "DDR"},
                                                {10.0, 10, "QDR"},
                                                {10.3125, 10, "FDR10"},
                                                {14.0625, 14, "FDR"},
                                                {25.78125, 25, "EDR"},
                                                {53.125, 50, "HDR"},
                                                {106.25, 100, "NDR"},
                                                {212.5, 200, "XDR"}}};

struct Links {
  int up = 0, down = 0, below = 0;  // below: up, but slower or narrower than both ends can ("Could be 4X")
  std::vector<double> rates;
  std::set<std::string> speeds;
};

/// One arrow; false where the line was cut inside it.
bool read_link(std::string_view line, Links& links) {
  const std::string_view inside = before(after(line, "==(").value_or(""), ")==>");
  if (!contains(line, ")==>")) return false;
  const std::vector<std::string_view> word = words(inside);
  const bool up = contains(inside, "Active") && contains(inside, "LinkUp");
  ++(up ? links.up : links.down);
  links.below += up && contains(after(line, ")==>").value_or(""), "Could be ");
  const std::optional<double> lanes = word.empty() ? std::nullopt : leading_number(word[0]);
  const std::optional<double> lane = word.size() < 2 ? std::nullopt : number(word[1]);
  if (!up || !lanes || !lane || !ends_with(word[0], "X")) return true;
  const auto speed =
      std::find_if(lane_speeds.begin(), lane_speeds.end(), [&](const LaneSpeed& known) { return known.signalling_gbit_per_s == *lane; });
  links.rates.push_back(*lanes * (speed == lane_speeds.end() ? *lane : speed->nominal_gbit_per_s));
  if (speed != lane_speeds.end()) links.speeds.insert(std::string(speed->name));
  return true;
}

}  // namespace

Records read_iblinkinfo(const Paste& paste) {
  Links links;
  ToolRecord record;
  bool cut = false;
  for (const Line& line : paste.lines) {
    if (!contains(line.text, "==(")) continue;
    cut = !read_link(line.text, links) || cut;
    if (record.first_line == 0) record.first_line = line.number;
    record.last_line = line.number;
  }
  if (record.first_line == 0) return {};
  record.tool = "iblinkinfo";
  record.subject = "links";
  record.facts["links_up"] = links.up;
  record.facts["links_down"] = links.down;
  if (links.below > 0) record.facts["links_below_capability"] = links.below;
  if (!links.rates.empty()) {
    record.facts["min_rate_gbit_per_s"] = *std::min_element(links.rates.begin(), links.rates.end());
    record.facts["max_rate_gbit_per_s"] = *std::max_element(links.rates.begin(), links.rates.end());
  }
  Value speeds = Value::list();
  for (const std::string& speed : links.speeds) speeds.push_back(speed);
  record.facts["speeds"] = std::move(speeds);
  record.complete = !cut && !paste.elided_between(record.first_line, record.last_line + 1);
  return {record};
}

}  // namespace steelyard::evidence

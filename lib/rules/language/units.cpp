#include "rules/language/units.hpp"

#include <algorithm>

namespace steelyard::rules {

namespace {

struct Word {
  std::string_view name;
  Base base;
  double scale;
  int per_second = 0;  // -1 for rates with a name of their own (TFLOPS, Hz)
};

constexpr double kibi = 1024, mebi = kibi * kibi, gibi = mebi * kibi, tebi = gibi * kibi;
constexpr Base none = Base::count;

constexpr Word words[] = {
    {"B", Base::byte, 1},
    {"kB", Base::byte, 1e3},
    {"MB", Base::byte, 1e6},
    {"GB", Base::byte, 1e9},
    {"TB", Base::byte, 1e12},
    {"PB", Base::byte, 1e15},
    {"KiB", Base::byte, kibi},
    {"MiB", Base::byte, mebi},
    {"GiB", Base::byte, gibi},
    {"TiB", Base::byte, tebi},
    {"bit", Base::byte, 0.125},
    {"kbit", Base::byte, 125},
    {"Mbit", Base::byte, 1.25e5},
    {"Gbit", Base::byte, 1.25e8},
    {"gbit", Base::byte, 1.25e8},
    {"Tbit", Base::byte, 1.25e11},
    {"ns", Base::second, 1e-9},
    {"us", Base::second, 1e-6},
    {"ms", Base::second, 1e-3},
    {"s", Base::second, 1},
    {"min", Base::second, 60},
    {"h", Base::second, 3600},
    {"d", Base::second, 86400},
    {"week", Base::second, 604800},
    {"FLOP", Base::flop, 1},
    {"GFLOP", Base::flop, 1e9},
    {"TFLOP", Base::flop, 1e12},
    {"PFLOP", Base::flop, 1e15},
    {"EFLOP", Base::flop, 1e18},
    {"GFLOPS", Base::flop, 1e9, -1},
    {"TFLOPS", Base::flop, 1e12, -1},
    {"PFLOPS", Base::flop, 1e15, -1},
    {"W", Base::watt, 1},
    {"kW", Base::watt, 1e3},
    {"MW", Base::watt, 1e6},
    {"USD", Base::usd, 1},
    {"CNY", Base::cny, 1},
    {"EUR", Base::eur, 1},
    {"GBP", Base::gbp, 1},
    {"JPY", Base::jpy, 1},
    {"token", Base::token, 1},
    {"tokens", Base::token, 1},
    {"ktoken", Base::token, 1e3},
    {"Mtoken", Base::token, 1e6},
    {"Gtoken", Base::token, 1e9},
    {"sample", Base::sample, 1},
    {"samples", Base::sample, 1},
    {"request", Base::request, 1},
    {"requests", Base::request, 1},
    {"step", Base::step, 1},
    {"steps", Base::step, 1},
    {"gpu", Base::gpu, 1},
    {"gpus", Base::gpu, 1},
    {"node", Base::node, 1},
    {"nodes", Base::node, 1},
    {"param", Base::param, 1},
    {"params", Base::param, 1},
    {"Mparam", Base::param, 1e6},
    {"Gparam", Base::param, 1e9},
    {"Hz", none, 1, -1},
    {"kHz", none, 1e3, -1},
    {"MHz", none, 1e6, -1},
    {"GHz", none, 1e9, -1},
    {"degC", Base::kelvin, 1},
    {"px", Base::pixel, 1},
    {"%", none, 0.01},
    {"1", none, 1},
};

constexpr std::string_view base_names[] = {"byte",  "s",      "flop",    "W",    "USD", "CNY",  "EUR",   "GBP",  "JPY",
                                           "token", "sample", "request", "step", "gpu", "node", "param", "degC", "px"};

const Word* find_word(std::string_view name) {
  const auto found = std::find_if(std::begin(words), std::end(words), [&](const Word& word) { return word.name == name; });
  return found == std::end(words) ? nullptr : found;
}

Unit unit_of(const Word& word) {
  Unit unit;
  unit.stated = true;
  unit.scale = word.scale;
  if (word.base != none) unit.exponents[static_cast<std::size_t>(word.base)] = 1;
  unit.exponents[static_cast<std::size_t>(Base::second)] += static_cast<std::int8_t>(word.per_second);
  return unit;
}

}  // namespace

Unit product(const Unit& one, const Unit& other, int sign) {
  Unit unit;
  unit.stated = one.stated && other.stated;
  unit.scale = sign > 0 ? one.scale * other.scale : one.scale / other.scale;
  for (std::size_t at = 0; at < unit.exponents.size(); ++at) {
    unit.exponents[at] = static_cast<std::int8_t>(one.exponents[at] + sign * other.exponents[at]);
  }
  return unit;
}

std::optional<Unit> parse_unit(std::string_view text) {
  Unit unit = unit_of(*find_word("1"));
  int sign = 1;
  while (true) {
    const auto end = text.find_first_of("/*");
    const Word* word = find_word(text.substr(0, end));
    if (!word) return std::nullopt;
    unit = product(unit, unit_of(*word), sign);
    if (end == std::string_view::npos) return unit;
    sign = text[end] == '/' ? -1 : 1;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> unit_words() {
  std::vector<std::string> names;
  for (const Word& word : words) names.emplace_back(word.name);
  return names;
}

std::string dimension_name(const Unit& unit) {
  std::string above, below;
  for (std::size_t at = 0; at < unit.exponents.size(); ++at) {
    const std::int8_t power = unit.exponents[at];
    if (power == 0) continue;
    std::string& side = power > 0 ? above : below;
    if (power > 0 && !above.empty()) above += "*";
    if (power < 0) side += "/";
    side += base_names[at];
    if (std::abs(power) > 1) side += "^" + std::to_string(std::abs(power));
  }
  return (above.empty() ? "1" : above) + below;
}

}  // namespace steelyard::rules

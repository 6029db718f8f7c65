#include "yaml_out.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

namespace steelyard::fit {

std::string figure(double value) { return fmt::format("{:.4g}", value == 0 ? 0.0 : value); }

std::string parameters_yaml(const Problem& problem, const Fit& fitted, const std::string& indent) {
  std::string out = indent + "parameters:\n";
  for (std::size_t k = 0; k < problem.parameters.size(); ++k) {
    const Parameter& p = problem.parameters[k];
    out += fmt::format("{}  - {{name: {}, value: {}, spread: {}, prior: {}, prior_spread: {}}}\n", indent, p.name, figure(fitted.theta[k]),
                       figure(fitted.spread[k]), figure(p.median), figure(p.spread));
  }
  return out;
}

std::string offsets_yaml(const estimate::Offsets& offsets, const std::string& indent) {
  std::string out = indent + "levels:\n";
  for (const estimate::FittedLevel& level : offsets.levels())
    out += fmt::format("{}  - {{name: \"{}\", sigma: {}, offset: {}}}\n", indent, level.name, figure(level.sigma), figure(level.offset));
  out += indent + "cells:\n";
  for (const estimate::LevelCell& cell : offsets.cells())
    out += fmt::format("{}  - {{precision: {}, levels: [{}]}}\n", indent, figure(cell.precision), fmt::join(cell.levels, ", "));
  return out;
}

std::string widths_yaml(const std::map<std::string, double, std::less<>>& widths) {
  std::string out = "interval_widths:\n";
  for (const auto& [kind, width] : widths) out += fmt::format("  {}: {}\n", kind, figure(width));
  return out;
}

std::string errors_yaml(const std::string& of, const std::string& left_out, const Errors& e, const std::string& indent) {
  return fmt::format("{}  - {{of: {}, left_out: {}, rows: {}, mape: {}, median: {}, p90: {}, inside: {}}}\n", indent, of, left_out, e.n,
                     figure(e.mape), figure(e.median), figure(e.p90), figure(e.inside));
}

bool write_file(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".tmp";
  {
    std::ofstream file(temporary, std::ios::binary);
    file << text;
    if (!file.flush()) return false;
  }
  return std::rename(temporary.c_str(), path.c_str()) == 0;
}

}  // namespace steelyard::fit

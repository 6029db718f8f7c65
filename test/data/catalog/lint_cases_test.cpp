// The real defects of real catalogs, excerpt by excerpt: each is found at its line, nothing loud elsewhere.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <steelyard/lint.hpp>

#include "load/node.hpp"
#include "support/catch.hpp"

using namespace steelyard;
namespace fs = std::filesystem;

namespace {

const fs::path folder = fs::path(STEELYARD_SHARED_DATA) / "catalogs" / "lint_cases";

std::string text_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Lines that a case allows: one, or any of a list.
std::set<int> lines_of(const Value& wanted) {
  std::set<int> lines;
  const Value& line = *wanted.find("line");
  if (line.is_int()) lines.insert(static_cast<int>(line.as_int()));
  if (line.is_list()) {
    for (const Value& each : line.as_list()) lines.insert(static_cast<int>(each.as_int()));
  }
  return lines;
}

bool named(const std::vector<Finding>& findings, const Value& wanted) {
  const std::set<int> lines = lines_of(wanted);
  for (const Finding& finding : findings) {
    if (!lines.contains(finding.where.line)) continue;
    if (const Value* code = wanted.find("code"); code && finding.code != code->as_string()) continue;
    bool all = true;
    if (const Value* names = wanted.find("names")) {
      for (const Value& name : names->as_list()) all = all && (finding.message + " " + finding.fix).find(name.as_string()) != std::string::npos;
    }
    if (all) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("lint cases") {
  if (!fs::exists(folder)) {
    std::cout << "skipped: no lint cases at " << folder << "\n";
    return;
  }
  std::istringstream index(text_of(folder / "index.jsonl"));
  for (std::string line; std::getline(index, line);) {
    const Value entry = load::to_value(load::parse_json(line, "index.jsonl").value->root);
    const std::string file = entry.find("file")->as_string();
    const Date today = entry.find("today") ? parse_date(entry.find("today")->as_string()).value() : Date{2026, 11, 30};
    const auto findings = lint_text(text_of(folder / file), file, today, Catalog::embedded());
    std::string all;
    for (const Finding& finding : findings) all += to_string(finding) + "\n";
    INFO(file << "\n" << all);
    std::set<int> defective;
    for (const Value& wanted : entry.find("expect")->as_list()) {
      INFO(to_json(wanted));
      CHECK(named(findings, wanted));
      defective.merge(lines_of(wanted));
    }
    if (entry.find("format")->as_string() == "steelyard") continue;
    for (const Finding& finding : findings) {
      INFO(to_string(finding));
      if (finding.severity != "note") CHECK(defective.contains(finding.where.line));
    }
  }
}

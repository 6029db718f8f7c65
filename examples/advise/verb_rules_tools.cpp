// advise rules fmt, diff and impact: tools for people who write rules.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <steelyard/requests.hpp>
#include <steelyard/rule_tools.hpp>

#include "common.hpp"
#include "files.hpp"
#include "verb_rules.hpp"

namespace advise {

using namespace steelyard;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> rule_files(const Words& paths) {
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      files.emplace_back(path);
      continue;
    }
    std::error_code error, ignored;
    for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
      const auto extension = entry->path().extension();
      if (entry->is_regular_file(ignored) && (extension == ".yaml" || extension == ".yml")) files.push_back(entry->path());
    }
    if (error) throw UsageError(path + ": cannot be read: " + error.message() + "; check the permissions of the folder and of those in it");
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError(path.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string line_of(const VerdictChange::Side& side) {
  if (side.rule.empty()) return side.verdict;
  return side.verdict + " by " + side.rule + ": " + side.reason;
}

std::string text_of(const RuleBookDiff& diff, bool offers) {
  std::string text = diff.before + " -> " + diff.after + "\n";
  for (const RuleChange& change : diff.rules) {
    const SourceLocation& where = change.kind == "removed" ? change.before : change.after;
    text += "  " + padded(change.kind, 8) + change.rule + (change.rule == change.decision ? "" : " (" + change.decision + ")") + "  " +
            to_string(where) + "\n";
  }
  if (diff.rules.empty()) text += "  the same rules\n";
  if (!offers) return text;
  text += std::to_string(diff.offers.size()) + " of " + std::to_string(diff.offers_compared) + " offers change their verdict\n";
  for (const VerdictChange& change : diff.offers) {
    text +=
        "  " + change.offer + "\n    " + diff.before + ": " + line_of(change.before) + "\n    " + diff.after + ": " + line_of(change.after) + "\n";
  }
  return text;
}

std::string text_of(const RuleImpact& impact) {
  std::string steps;
  for (const std::string& step : impact.steps) steps += (steps.empty() ? "" : ", ") + step;
  std::string text = impact.name + " in " + impact.book + ": " + std::to_string(impact.decisions.size()) + " decisions" +
                     (steps.empty() ? std::string() : ", steps " + steps) + "\n";
  for (const auto& entry : impact.decisions) {
    std::string through;
    for (const std::string& name : entry.through) through += (through.empty() ? "" : ", ") + name;
    text += "  " + entry.decision + (entry.direct ? "" : "  through " + through) + "\n";
    for (const std::string& rule : entry.rules) {
      if (rule != entry.decision) text += "    " + rule + "\n";
    }
  }
  return text;
}

}  // namespace

int format_rules(const CommandLine& line, const Words& paths) {
  if (paths.empty()) throw UsageError("rules fmt needs files or folders of rules");
  std::string text;
  for (const fs::path& path : rule_files(paths)) {
    const std::string before = text_of(path);
    const std::string after = value_or_throw(format_rule_file(before, path.generic_string()));
    if (before == after) continue;
    text += path.generic_string() + (line.has("check") ? ": not in canonical form\n" : ": formatted\n");
    if (!line.has("check")) write_output(path.string(), after);
  }
  write_output(line.text("out"), text);
  return line.has("check") && !text.empty() ? nothing_fits : answered;
}

int diff_rules(const CommandLine& line, const Words& words) {
  if (words.size() != 2 && words.size() != 3)
    throw UsageError("rules diff compares two books, and with a workload their verdicts: rules diff A B [WORKLOAD]");
  RuleBookDiff diff = value_or_throw(diff_rule_books(words[0], words[1]));
  const bool offers = words.size() == 3;
  if (offers) {
    const Catalog catalog = make_advisor(line).catalog();
    const Workload workload = value_or_throw(parse_workload(read_input(words[2], line.timeout_s()), words[2], catalog));
    const RecommendOptions options{today(line), 0};
    const auto decide = [&](const std::string& book) {
      return value_or_throw(Advisor::with_rules(book)).with_catalog(catalog).select_cluster(workload, options);
    };
    compare_decisions(decide(words[0]), decide(words[1]), diff);
  }
  print_answer(line, to_value(diff), text_of(diff, offers));
  return answered;
}

int show_impact(const CommandLine& line, const Words& names) {
  if (names.size() != 1) throw UsageError("rules impact takes one fact or decision: rules impact configuration.gpus [--rules BOOK]");
  const RuleImpact impact = value_or_throw(rule_impact(line.text("rules", "reference"), names.front()));
  print_answer(line, to_value(impact), text_of(impact));
  return answered;
}

}  // namespace advise

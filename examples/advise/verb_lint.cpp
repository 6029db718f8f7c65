// advise lint: faults of price lists and of our own files, each at its line.
#include <algorithm>
#include <filesystem>
#include <steelyard/lint.hpp>

#include "common.hpp"
#include "files.hpp"

namespace advise {

using namespace steelyard;
namespace fs = std::filesystem;

namespace {

bool is_text_file(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".csv" || ending == ".yaml" || ending == ".yml" || ending == ".json";
}

[[noreturn]] void refuse(const std::string& folder, const std::string& message, const std::string& fix) {
  Issue issue;
  issue.where.file = folder;
  issue.message = message;
  issue.fix = fix;
  throw LoadError({std::move(issue)});
}

/// The files below a folder by name, or the file itself. A folder that can't be looked into is a fault: nothing found in it proves nothing.
std::vector<std::string> files_of(const std::string& name) {
  std::error_code error, ignored;
  if (name == "-" || !fs::is_directory(name, error)) return {name};
  std::vector<std::string> files;
  for (fs::recursive_directory_iterator entry(name, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_regular_file(ignored) && is_text_file(entry->path())) files.push_back(entry->path().string());
  }
  if (error) refuse(name, "cannot be read: " + error.message(), "check the permissions of the folder and of those in it");
  if (files.empty()) refuse(name, "the folder holds no file to lint", "put .csv, .yaml or .json files into it");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int run_lint(const Words& words) {
  CommandLine line(
      "lint FILE...",
      "Faults of price lists (SkyPilot, gpuhunt, AWS, Azure) and of job, offer and board files: what is wrong, probably wrong, or easily misread.",
      {"advise lint prices.csv", "advise lint catalogs/ --today 2026-11-30 --format json"});
  line.common().value("today", "the day from which the age of prices counts (default: the current date)");
  if (!line.parse(words)) return answered;
  if (line.files().empty()) throw UsageError("lint needs a file or a folder: `advise lint prices.csv`");
  const Date day = today(line);
  Value answer = Value::map(), list = Value::list();
  std::string text;
  bool faulty = false;
  for (const std::string& argument : line.files()) {
    for (const std::string& file : files_of(argument)) {
      const std::string content = read_input(file, line.timeout_s(), most_input_bytes);
      for (const Finding& finding : lint_text(content, file == "-" ? "<stdin>" : file, day, Catalog::embedded())) {
        faulty = faulty || finding.severity == "error";
        text += to_string(finding) + (finding.fix.empty() ? "" : " (" + finding.fix + ")") + "\n";
        list.push_back(to_value(finding));
      }
    }
  }
  answer["schema"] = "steelyard.lint/1";
  answer["findings"] = std::move(list);
  print_answer(line, answer, text.empty() ? "no findings\n" : text);
  return faulty ? nothing_fits : answered;
}

}  // namespace advise

// What a broken rule file is told, word for word. Where a message is meant to change:
//   STEELYARD_REWRITE_GOLDEN=1 build/default/test/test_golden_rules_broken
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "rules/rules.hpp"
#include "support/catch.hpp"

using namespace steelyard;
namespace fs = std::filesystem;

namespace {

const fs::path folder = fs::path(STEELYARD_SOURCE_DIR) / "test/golden/rules_broken";

std::vector<fs::path> rule_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Names in messages are relative: `extends` is looked up from here.
Issues issues_of(const fs::path& path) {
  fs::current_path(folder);
  auto document = load::parse_document(text_of(path), path.filename().string());
  if (!document) return document.issues;
  return rules::load_book("broken", {*document.value}).issues;
}

std::string lines_of(const Issues& issues) {
  std::string text;
  for (const Issue& issue : issues) text += to_string(issue) + "\n";
  return text;
}

}  // namespace

TEST_CASE("broken rule files get their messages word for word") {
  const bool rewrite = std::getenv("STEELYARD_REWRITE_GOLDEN") != nullptr;
  for (const fs::path& path : rule_files()) {
    fs::path expected = path;
    expected.replace_extension(".expected");
    const std::string found = lines_of(issues_of(path));
    if (rewrite) std::ofstream(expected, std::ios::binary) << found;
    INFO(path.filename() << "\n--- expected\n" << text_of(expected) << "--- found\n" << found);
    CHECK(found == text_of(expected));
  }
}

TEST_CASE("every message of a broken rule file has place, finding and remedy") {
  const std::vector<fs::path> files = rule_files();
  CHECK(files.size() >= 100);
  for (const fs::path& path : files) {
    const Issues issues = issues_of(path);
    INFO(path.filename() << "\n" << lines_of(issues));
    CHECK(!issues.empty());
    for (const Issue& issue : issues) {
      CHECK(issue.where.file == path.filename());
      CHECK(issue.where.line > 0);
      CHECK(issue.where.column > 0);
      CHECK(!issue.fix.empty());
    }
  }
}

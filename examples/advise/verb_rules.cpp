// advise rules: are rule books sound, do their test rows hold, what hangs on what.
#include "verb_rules.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <steelyard/rules.hpp>

#include "command_line.hpp"
#include "files.hpp"

namespace advise {

using namespace steelyard;

namespace {

std::string lines_of(const Issues& issues) {
  std::string text;
  for (const Issue& issue : issues) text += to_string(issue) + "\n";
  return text;
}

std::filesystem::directory_iterator entries_of(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (!error) return entries;
  Issue issue;
  issue.where.file = folder.string();
  issue.message = "cannot be read: " + error.message();
  issue.fix = "check the permissions of the folder";
  throw LoadError({std::move(issue)});
}

bool holds_yaml(const std::filesystem::path& folder) {
  for (const auto& entry : entries_of(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".yaml") return true;
  }
  return false;
}

// A book has its files in its folder or one below. A folder with nothing there but folders of such is a shelf of books: each is taken by itself.
Words books_of(const Words& named) {
  namespace fs = std::filesystem;
  Words books;
  for (const std::string& name : named) {
    Words shelf;
    bool is_book = !fs::is_directory(name) || holds_yaml(name);
    if (!is_book) {
      for (const auto& entry : entries_of(name)) {
        if (!entry.is_directory()) continue;
        shelf.push_back(entry.path().string());
        is_book = is_book || holds_yaml(entry.path());
      }
    }
    std::sort(shelf.begin(), shelf.end());
    if (is_book || shelf.empty()) shelf = {name};
    books.insert(books.end(), shelf.begin(), shelf.end());
  }
  return books;
}

// What each book of a chain did to those below it.
std::string layers_of(const RuleBookCheck& found) {
  std::string text;
  for (std::size_t at = 1; at < found.layers.size(); ++at) {
    const RuleLayer& layer = found.layers[at];
    text += "  " + layer.book + " over " + found.layers[at - 1].book + ": " + std::to_string(layer.added) + " rules added, " +
            std::to_string(layer.replaced) + " replaced, " + std::to_string(layer.off) + " switched off\n";
  }
  return text;
}

Value answer_of(const std::string& what, Value books) {
  Value answer = Value::map();
  answer["schema"] = "steelyard.rules_" + what + "/1";
  answer["books"] = std::move(books);
  return answer;
}

int check(const CommandLine& line, const Words& books) {
  Value all = Value::list();
  std::string text;
  bool sound = true;
  const bool json = line.format({"text", "json"}) == "json";
  for (const std::string& book : books) {
    const RuleBookCheck found = check_rule_book(book);
    sound = sound && found.sound;
    all.push_back(to_value(found));
    if (json) std::cerr << lines_of(found.issues);
    text += lines_of(found.issues) + book + ": " + (found.sound ? "sound" : "faulty") + ", " + std::to_string(found.decisions) + " decisions, " +
            std::to_string(found.rules) + " rules, " + std::to_string(found.facts) + " facts\n" + layers_of(found);
  }
  write_output(line.text("out"), json ? to_json(answer_of("check", std::move(all)), 1) + "\n" : text);
  return sound ? answered : bad_input;
}

int test(const CommandLine& line, const Words& books) {
  Value all = Value::list();
  std::string text;
  bool good = true;
  for (const std::string& book : books) {
    const RuleBookTests found = test_rule_book(book);
    good = good && found.failed == 0;
    all.push_back(to_value(found));
    text += lines_of(found.issues) + book + ": " + std::to_string(found.passed) + " rows hold, " + std::to_string(found.failed) + " fail\n";
  }
  write_output(line.text("out"), line.format({"text", "json"}) == "json" ? to_json(answer_of("test", std::move(all)), 1) + "\n" : text);
  return good ? answered : nothing_fits;
}

std::string summary(const RuleBookLint& found) {
  std::string text = found.book + ": " + std::to_string(found.findings.size()) + " findings in " + std::to_string(found.rules) + " rules";
  if (found.allowed > 0) text += ", " + std::to_string(found.allowed) + " allowed by the book";
  if (found.partly > 0) text += "; " + std::to_string(found.partly) + " rules have conditions that are not analysed";
  for (const std::string& decision : found.given_up) text += "; " + decision + " is too large to be analysed";
  return text + "\n";
}

// 2: a book is unsound. 1: errors, with --strict any finding.
int lint(const CommandLine& line, const Words& books) {
  Value all = Value::list();
  std::string text;
  int code = answered;
  for (const std::string& book : books) {
    const RuleBookLint found = lint_rule_book(book);
    all.push_back(to_value(found));
    text += lines_of(found.issues);
    for (const RuleFinding& finding : found.findings) {
      text += to_string(finding) + "\n";
      if (line.has("strict") || finding.severity == "error") code = std::max<int>(code, nothing_fits);
    }
    if (!found.sound) code = bad_input;
    text += found.sound ? summary(found) : book + ": faulty\n";
  }
  write_output(line.text("out"), line.format({"text", "json"}) == "json"
                                     ? to_json(Value(Value::Map{{"schema", "steelyard.rules/1"}, {"books", all}}), 1) + "\n"
                                     : text);
  return code;
}

std::string share_of(const char* what, const CoverCount& count) {
  char percent[16];
  std::snprintf(percent, sizeof percent, "%.1f", count.percent());
  return std::string(what) + " " + std::to_string(count.covered) + " of " + std::to_string(count.total) + " (" + percent + " %)";
}

// 2: a book is unsound. 1: less is reached than asked for, or a row does not hold.
int cover(const CommandLine& line, const Words& books) {
  Value all = Value::list();
  std::string text;
  int code = answered;
  const double rules = line.number("min", 0, 0, 100), outcomes = line.number("min-outcomes", 0, 0, 100), ends = line.number("min-ends", 0, 0, 100);
  for (const std::string& book : books) {
    const RuleBookCover found = cover_rule_book(book);
    all.push_back(to_value(found));
    text += lines_of(found.issues);
    for (const Uncovered& one : found.uncovered) text += to_string(one.where) + ": " + one.message + "\n";
    const bool enough =
        found.rules.percent() >= rules && found.outcomes.percent() >= outcomes && found.ends.percent() >= ends && found.failed_rows == 0;
    if (!enough) code = std::max<int>(code, nothing_fits);
    if (!found.sound) code = bad_input;
    text +=
        book + ": " +
        (found.sound ? share_of("rules", found.rules) + ", " + share_of("outcomes", found.outcomes) + ", " + share_of("ends of intervals", found.ends)
                     : "faulty");
    text += (found.failed_rows > 0 ? "; " + std::to_string(found.failed_rows) + " rows do not hold" : "") + "\n";
  }
  write_output(line.text("out"), line.format({"text", "json"}) == "json"
                                     ? to_json(Value(Value::Map{{"schema", "steelyard.rules/1"}, {"books", all}}), 1) + "\n"
                                     : text);
  return code;
}

// Graphviz makes the picture; the text goes to it through a file that only we can read.
std::string svg_of(const std::string& dot) {
  char path[] = "/tmp/steelyard-graph-XXXXXX";
  const int descriptor = mkstemp(path);
  if (descriptor < 0) throw UsageError("no room for a temporary file under /tmp");
  const bool written = write(descriptor, dot.data(), dot.size()) == static_cast<ssize_t>(dot.size());
  close(descriptor);
  std::string svg;
  FILE* graphviz = written ? popen((std::string("dot -Tsvg ") + path + " 2>/dev/null").c_str(), "r") : nullptr;
  char block[4096];
  for (std::size_t count; graphviz && (count = fread(block, 1, sizeof block, graphviz)) > 0;) svg.append(block, count);
  const int status = graphviz ? pclose(graphviz) : 1;
  unlink(path);
  if (status != 0) throw UsageError("the picture needs Graphviz (`dot`), which is not installed; --format dot gives the text for it");
  return svg;
}

int graph(const CommandLine& line, const Words& books) {
  if (books.size() != 1) throw UsageError("rules graph draws one book; name it");
  const std::string dot = value_or_throw(rule_book_graph(books.front()));
  const std::string format = line.has("format") ? line.format({"dot", "svg"}) : "dot";
  write_output(line.text("out"), format == "svg" ? svg_of(dot) : dot);
  return answered;
}

}  // namespace

int run_rules(const Words& words) {
  CommandLine line(
      "rules check|test|lint|cover|list|graph|fmt|diff|impact ...",
      "check: are books sound; test: do their test rows hold; lint: gaps, overlaps, rules that never apply; cover: what test rows reach;\n"
      "list: decisions and rules in words, as text, JSON or Markdown; graph: what hangs on what (--format dot or svg); fmt: canonical form of rule "
      "files; impact: what depends on a fact;\n"
      "diff: rules of two books, and the offers that they judge differently.\n"
      "A book is reference, field_guide, a folder or a file; without one, both shipped books.",
      {"advise rules check my-rules", "advise rules test", "advise rules lint my-rules --strict", "advise rules cover my-rules --min 100",
       "advise rules graph reference --format svg --out reference.svg", "advise rules fmt --check my-rules",
       "advise rules diff reference my-rules job.yaml --catalog prices.csv", "advise rules impact price.usd_per_gpu_hour"});
  line.common().flag("check", "fmt: change nothing, only name the files that are not in canonical form (exit code 1)");
  line.values("catalog", "diff: offers, as in recommend").value("today", "diff: the day for which prices count");
  line.flag("strict", "lint: exit code 1 for warnings too");
  line.value("min", "cover: exit code 1 below this share of rules, in percent")
      .value("min-outcomes", "the same for outputs")
      .value("min-ends", "the same for ends of intervals");
  if (!line.parse(words)) return answered;
  if (line.files().empty()) throw UsageError("rules needs a word: check, test, lint, cover, list, graph, fmt, diff or impact");
  const std::string what = line.files().front();
  Words books(line.files().begin() + 1, line.files().end());
  if (what == "fmt") return format_rules(line, books);
  if (what == "diff") return diff_rules(line, books);
  if (what == "impact") return show_impact(line, books);
  if (what == "list") return list_books(line, books.empty() ? Words{"reference"} : books);
  if (books.empty()) books = what == "graph" ? Words{"reference"} : Words{"reference", "field_guide"};
  if (what != "graph") books = books_of(books);
  if (what == "check") return check(line, books);
  if (what == "test") return test(line, books);
  if (what == "lint") return lint(line, books);
  if (what == "cover") return cover(line, books);
  if (what == "graph") return graph(line, books);
  throw UsageError("rules: expected check, test, lint, cover, list, graph, fmt, diff or impact; found '" + what + "'");
}

}  // namespace advise

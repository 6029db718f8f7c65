// advise rules list: the decisions and rules of a book in words, as text, JSON or a page of Markdown.
#include <algorithm>
#include <map>
#include <steelyard/rule_tools.hpp>

#include "common.hpp"
#include "files.hpp"
#include "verb_rules.hpp"

namespace advise {

using namespace steelyard;

namespace {

using Decisions = std::vector<ListedDecision>;

std::string text_of(const Decisions& decisions) {
  std::string text;
  for (const ListedDecision& decision : decisions) {
    text += decision.id + " (" + decision.policy + "): " + decision.about + "\n";
    for (const ListedDecision::Rule& rule : decision.rules) text += "  " + rule.id + ": " + rule.when + "\n    -> " + rule.then + "\n";
  }
  return text;
}

// Inside a cell of a table.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : c == '\n' ? " " : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

std::string code(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : c == '\n' ? " " : std::string(1, c);
  return out.empty() ? "" : "`" + out + "`";
}

std::string markdown_of(const std::string& book, const Decisions& decisions) {
  std::string page = "# Rules of the book " + book + "\n";
  for (const ListedDecision& decision : decisions) {
    page += "\n## " + decision.id + "\n\n" + cell(decision.about) + "\n\nHit policy: " + decision.policy + "." +
            (decision.source.empty() ? "" : " Source: " + cell(decision.source)) + "\n\n";
    page += "| rule | when | then | because |\n| --- | --- | --- | --- |\n";
    for (const ListedDecision::Rule& rule : decision.rules)
      page += "| " + code(rule.id) + " | " + code(rule.when) + " | " + code(rule.then) + " | " + cell(rule.because) + " |\n";
  }
  return page;
}

// Reject and warning codes with the rules that give them.
std::string codes_of(const Decisions& decisions) {
  std::map<std::string, std::vector<std::string>> rules;
  for (const ListedDecision& decision : decisions) {
    for (const ListedDecision::Rule& rule : decision.rules) {
      if (!rule.code.empty()) rules[rule.code].push_back(rule.id);
    }
  }
  std::string page = "\n## Codes\n\n| code | rules |\n| --- | --- |\n";
  for (const auto& [name, ids] : rules) {
    std::string list;
    for (const std::string& id : ids) list += (list.empty() ? "" : ", ") + code(id);
    page += "| " + code(name) + " | " + list + " |\n";
  }
  return page;
}

}  // namespace

int list_books(const CommandLine& line, const Words& books) {
  const std::string format = line.format({"text", "json", "markdown"});
  std::string text;
  Value all = Value::list();
  for (const std::string& book : books) {
    const Decisions decisions = value_or_throw(list_rules(book));
    if (format == "text") text += text_of(decisions);
    if (format == "markdown") text += markdown_of(book, decisions) + codes_of(decisions);
    if (format != "json") continue;
    Value entry;
    entry["book"] = book;
    entry["decisions"] = Value::list();
    for (const ListedDecision& decision : decisions) entry["decisions"].push_back(to_value(decision));
    all.push_back(std::move(entry));
  }
  if (format == "json") text = to_json(Value(Value::Map{{"schema", "steelyard.rules_list/1"}, {"books", all}}), 1) + "\n";
  write_output(line.text("out"), text);
  return answered;
}

}  // namespace advise

// What the public header rules.hpp promises.
#include <map>
#include <set>
#include <steelyard/requests.hpp>
#include <steelyard/rules.hpp>

#include "rules/answers.hpp"
#include "rules/book.hpp"
#include "rules/rules.hpp"

namespace steelyard {

namespace {

std::string quoted(const std::string& text) {
  std::string safe = "\"";
  for (const char c : text) safe += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return safe + "\"";
}

// One cluster a step; what belongs to no step (helpers of a book) goes into the picture without a frame.
std::string clusters(const rules::Book& book) {
  std::map<std::string, std::vector<std::string>> steps;
  for (const rules::DecisionData& decision : book.data().decisions) steps[decision.step].push_back(decision.id);
  std::string dot;
  for (const auto& [step, decisions] : steps) {
    if (!step.empty()) dot += "  subgraph " + quoted("cluster_" + step) + " {\n    label=" + quoted(step) + ";\n";
    for (const std::string& id : decisions) dot += "    " + quoted(id) + " [shape=box];\n";
    if (!step.empty()) dot += "  }\n";
  }
  return dot;
}

// The functions of the program that decisions call, and the arrows from them; returns their nodes.
std::string functions(const rules::Book& book, std::string& arrows) {
  std::set<std::string> names;
  for (const rules::DecisionData& decision : book.data().decisions) {
    for (const std::string& name : decision.models) {
      names.insert(name);
      arrows += "  " + quoted(name + "()") + " -> " + quoted(decision.id) + " [style=dashed];\n";
    }
  }
  std::string nodes;
  for (const std::string& name : names) nodes += "  " + quoted(name + "()") + " [shape=hexagon];\n";
  return nodes;
}

std::string arrows(const rules::Book& book) {
  std::string dot;
  std::set<std::string> facts;
  for (const std::string& decision : book.decision_names()) {
    for (const std::string& need : book.needs(decision)) {
      if (!book.decision(need)) facts.insert(need);
      dot += "  " + quoted(need) + " -> " + quoted(decision) + ";\n";
    }
  }
  std::string nodes = functions(book, dot);
  for (const std::string& fact : facts) nodes += "  " + quoted(fact) + " [shape=ellipse, fontsize=10, color=gray50, fontcolor=gray30];\n";
  return nodes + dot;
}

std::string draw(const rules::Book& book) {
  return "digraph " + quoted(book.name()) + " {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n" + clusters(book) + arrows(book) + "}\n";
}

}  // namespace

RuleBookCheck check_rule_book(const std::string& name_or_folder) {
  RuleBookCheck check;
  const auto book = rules::open_for(name_or_folder, check);
  if (!book) return check;
  for (const rules::LayerData& layer : book->data().layers) check.layers.push_back({layer.name, layer.added, layer.replaced, layer.off});
  check.decisions = static_cast<int>(book->decision_names().size());
  check.facts = static_cast<int>(book->fact_names().size());
  for (const rules::DecisionData& decision : book->data().decisions) check.rules += static_cast<int>(decision.rules.size());
  return check;
}

RuleBookTests test_rule_book(const std::string& name_or_folder) {
  Loaded<rules::Book> book = rules::open_book(name_or_folder);
  if (!book.value) return {name_or_folder, 0, static_cast<int>(book.issues.size()), std::move(book.issues)};
  rules::TestReport report = rules::run_tests(*book.value);
  return {name_or_folder, report.passed, report.failed, std::move(report.issues)};
}

Loaded<std::string> rule_book_graph(const std::string& name_or_folder) {
  Loaded<rules::Book> book = rules::open_book(name_or_folder);
  if (!book.value) return {std::nullopt, std::move(book.issues)};
  return {draw(*book.value), std::move(book.issues)};
}

std::string rule_book_graph(const RuleBook& book) { return draw(book.book()); }

Value to_value(const RuleBookCheck& check) {
  Value layers = Value::list();
  for (const RuleLayer& layer : check.layers) {
    layers.push_back(Value::Map{{"book", layer.book}, {"added", layer.added}, {"replaced", layer.replaced}, {"off", layer.off}});
  }
  return rules::answer_about(check, {{"decisions", check.decisions}, {"rules", check.rules}, {"facts", check.facts}, {"layers", std::move(layers)}});
}

Value to_value(const RuleBookTests& tests) {
  Value value;
  value["book"] = tests.book;
  value["passed"] = tests.passed;
  value["failed"] = tests.failed;
  const Value issues = to_value(tests.issues);
  value["issues"] = *issues.find("issues");
  return value;
}

}  // namespace steelyard

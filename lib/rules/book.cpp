#include "rules/book.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "load/embedded.hpp"
#include "rules/graph/graph.hpp"

namespace steelyard::rules {

std::string_view to_string(Status status) {
  constexpr std::string_view names[] = {"decided", "undetermined", "no_hit", "failed"};
  return names[static_cast<int>(status)];
}

const std::string& Book::name() const { return data_->name; }

std::optional<FactId> Book::fact(std::string_view name) const {
  const auto found = data_->slots.find(std::string(name));
  if (found == data_->slots.end() || data_->is_decision(found->second)) return std::nullopt;
  return FactId{found->second};
}

std::optional<DecisionId> Book::decision(std::string_view id) const {
  const auto found = data_->slots.find(std::string(id));
  if (found == data_->slots.end() || !data_->is_decision(found->second)) return std::nullopt;
  return DecisionId{found->second - data_->first_decision()};
}

std::vector<std::string> Book::decision_names() const {
  std::vector<std::string> names;
  for (const int index : data_->order) names.push_back(data_->decisions[static_cast<std::size_t>(index)].id);
  return names;
}

std::vector<std::string> Book::fact_names() const {
  std::vector<std::string> names;
  for (const FactData& fact : data_->facts) names.push_back(fact.name);
  return names;
}

std::vector<std::string> Book::needs(std::string_view id) const {
  std::vector<std::string> names;
  const auto found = decision(id);
  if (!found) return names;
  for (const int slot : data_->decisions[static_cast<std::size_t>(found->index)].needs) names.push_back(data_->names[static_cast<std::size_t>(slot)]);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> Book::dependents(std::string_view name) const {
  const auto found = data_->slots.find(std::string(name));
  if (found == data_->slots.end()) return {};
  std::vector<std::vector<int>> users(static_cast<std::size_t>(data_->first_input()));
  for (const DecisionData& decision : data_->decisions) {
    for (const int slot : decision.needs) users[static_cast<std::size_t>(slot)].push_back(decision.slot);
  }
  const std::vector<int> reached = reachable_from(users, found->second);
  std::vector<std::string> names;
  for (const int index : data_->order) {
    const DecisionData& decision = data_->decisions[static_cast<std::size_t>(index)];
    if (std::find(reached.begin(), reached.end(), decision.slot) != reached.end()) names.push_back(decision.id);
  }
  return names;
}

Loaded<Book> load_book(std::string name, const std::vector<load::Document>& documents) {
  auto book = std::make_shared<BookData>();
  book->name = std::move(name);
  Issues issues;
  for (const load::Document& document : documents) read_rules(document, *book, issues);
  link(*book, issues);
  for (Issue& issue : issues) {
    for (const load::Document& document : documents) {
      if (issue.excerpt.empty() && document.file == issue.where.file) issue.excerpt = document.issue(issue.where, {}).excerpt;
    }
  }
  std::stable_sort(issues.begin(), issues.end(), [](const Issue& one, const Issue& other) {
    return std::tie(one.where.file, one.where.line, one.where.column) < std::tie(other.where.file, other.where.line, other.where.column);
  });
  if (has_errors(issues)) return {std::nullopt, std::move(issues)};
  return {Book(std::move(book)), std::move(issues)};
}

// The facts that the engine gathers are declared once for all books.
static std::vector<load::Document> schema_documents() {
  std::vector<load::Document> documents;
  for (const std::string_view file : load::embedded_names("data/schema/facts/")) documents.push_back(load::embedded_document(file));
  return documents;
}

Loaded<Book> load_book(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::string> paths;
  for (std::filesystem::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const auto extension = at->path().extension();
    if (at->is_regular_file(error) && (extension == ".yaml" || extension == ".yml")) paths.push_back(at->path().generic_string());
  }
  if (error || paths.empty()) {
    const std::string what = error ? "cannot be read: " + error.message() : "holds no .yaml file";
    Issue issue;
    issue.where.file = folder.generic_string();
    issue.message = what;
    issue.fix = "name a folder of rule files";
    return {std::nullopt, Issues{std::move(issue)}};
  }
  std::sort(paths.begin(), paths.end());
  std::vector<load::Document> documents = schema_documents();
  Issues issues;
  for (const std::string& path : paths) {
    auto document = load::read_document(path);
    issues.insert(issues.end(), document.issues.begin(), document.issues.end());
    if (document) documents.push_back(std::move(*document.value));
  }
  Loaded<Book> book = load_book(folder.filename().string(), documents);
  book.issues.insert(book.issues.begin(), issues.begin(), issues.end());
  if (has_errors(issues)) book.value.reset();
  return book;
}

Book embedded_book(std::string_view name) {
  std::vector<load::Document> documents = schema_documents();
  const std::size_t facts = documents.size();
  for (const std::string_view file : load::embedded_names("rules/" + std::string(name) + "/")) documents.push_back(load::embedded_document(file));
  if (documents.size() == facts) throw LoadError({{Severity::error, {}, "no rule book '" + std::string(name) + "'", "the shipped books are reference and field_guide", {}}});
  return value_or_throw(load_book(std::string(name), documents));
}

}  // namespace steelyard::rules

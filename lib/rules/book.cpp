#include "rules/book.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "core/text.hpp"
#include "load/embedded.hpp"
#include "rules/graph/graph.hpp"
#include "rules/language/functions.hpp"
#include "rules/translations.hpp"

namespace steelyard::rules {

std::string_view to_string(Status status) {
  constexpr std::string_view names[] = {"decided", "undetermined", "no_hit", "failed"};
  return names[static_cast<int>(status)];
}

const std::string& Book::name() const { return data_->name; }
Language Book::language() const { return data_->language; }
bool Book::shipped() const { return data_->layers.size() == 1 && data_->layers.front().shipped; }

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

int Book::rule_count(DecisionId decision) const { return static_cast<int>(data_->decisions[static_cast<std::size_t>(decision.index)].rules.size()); }

std::optional<std::string> Book::fixed_text(DecisionId decision, int rule, std::string_view entry) const {
  const RuleData& data = data_->decisions[static_cast<std::size_t>(decision.index)].rules[static_cast<std::size_t>(rule)];
  for (const OutputData::Field& field : data.then.fields) {
    const Expr& expr = field.expression.expr;
    if (field.name == entry && expr.op == Op::literal && expr.value.kind == Kind::text) return *expr.value.text;
  }
  return std::nullopt;
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

bool Book::rests_on(std::string_view id, std::string_view start_of_fact) const {
  const auto root = decision(id);
  if (!root) return false;
  std::vector<int> open = {data_->first_decision() + root->index};
  std::vector<bool> seen(static_cast<std::size_t>(data_->first_input()));
  while (!open.empty()) {
    const int slot = open.back();
    open.pop_back();
    for (const int need : data_->decision_at(slot).needs) {
      if (need < 0 || seen[static_cast<std::size_t>(need)]) continue;
      seen[static_cast<std::size_t>(need)] = true;
      if (data_->is_decision(need)) {
        open.push_back(need);
      } else if (data_->name_of(need).starts_with(start_of_fact)) {
        return true;
      }
    }
  }
  return false;
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

// Decisions and rules that a layer brought are marked as its own.
static void read_layer(const Layer& layer, BookData& book, Issues& issues) {
  const std::size_t before = book.decisions.size();
  const int number = static_cast<int>(book.layers.size());
  book.layers.emplace_back().name = layer.name;
  book.layers.back().shipped = layer.shipped;
  for (const load::Document& document : layer.documents) read_rules(document, book, issues);
  for (std::size_t at = before; at < book.decisions.size(); ++at) {
    book.decisions[at].layer = number;
    for (RuleData& rule : book.decisions[at].rules) rule.layer = number;
  }
  if (layer.shipped && book.language != Language::english) read_translations(layer.name, book, issues);
  for (const load::Document& document : layer.documents) apply_layer(document, book, issues);
}

static void add_excerpts(const std::vector<Layer>& layers, Issues& issues) {
  for (Issue& issue : issues) {
    for (const Layer& layer : layers) {
      for (const load::Document& document : layer.documents) {
        if (issue.excerpt.empty() && document.file == issue.where.file) issue.excerpt = document.issue(issue.where, {}).excerpt;
      }
    }
  }
}

// What a layer switched off and others still need is the layer's fault, not theirs.
static void blame_layers(const BookData& book, Issues& issues) {
  for (const LayerData& layer : book.layers) {
    for (const auto& [id, where] : layer.switched_off) {
      for (Issue& issue : issues) {
        const auto at = issue.message.find(": unknown name '" + id + "'");
        if (at == std::string::npos) continue;
        issue.message = "off: '" + id + "' is needed by " + issue.message.substr(0, at) + " (" + to_string(issue.where) + ")";
        issue.fix = "switch that off too, or replace '" + id + "'";
        issue.where = where;
      }
    }
  }
}

Loaded<Book> build_book(const std::vector<Layer>& layers, const LoadOptions& options) {
  auto book = std::make_shared<BookData>();
  book->name = layers.back().name;
  book->language = options.language;
  Issues issues;
  book->models = make_models(options.functions, issues);
  for (const Layer& layer : layers) read_layer(layer, *book, issues);
  link(*book, issues);
  if (!has_errors(issues)) check_tables(*book, issues);
  if (!has_errors(issues)) check_translations(*book, issues);
  blame_layers(*book, issues);
  add_excerpts(layers, issues);
  std::stable_sort(issues.begin(), issues.end(), [](const Issue& one, const Issue& other) {
    return std::tie(one.where.file, one.where.line, one.where.column) < std::tie(other.where.file, other.where.line, other.where.column);
  });
  if (has_errors(issues)) return {std::nullopt, std::move(issues)};
  take_translations(*book);
  return {Book(std::move(book)), std::move(issues)};
}

Loaded<Book> load_book(std::string name, const std::vector<load::Document>& documents) {
  return load_book(std::move(name), documents, LoadOptions{{}, Language::english});
}

Loaded<Book> load_book(std::string name, const std::vector<load::Document>& documents, const LoadOptions& options) {
  Issues issues;
  const std::vector<Layer> layers = chain_of_books(std::move(name), documents, issues);
  if (has_errors(issues)) return {std::nullopt, std::move(issues)};
  return build_book(layers, options);
}

// The facts that the engine gathers are declared once for all books.
std::vector<load::Document> schema_documents() {
  std::vector<load::Document> documents;
  for (const std::string_view file : load::embedded_names("data/schema/facts/")) documents.push_back(load::embedded_document(file));
  return documents;
}

// A single file, or all rule files below a folder, by their paths.
static std::vector<std::string> rule_files(const std::filesystem::path& path, std::error_code& error) {
  if (std::filesystem::is_regular_file(path, error)) return {path.generic_string()};
  std::vector<std::string> paths;
  for (std::filesystem::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    const auto extension = at->path().extension();
    if (at->is_regular_file(error) && (extension == ".yaml" || extension == ".yml")) paths.push_back(at->path().generic_string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<load::Document> folder_documents(const std::filesystem::path& folder, Issues& issues) {
  std::error_code error;
  const std::vector<std::string> paths = rule_files(folder, error);
  if (error || paths.empty()) {
    Issue issue;
    issue.where.file = folder.generic_string();
    issue.message = error ? "cannot be read: " + error.message() : "holds no .yaml file";
    issue.fix = "name a folder of rule files";
    issues.push_back(std::move(issue));
  }
  std::vector<load::Document> documents;
  for (const std::string& path : paths) {
    auto document = load::read_document(path);
    issues.insert(issues.end(), document.issues.begin(), document.issues.end());
    if (document) documents.push_back(std::move(*document.value));
  }
  return documents;
}

Loaded<Book> load_book(const std::filesystem::path& folder) { return load_book(folder, LoadOptions{{}, Language::english}); }

Loaded<Book> load_book(const std::filesystem::path& folder, const LoadOptions& options) {
  Issues issues;
  std::vector<load::Document> documents = folder_documents(folder, issues);
  std::vector<Layer> layers = chain_of_books(folder.filename().string(), std::move(documents), issues);
  if (layers.size() == 1) {
    std::vector<load::Document> facts = schema_documents();
    auto& own = layers.front().documents;
    own.insert(own.begin(), std::make_move_iterator(facts.begin()), std::make_move_iterator(facts.end()));
  }
  Loaded<Book> book = build_book(layers, options);
  book.issues.insert(book.issues.begin(), issues.begin(), issues.end());
  if (has_errors(issues)) book.value.reset();
  return book;
}

std::vector<load::Document> embedded_documents(std::string_view name) {
  std::vector<load::Document> documents;
  for (const std::string_view file : load::embedded_names("rules/" + std::string(name) + "/")) documents.push_back(load::embedded_document(file));
  return documents;
}

Loaded<Book> load_embedded(std::string_view name, const LoadOptions& options) {
  std::vector<load::Document> documents = schema_documents(), rules = embedded_documents(name);
  if (rules.empty())
    return {std::nullopt, {{Severity::error, {}, "no rule book '" + std::string(name) + "'", "the shipped books are reference and field_guide", {}}}};
  documents.insert(documents.end(), std::make_move_iterator(rules.begin()), std::make_move_iterator(rules.end()));
  std::optional<CompileLater> later;
  if (!load::overlaid()) later.emplace();
  return build_book({{std::string(name), std::move(documents), true}}, options);
}

Loaded<Book> open_book(const std::string& name_or_path, const ModelFunctions& functions, Language language) {
  const LoadOptions options{functions, language};
  if (name_or_path == "reference" || name_or_path == "field_guide") {
    if (functions.empty()) return {embedded_book(name_or_path, language), {}};
    return load_embedded(name_or_path, options);
  }
  return load_book(std::filesystem::path(name_or_path), options);
}

Book embedded_book(std::string_view name, Language language) {
  // They never change: each is read once, by whoever asks first.
  static std::mutex guard;
  static std::map<std::pair<std::string, Language>, Book> books;
  const std::lock_guard lock(guard);
  const std::pair key(std::string(name), language);
  const auto known = books.find(key);
  return known != books.end() ? known->second : books.emplace(key, value_or_throw(load_embedded(name, LoadOptions{{}, language}))).first->second;
}

}  // namespace steelyard::rules

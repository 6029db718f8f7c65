#include "decide/3_stack/symptom.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "core/text.hpp"
#include "load/embedded.hpp"
#include "load/fields.hpp"

namespace steelyard::stack {

namespace {

constexpr std::size_t most_text = 16u << 10;

struct Statement {
  std::string name, as;
  bool greatest = false;
  std::unique_ptr<RE2> pattern;
};

std::vector<Statement> read_statements() {
  const load::Document document = load::embedded_document("data/stacks/symptom_facts.yaml");
  std::vector<Statement> statements;
  Issues issues;
  load::each_map(document, *document.root.find("facts"), issues, "facts", [&](load::Fields& fields) {
    Statement statement{fields.required_text("name"), fields.word("as", {"version", "cuda_integer", "number", "capability"}).value_or(""),
                        fields.word("pick", {"first", "greatest"}) == "greatest", nullptr};
    statement.pattern = std::make_unique<RE2>(fields.required_text("pattern"), RE2::Quiet);
    if (!statement.pattern->ok()) fields.fault("pattern", "pattern: " + statement.pattern->error(), "write it in RE2 syntax");
    fields.finish();
    statements.push_back(std::move(statement));
  });
  if (has_errors(issues)) throw LoadError(issues);
  return statements;
}

const std::vector<Statement>& statements() {
  static const std::vector<Statement> all = read_statements();
  return all;
}

std::optional<double> value_of(const std::string& text, const std::string& as) {
  if (as == "version") {
    const auto version = parse_version(text);
    return version ? std::optional(version->number()) : std::nullopt;
  }
  const auto number = parse_number(text);
  if (!number) return std::nullopt;
  // CUDA_VERSION is 1000 x major + 10 x minor.
  if (as == "cuda_integer") return Version{{static_cast<int>(*number) / 1000, static_cast<int>(*number) % 1000 / 10}}.number();
  if (as == "capability" && text.find('.') != std::string::npos) return std::round(*number * 10);
  return number;
}

bool is_word_char(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

}  // namespace

std::string normalised(std::string_view text) {
  std::string cut(text.substr(0, most_text));
  if (text.size() > most_text) cut = std::string(text.substr(0, most_text / 2)) + " " + std::string(text.substr(text.size() - most_text / 2));
  std::string result;
  for (const char c : to_lower(cut)) {
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!space) result += c == '`' || c == '"' ? '\'' : c;
    if (space && !result.empty() && result.back() != ' ') result += ' ';
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

std::map<std::string, double> stated_in(const std::string& text) {
  std::map<std::string, double> stated;
  for (const Statement& statement : statements()) {
    if (stated.count(statement.name) && !statement.greatest) continue;
    std::string group;
    re2::StringPiece rest(text);
    while (RE2::FindAndConsume(&rest, *statement.pattern, &group)) {
      const auto value = value_of(group, statement.as);
      if (!value) continue;
      const auto [place, fresh] = stated.emplace(statement.name, *value);
      if (!fresh && statement.greatest) place->second = std::max(place->second, *value);
      if (!statement.greatest) break;
    }
  }
  return stated;
}

std::vector<std::string> variants_in(std::string_view text) {
  std::vector<std::string> variants;
  for (std::size_t at = text.find("cu"); at != std::string_view::npos; at = text.find("cu", at + 2)) {
    if (at > 0 && is_word_char(text[at - 1])) continue;
    std::size_t end = at + 2;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    const std::string word(text.substr(at, end - at));
    const bool whole = end == text.size() || !is_word_char(text[end]);
    if (whole && parse_variant(word) && std::find(variants.begin(), variants.end(), word) == variants.end()) variants.push_back(word);
  }
  return variants;
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_char(text[at - 1])) && (end == text.size() || !is_word_char(text[end]))) return true;
  }
  return false;
}

}  // namespace steelyard::stack

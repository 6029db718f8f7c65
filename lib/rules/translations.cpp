#include "rules/translations.hpp"

#include <algorithm>
#include <map>

#include "core/text.hpp"
#include "load/embedded.hpp"
#include "rules/lint/expression_text.hpp"
#include "rules/reading.hpp"

namespace steelyard::rules {

namespace {

// Outputs that are read by people and by no rule.
const std::vector<std::string> texts_for_people = {"ask", "change", "cause", "check", "remedy"};

class TranslationReader {
 public:
  TranslationReader(const load::Document& document, BookData& book, Issues& issues)
      : document_(document), book_(book), issues_(issues), reader_(document, book, issues) {
    for (DecisionData& decision : book.decisions) {
      for (RuleData& rule : decision.rules) rules_.emplace(rule.id, &rule);
    }
  }

  void read() {
    if (const load::Node* because = document_.root.find("because")) {
      for (const load::Entry& entry : because->entries) {
        if (RuleData* rule = find(entry)) reader_.translate(*rule, book_.language, entry.value);
      }
    }
    if (const load::Node* then = document_.root.find("then")) {
      for (const load::Entry& entry : then->entries) {
        if (RuleData* rule = find(entry)) read_texts(*rule, entry.value);
      }
    }
  }

 private:
  RuleData* find(const load::Entry& entry) {
    const auto found = rules_.find(entry.key);
    if (found != rules_.end()) return found->second;
    std::vector<std::string> ids;
    for (const auto& [id, rule] : rules_) ids.push_back(id);
    const auto near = nearest_words(entry.key, ids, 1);
    issue(entry, "no rule '" + entry.key + "' in the book", near.empty() ? "take it out" : "did you mean " + near[0] + "?");
    return nullptr;
  }

  void read_texts(RuleData& rule, const load::Node& texts) {
    for (const load::Entry& entry : texts.entries) {
      const bool allowed = std::find(texts_for_people.begin(), texts_for_people.end(), entry.key) != texts_for_people.end();
      if (!allowed) issue(entry, "'" + entry.key + "' is no text for people, so that it is the same in all languages", "take it out");
    }
    reader_.translate_texts(rule, texts);
  }

  void issue(const load::Entry& entry, const std::string& message, const std::string& fix) {
    issues_.push_back(document_.issue(document_.at(entry), message, fix));
  }

  const load::Document& document_;
  BookData& book_;
  Issues& issues_;
  DecisionReader reader_;
  std::map<std::string, RuleData*> rules_;
};

// Texts that a hole puts into the sentence are its language's own: "{fix == '' ? '' : '; instead: '}".
void forget_texts(Expr& expr) {
  if (expr.op == Op::literal && expr.value.kind == Kind::text) expr.value = Datum();
  if (expr.op == Op::conditional) forget_texts(expr.args[1]), forget_texts(expr.args[2]);
  if (expr.op == Op::add) {
    for (Expr& arg : expr.args) forget_texts(arg);
  }
}

// What a sentence puts in, with its digits -> how it is written.
std::multimap<std::string, std::string> holes_of(const Sentence& sentence, const BookData& book) {
  std::multimap<std::string, std::string> holes;
  for (const Sentence::Piece& piece : sentence.pieces) {
    if (!piece.computed) continue;
    Expr expr = piece.expression.expr;
    forget_texts(expr);
    const std::string digits = piece.digits > 0 ? ":" + std::to_string(piece.digits) : "";
    holes.emplace(analysis::key_of(expr, book) + digits, "{" + piece.expression.text + digits + "}");
  }
  return holes;
}

// The first hole of `one` that `other` does not have as often; empty where there is none.
std::string missing(const std::multimap<std::string, std::string>& one, const std::multimap<std::string, std::string>& other) {
  for (const auto& [key, written] : one) {
    if (one.count(key) > other.count(key)) return written;
  }
  return {};
}

void check_translation(const RuleData& rule, const Translation& translation, const BookData& book, Issues& issues) {
  const auto english = holes_of(rule.because, book), other = holes_of(translation.because, book);
  const std::string lost = missing(english, other), added = missing(other, english);
  if (lost.empty() && added.empty()) return;
  Issue& issue = issues.emplace_back();
  issue.where = translation.because.where;
  issue.message = "rule " + rule.id + ": because " + std::string(to_string(translation.language)) +
                  (lost.empty() ? ": " + added + " is not in the English sentence" : ": " + lost + " of the English sentence is missing");
  issue.fix = "put the same figures into all languages";
}

}  // namespace

void read_translations(const std::string& name, BookData& book, Issues& issues) {
  const std::string folder = "data/languages/" + std::string(to_string(book.language)) + "_rules/" + name + "/";
  for (const std::string_view file : load::embedded_names(folder)) {
    read_translations(load::embedded_document(file), book, issues);
  }
}

void read_translations(const load::Document& file, BookData& book, Issues& issues) { TranslationReader(file, book, issues).read(); }

void check_translations(const BookData& book, Issues& issues) {
  for (const DecisionData& decision : book.decisions) {
    for (const RuleData& rule : decision.rules) {
      for (const Translation& translation : rule.translations) check_translation(rule, translation, book, issues);
    }
  }
}

void take_translations(BookData& book) {
  for (DecisionData& decision : book.decisions) {
    for (RuleData& rule : decision.rules) {
      for (Translation& translation : rule.translations) {
        if (translation.language == book.language) std::swap(rule.because, translation.because);
      }
    }
  }
}

}  // namespace steelyard::rules

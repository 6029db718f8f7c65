// The door of this folder: books of rules, and the verbs that use them.
#include <steelyard/evidence.hpp>

#include "core/text.hpp"
#include "evidence/books.hpp"
#include "evidence/judge.hpp"
#include "evidence/redact.hpp"

namespace steelyard {

Evidence Evidence::embedded() {
  const rules::Book reference = rules::embedded_book("reference");
  return Evidence(std::make_shared<const Books>(Books{reference, reference}));
}

Loaded<Evidence> Evidence::with_rules(const std::string& name_or_folder, Language language) {
  Loaded<rules::Book> book = rules::open_book(name_or_folder.empty() ? "reference" : name_or_folder, {}, language);
  if (!book) return {std::nullopt, std::move(book.issues)};
  return {with_book(*book.value), std::move(book.issues)};
}

Evidence Evidence::with_book(const rules::Book& book) {
  const bool is_reference = book.shipped() && book.name() == "reference";
  return Evidence(std::make_shared<const Books>(Books{is_reference ? book : rules::embedded_book("reference", book.language()), book}));
}

PasteReading Evidence::read(std::string_view text) const {
  PasteReading reading;
  reading.records = read_tool_output(text);
  reading.verdict = evidence::judge_paste(reading.records, text, books_->reference);
  reading.redacted = redact(text).kinds;
  return reading;
}

}  // namespace steelyard

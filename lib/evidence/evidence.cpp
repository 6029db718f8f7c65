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

Loaded<Evidence> Evidence::with_rules(const std::string& name_or_folder) {
  if (name_or_folder.empty() || name_or_folder == "reference") return {embedded(), {}};
  const rules::Book reference = rules::embedded_book("reference");
  if (name_or_folder == "field_guide") return {Evidence(std::make_shared<const Books>(Books{reference, rules::embedded_book(name_or_folder)})), {}};
  Loaded<rules::Book> book = rules::load_book(std::filesystem::path(name_or_folder));
  if (!book) return {std::nullopt, std::move(book.issues)};
  return {Evidence(std::make_shared<const Books>(Books{reference, *book.value})), std::move(book.issues)};
}

PasteReading Evidence::read(std::string_view text) const {
  PasteReading reading;
  reading.records = read_tool_output(text);
  reading.verdict = evidence::judge_paste(reading.records, text, books_->reference);
  reading.redacted = redact(text).kinds;
  return reading;
}

}  // namespace steelyard

#include "catalog/sources.hpp"

#include "core/text.hpp"

namespace steelyard::catalog {

std::optional<Date> read_date(load::Fields& fields, const std::string& key) {
  const auto text = fields.text(key);
  if (!text) return std::nullopt;
  const auto date = parse_date(*text);
  if (!date) fields.fault(key, key + ": expected a date, found '" + *text + "'", "write year-month-day, such as 2026-07-20");
  return date;
}

Sources read_sources(load::Fields& file) {
  Sources known;
  const load::Node* table = file.node("sources");
  if (!table) return known;
  for (const load::Entry& entry : table->entries) {
    load::Fields fields(file.document(), entry.value, file.issues(), "source");
    Source source{fields.required_text("text"), read_date(fields, "date")};
    if (!fields.has("date")) fields.fault("date", "source: date is missing", "add the day on which it was published or read");
    fields.finish();
    known.emplace(entry.key, std::move(source));
  }
  return known;
}

std::vector<Source> named_sources(load::Fields& entry, const Sources& known) {
  std::vector<Source> sources;
  for (const std::string& key : entry.texts("sources")) {
    if (const auto found = known.find(key); found != known.end()) {
      sources.push_back(found->second);
      continue;
    }
    std::vector<std::string> keys;
    for (const auto& [name, source] : known) keys.push_back(name);
    const auto near = nearest_words(key, keys, 1);
    entry.fault("sources", "sources: '" + key + "' is not in the table `sources` of this file",
                near.empty() ? "add it there with text and date" : "did you mean " + near.front() + "?");
  }
  if (!entry.has("sources")) entry.fault("sources", "sources is missing", "name at least one document of the table `sources`");
  return sources;
}

}  // namespace steelyard::catalog

#include "words/phrases.hpp"

#include "load/embedded.hpp"

namespace steelyard {

Loaded<Language> parse_language(std::string_view word) {
  if (word == "en") return {Language::english, {}};
  if (word == "zh" || word == "zh-CN") return {Language::chinese, {}};
  Issue issue;
  issue.message = "expected one of en, zh; found '" + std::string(word) + "'";
  issue.fix = "write --lang zh, or leave it out";
  return {std::nullopt, {std::move(issue)}};
}

std::string_view to_string(Language language) { return language == Language::chinese ? "zh" : "en"; }

}  // namespace steelyard

namespace steelyard::words {

namespace {

template <class Map>
void read_map(const load::Node& root, const char* key, Map& into) {
  const load::Node* map = root.find(key);
  if (!map) return;
  for (const load::Entry& entry : map->entries) into[entry.key] = entry.value.text;
}

// What the schema says of its facts.
template <class Map>
void read_abouts(Map& into) {
  for (const std::string_view file : load::embedded_names("data/schema/facts/")) {
    const load::Document document = load::embedded_document(file);
    const load::Node* facts = document.root.find("facts");
    if (!facts) continue;
    for (const load::Node& fact : facts->items) {
      const load::Node *name = fact.find("name"), *about = fact.find("about");
      if (name && about) into[name->text] = about->text;
    }
  }
}

}  // namespace

const Phrases& Phrases::of(Language language) {
  static const Phrases english(Language::english), chinese(Language::chinese);
  return language == Language::chinese ? chinese : english;
}

Phrases::Phrases(Language language) : language_(language) {
  const auto read = [&](std::string_view file) {
    const load::Document document = load::embedded_document(file);
    read_map(document.root, "phrases", phrases_);
    read_map(document.root, "codes", codes_);
    read_map(document.root, "facts", facts_);
    if (const load::Node* tag = document.root.find("tag")) tag_ = tag->text;
  };
  read_abouts(facts_);
  read("data/languages/en.yaml");
  if (language == Language::english) return;
  read("data/languages/zh.yaml");
  read("data/languages/zh_facts.yaml");
}

std::string_view Phrases::phrase(std::string_view english) const {
  const auto found = phrases_.find(english);
  return found == phrases_.end() ? english : std::string_view(found->second);
}

std::string Phrases::code(const std::string& code) const {
  const auto found = codes_.find(code);
  return found == codes_.end() ? code : found->second;
}

std::string Phrases::fact(const std::string& name) const {
  const auto found = facts_.find(name);
  return found == facts_.end() ? std::string() : found->second;
}

}  // namespace steelyard::words

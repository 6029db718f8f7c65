#include <algorithm>
#include <cctype>
#include <set>

#include "catalog/names.hpp"
#include "core/text.hpp"
#include "load/embedded.hpp"
#include "load/fields.hpp"

namespace steelyard {

namespace {

using Words = std::vector<std::string>;

/// data/schema/model_names.yaml.
struct HubNames {
  struct Format {
    Words words;
    std::string format;
  };
  struct Alike {
    std::string model;
    std::vector<std::string> names;
  };
  std::set<std::string> tuning_words;
  std::vector<Format> formats;
  std::vector<Alike> same_network;
};

const HubNames& hub_names() {
  static const HubNames names = [] {
    const load::Document document = load::embedded_document("data/schema/model_names.yaml");
    Issues issues;
    load::Fields fields(document, document.root, issues, "names of models");
    HubNames read;
    for (const std::string& word : fields.texts("tuning_words")) read.tuning_words.insert(word);
    const auto each = [&](const char* key, const auto& entry) {
      if (const load::Node* list = fields.node(key)) load::each_map(document, *list, issues, key, entry);
    };
    each("formats", [&](load::Fields& entry) { read.formats.push_back({entry.texts("words"), entry.required_text("format")}); });
    each("same_network", [&](load::Fields& entry) { read.same_network.push_back({entry.required_text("model"), entry.texts("names")}); });
    return read;
  }();
  return names;
}

std::string_view without_owner(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == name.npos ? name : name.substr(slash + 1);
}

/// The key of a name that keeps its decimal points: opt-1.3b is not opt-13b.
std::string precise_key(std::string_view name) {
  const auto digit = [&](std::size_t i) { return i < name.size() && std::isdigit(static_cast<unsigned char>(name[i])); };
  std::string key;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '.' && i > 0 && digit(i - 1) && digit(i + 1)) key += '.';
    key += name_key(name.substr(i, 1));
  }
  return key;
}

/// "Llama-3.1-8B": llama, 3, 1, 8b.
Words words_of(std::string_view name) {
  Words words;
  bool inside = false;
  for (const char c : to_lower(name)) {
    const bool part = std::isalnum(static_cast<unsigned char>(c));
    if (part && !inside) words.emplace_back();
    if (part) words.back() += c;
    inside = part;
  }
  return words;
}

/// The key of a name without the words that say how its weights were tuned.
std::string untuned_key(const Words& words) {
  std::string key;
  for (const std::string& word : words) {
    if (!hub_names().tuning_words.contains(word)) key += word;
  }
  return key;
}

const HubNames::Format* format_at_end(const Words& words) {
  for (const HubNames::Format& format : hub_names().formats) {
    if (words.size() > format.words.size() && std::equal(format.words.rbegin(), format.words.rend(), words.rbegin())) return &format;
  }
  return nullptr;
}

bool is_language_model(const Model& model) { return model.kind.starts_with("llm") || model.kind == "vlm"; }

}  // namespace

ModelIndex::ModelIndex(const std::deque<Model>& models) {
  const auto put = [](Table& table, const std::string& key, const Model* model) {
    auto& found = table[key];
    if (std::find(found.begin(), found.end(), model) == found.end()) found.push_back(model);
  };
  const auto put_name = [&](std::string_view name, const Model* model) {
    put(table_, name_key(name), model);
    put(precise_, precise_key(name), model);
    if (is_language_model(*model)) put(untuned_, untuned_key(words_of(without_owner(name))), model);
  };
  for (const Model& model : models) {
    put_name(model.id, &model);
    put_name(without_owner(model.id), &model);
    for (const std::string& alias : model.aliases) put_name(alias, &model);
  }
  for (const HubNames::Alike& alike : hub_names().same_network) {
    const auto known = table_.find(name_key(alike.model));
    if (known == table_.end() || known->second.size() != 1) continue;
    for (const std::string& name : alike.names) put_name(name, known->second.front());
  }
  for (const auto& [key, found] : table_) keys_.push_back(key);
  std::sort(keys_.begin(), keys_.end());
}

ModelIndex::Models ModelIndex::look(const Table& table, const std::string& key) {
  const auto found = table.find(key);
  return found == table.end() ? Models() : found->second;
}

ModelIndex::Models ModelIndex::published(std::string_view name) const {
  Models found = look(precise_, precise_key(name));
  if (found.empty()) found = look(table_, name_key(name));
  if (found.empty()) found = look(precise_, precise_key(without_owner(name)));
  if (found.empty()) found = look(table_, name_key(without_owner(name)));
  if (found.empty()) found = look(untuned_, untuned_key(words_of(without_owner(name))));
  return found;
}

ModelIndex::Requantized ModelIndex::requantized(std::string_view name) const {
  Words words = words_of(without_owner(name));
  const HubNames::Format* format = format_at_end(words);
  if (!format) return {};
  words.resize(words.size() - format->words.size());
  Models found = look(table_, join(words, ""));
  if (found.empty()) found = look(untuned_, untuned_key(words));
  return {found, found.empty() ? "" : format->format};
}

NameMatch<Model> ModelIndex::find(std::string_view name) const {
  NameMatch<Model> match;
  match.candidates = published(name);
  if (match.candidates.empty()) match.candidates = requantized(name).models;
  if (!match.candidates.empty()) return match;
  Words words = words_of(without_owner(name));
  if (const HubNames::Format* format = format_at_end(words)) words.resize(words.size() - format->words.size());
  Words near = nearest_words(name_key(name), keys_);
  if (near.empty()) near = nearest_words(untuned_key(words), keys_);
  for (const std::string& key : near) {
    for (const Model* model : table_.at(key)) {
      if (std::find(match.nearest.begin(), match.nearest.end(), model->id) == match.nearest.end()) match.nearest.push_back(model->id);
    }
  }
  return match;
}

std::string ModelIndex::stored_format(std::string_view name) const { return published(name).empty() ? requantized(name).format : ""; }

}  // namespace steelyard

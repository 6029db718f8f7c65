#include "catalog/markets.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "load/embedded.hpp"
#include "load/fields.hpp"

namespace steelyard::catalog {

namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || beyond_ascii(c); }

/// "US, TX" as "us-tx".
std::string key_of(std::string_view name) {
  std::string key;
  for (const char c : to_lower(name)) {
    if (letter(c) || digit(c))
      key += c;
    else if (!key.empty() && key.back() != '-')
      key += '-';
  }
  if (!key.empty() && key.back() == '-') key.pop_back();
  return key;
}

/// Does a name end at this place of a key? "us-east-1" does within "us-east-1a", and not within "us-east-10"; Chinese has no spaces.
bool ends_at(std::string_view key, std::size_t at) {
  if (at >= key.size() || key[at] == '-' || beyond_ascii(key[at - 1])) return true;
  return digit(key[at]) != digit(key[at - 1]);
}

/// A region without the numbers at its end: "tokyo-japan" of "tokyo-japan-1".
std::string_view without_numbers(std::string_view key) {
  std::size_t end = key.size();
  while (end > 0 && digit(key[end - 1])) --end;
  if (end == key.size()) return key;
  if (end > 0 && key[end - 1] == '-') --end;
  return key.substr(0, end);
}

}  // namespace

const Markets& Markets::embedded() {
  static const Markets markets;
  return markets;
}

Markets::Markets() {
  const load::Document document = load::embedded_document("data/schema/markets.yaml");
  Issues issues;
  load::Fields fields(document, document.root, issues, "markets");
  const auto each = [&](const char* key, const auto& entry) {
    if (const load::Node* list = fields.node(key)) load::each_map(document, *list, issues, key, entry);
  };
  const auto words = [&](const char* key) {
    const auto texts = fields.texts(key);
    return std::unordered_set<std::string>(texts.begin(), texts.end());
  };
  each("markets", [&](load::Fields& entry) {
    const std::string& market = all_.emplace_back(entry.required_text("market"));
    add(market, entry.texts("codes"), Kind::code);
    add(market, entry.texts("words"), Kind::word);
    for (const char* part : {"member_codes", "members"}) {
      const auto names = entry.texts(part);
      add(market, names, part == std::string_view("members") ? Kind::word : Kind::code);
      members_.insert(names.begin(), names.end());
    }
    add(market, entry.texts("regions"), Kind::region);
  });
  each("of_providers", [&](load::Fields& entry) {
    of_providers_.push_back({entry.texts("providers"), entry.required_text("market"), entry.texts("regions")});
  });
  continents_ = words("continents");
  english_ = words("words_of_english");
  states_ = words("states_of_the_usa");
}

void Markets::add(const std::string& market, const std::vector<std::string>& names, Kind kind) {
  for (const std::string& name : names) places_.try_emplace(name, Place{market, kind});
}

const Markets::Place* Markets::find(std::string_view name) const {
  const auto found = places_.find(std::string(name));
  return found == places_.end() ? nullptr : &found->second;
}

std::optional<std::string> Markets::named(std::string_view word) const {
  const std::string key = key_of(word);
  if (std::find(all_.begin(), all_.end(), key) != all_.end()) return key;
  const Place* place = find(key);
  // A member of the European Union is no market of its own: who asks for one would get all of it.
  if (!place || place->kind == Kind::region || members_.contains(key)) return std::nullopt;
  return place->market;
}

std::vector<std::string> Markets::nearest(std::string_view word) const {
  if (const Place* member = find(key_of(word)); member && member->kind != Kind::region) return {member->market};
  std::vector<std::string> known = all_;
  for (const auto& [name, place] : places_) {
    if (place.kind == Kind::word && named(name)) known.push_back(name);
  }
  std::sort(known.begin(), known.end());
  return nearest_words(key_of(word), known, 1);
}

std::string_view Markets::beginning(std::string_view region) const {
  for (std::size_t size = region.size(); size > 0; --size) {
    const std::string_view start = region.substr(0, size);
    if (ends_at(region, size) && (find(start) || continents_.contains(std::string(start)))) return start;
  }
  return {};
}

std::optional<std::string> Markets::of_own(std::string_view region, std::string_view provider) const {
  const std::string who = name_key(provider);
  for (const OfProvider& own : of_providers_) {
    const bool theirs = std::any_of(own.providers.begin(), own.providers.end(), [&](const std::string& name) { return who.starts_with(name); });
    if (!theirs) continue;
    for (const std::string& name : own.regions) {
      if (region.starts_with(name) && ends_at(region, name.size())) return own.market;
    }
  }
  return std::nullopt;
}

const Markets::Place* Markets::country_at_end(std::string_view region, bool after_continent) const {
  const std::string_view named = without_numbers(region);
  for (std::size_t at = named.find('-'); at != named.npos; at = named.find('-', at + 1)) {
    const std::string end(named.substr(at + 1));
    const Place* place = find(end);
    if (!place || place->kind == Kind::region) continue;
    if (place->kind == Kind::code && !after_continent && states_.contains(end)) continue;
    return place;
  }
  return nullptr;
}

/// Of a region that begins with one country and may end in another.
std::optional<std::string> Markets::of_both(const Place& first, const Place* last) {
  if (!last || last->market == first.market) return first.market;
  // "US, CA" is California, and "CA, US" too.
  if (first.market == "us" && last->kind == Kind::code) return first.market;
  if (last->market == "us" && last->kind == Kind::code) return last->market;
  // Norway is no member, whatever "norway_2_eu" says; else two countries in one name say nothing.
  return first.kind == Kind::word && last->market == "eu" ? std::optional(first.market) : std::nullopt;
}

std::optional<std::string> Markets::of_region(std::string_view region, std::string_view provider) const {
  const std::string key = key_of(region);
  if (auto own = of_own(key, provider)) return own;
  // Azure's "West US 2" is its westus2.
  if (const Place* closed = find(name_key(region)); closed && closed->kind == Kind::region) return closed->market;
  const std::string start(beginning(key));
  const bool continent = continents_.contains(start);
  const Place* place = find(start);
  if (place && !continent && place->kind == Kind::region) return place->market;
  const Place* country = country_at_end(key, continent);
  if (!place || (continent && country)) return market_of(country);
  if (continent) return place->market;
  const bool word = place->kind == Kind::code && english_.contains(start) && start != key && !digit(key.back());
  return word ? market_of(country) : of_both(*place, country);
}

}  // namespace steelyard::catalog

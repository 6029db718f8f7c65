#include "estimate/train/software.hpp"

#include <algorithm>
#include <cctype>
#include <steelyard/date.hpp>
#include <utility>

#include "core/text.hpp"
#include "load/fields.hpp"

namespace steelyard::estimate {

namespace {

Framework read_framework(load::Fields& fields) {
  Framework out;
  out.name = fields.required_text("name");
  out.engine = fields.text("engine").value_or("");
  out.aliases = fields.texts("aliases");
  out.aliases.push_back(out.name);
  for (std::string& alias : out.aliases) alias = name_key(alias);
  out.usual_year = fields.number("usual_year", 0, 3000).value_or(0);
  out.tax = fields.number("tax", 0.1, 10).value_or(1);
  out.spread = fields.number("spread", 0, 2).value_or(0);
  fields.text("about");
  fields.node("source");
  return out;
}

const Framework* framework_of(const std::string& words, const SoftwareTable& table) {
  const std::string key = name_key(words);
  const Framework* best = nullptr;
  std::size_t length = 0;
  for (const Framework& framework : table.frameworks)
    for (const std::string& alias : framework.aliases)
      if (alias.size() > length && key.starts_with(alias)) {
        best = &framework;
        length = alias.size();
      }
  return best;
}

std::optional<double> year_of_month(int year, int month) {
  if (year < 2015 || year > 2060 || month < 1 || month > 12) return std::nullopt;
  return year + (month - 0.5) / 12;
}

}  // namespace

SoftwareTable read_software(const load::Document& document, Issues& issues) {
  SoftwareTable out;
  load::Fields fields(document, document.root, issues, "framework table");
  fields.node("sources");
  out.newest_year = fields.required_number("newest_year", 2000, 3000);
  out.flash_attention_year = fields.required_number("flash_attention_year", 2000, 3000);
  out.second_attention_year = fields.required_number("second_attention_year", 2000, 3000);
  out.third_attention_year = fields.required_number("third_attention_year", 2000, 3000);
  out.fused_experts_year = fields.required_number("fused_experts_year", 2000, 3000);
  out.unlisted_spread = fields.required_number("unlisted_spread", 0, 2);
  if (const load::Node* list = fields.node("frameworks"))
    load::each_map(document, *list, issues, "framework", [&](load::Fields& entry) { out.frameworks.push_back(read_framework(entry)); });
  fields.finish();
  return out;
}

std::optional<double> year_of_version(const std::string& version) {
  std::vector<int> numbers;
  for (std::size_t at = 0; at < version.size();) {
    if (!std::isdigit(static_cast<unsigned char>(version[at]))) {
      ++at;
      continue;
    }
    int value = 0;
    for (; at < version.size() && std::isdigit(static_cast<unsigned char>(version[at])); ++at)
      value = std::min(99999, value * 10 + version[at] - '0');
    numbers.push_back(value);
  }
  if (numbers.empty()) return std::nullopt;
  if (numbers.size() >= 2 && numbers[0] >= 17 && numbers[0] <= 60) return year_of_month(2000 + numbers[0], numbers[1]);
  if (numbers[0] < 2015 || numbers[0] > 2060) return std::nullopt;
  return numbers.size() >= 2 ? year_of_month(numbers[0], numbers[1]) : numbers[0] + 0.5;
}

TrainingSoftware training_software(const Software& software, const SoftwareTable& table) {
  TrainingSoftware out;
  const Framework* known = software.framework.empty() ? nullptr : framework_of(software.framework, table);
  out.framework = known ? known->name : to_lower(software.framework);
  if (known) {
    out.engine = known->engine;
    out.tax = known->tax;
    out.tax_spread = known->spread;
  } else if (!out.framework.empty()) {
    out.tax_spread = table.unlisted_spread;
  }
  if (!software.version.empty()) out.release = out.framework + " " + to_lower(software.version);
  std::optional<double> year;
  if (const auto date = parse_date(software.release_date)) year = date->year + (date->month - 0.5) / 12;
  if (!year) year = year_of_version(software.version);
  if (!year && known && known->usual_year > 0) year = known->usual_year;
  out.year = year.value_or(table.newest_year);
  return out;
}

}  // namespace steelyard::estimate

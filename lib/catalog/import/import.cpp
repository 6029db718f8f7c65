#include <algorithm>
#include <filesystem>

#include "catalog/import/csv.hpp"
#include "catalog/import/formats.hpp"
#include "catalog/import/table.hpp"
#include "catalog/offers.hpp"
#include "core/foreign_kind.hpp"
#include "core/text.hpp"
#include "load/node.hpp"

namespace steelyard {

namespace catalog {

namespace {

/// What a table's header must have.
struct Header {
  const char* format;
  std::vector<std::string> columns;
};

const std::vector<Header> headers = {{"skypilot", {"InstanceType", "AcceleratorName"}},
                                     {"gpuhunt", {"instance_name", "location"}},
                                     {"aws", {"instance_type", "gpu_model"}},
                                     {"azure", {"sku", "usd_per_hour"}}};

const Header* header_of(std::string_view text, bool any_case) {
  CsvReader csv(text.substr(0, 1 << 16));
  if (!csv.next()) return nullptr;
  std::vector<std::string> names;
  const auto written = [&](std::string_view name) { return any_case ? name_key(name) : std::string(trim(name)); };
  for (std::size_t index = 0; index < csv.size(); ++index) names.push_back(written(csv[index]));
  const auto fits = [&](const Header& header) {
    return std::all_of(header.columns.begin(), header.columns.end(),
                       [&](const std::string& column) { return std::find(names.begin(), names.end(), written(column)) != names.end(); });
  };
  const auto found = std::find_if(headers.begin(), headers.end(), fits);
  return found == headers.end() ? nullptr : &*found;
}

std::string known_formats() {
  std::vector<std::string> known;
  for (const Header& header : headers) known.push_back(std::string(header.format) + " (columns " + join(header.columns, ", ") + " ...)");
  return "known formats: " + join(known, ", ") + ", steelyard (a map with offers:)";
}

/// The text with its separator replaced in the first line.
std::string with_commas(std::string_view text, char separator) {
  std::string line(text.substr(0, std::min(text.find_first_of("\r\n"), std::size_t{1} << 16)));
  std::replace(line.begin(), line.end(), separator, ',');
  return line;
}

}  // namespace

Issue unknown_format(std::string_view text, const std::string& file) {
  Issue issue;
  issue.where = {file, 1, 1};
  if (const ForeignKind kind = foreign_kind(text); !kind.what.empty()) {
    issue.message = "expected a price list, found " + std::string(kind.what);
    issue.fix = kind.fix;
    return issue;
  }
  if (trim(text).empty() || trim(text) == "\xEF\xBB\xBF") {
    issue.message = "the file is empty";
    issue.fix = known_formats();
    return issue;
  }
  if (const Header* header = header_of(text, true)) {
    issue.message = std::string("the columns of ") + header->format + " in another spelling";
    issue.fix = "write them as " + join(header->columns, ", ") + " ...";
    return issue;
  }
  for (const auto& [separator, name] : {std::pair(';', "';'"), std::pair('\t', "tabs"), std::pair('|', "'|'")}) {
    if (!header_of(with_commas(text, separator), true)) continue;
    issue.message = std::string("columns parted by ") + name + ", expected commas";
    issue.fix = "export it with commas between columns and points in numbers";
    return issue;
  }
  issue.message = "the file is no price list of a known format";
  issue.fix = known_formats();
  return issue;
}

std::string detect_format(std::string_view text) {
  if (const Header* header = header_of(text, false)) return header->format;
  const bool own = text.starts_with("offers:") || text.find("\noffers:") != text.npos || text.find("\"offers\"") != text.npos;
  return own ? "steelyard" : "";
}

void import_own(const PriceFile& file, const Catalog& facts, Imported& out) {
  auto document = load::parse_document(std::string(file.text), file.name);
  if (!document) {
    for (Issue& issue : document.issues) out.issues.push_back(std::move(issue));
    ++out.unusable;
    return;
  }
  auto loaded = load_offer_file(*document.value, facts);
  const std::size_t faults = static_cast<std::size_t>(
      std::count_if(loaded.issues.begin(), loaded.issues.end(), [](const Issue& issue) { return issue.severity == Severity::error; }));
  out.unusable += faults;
  for (Issue& issue : loaded.issues) out.issues.push_back(std::move(issue));
  out.used += loaded.value->offers.size();
  for (Offer& offer : loaded.value->offers) out.offers.push_back(std::move(offer));
}

void import_text(const PriceFile& file, std::string_view format, const Catalog& facts, Imported& out) {
  std::string kind(format);
  if (kind.empty() || kind == "auto") kind = detect_format(file.text);
  out.format = kind;
  if (kind == "skypilot") return import_skypilot(file, facts, out);
  if (kind == "gpuhunt") return import_gpuhunt(file, facts, out);
  if (kind == "aws") return import_aws(file, facts, out);
  if (kind == "azure") return import_azure(file, facts, out);
  if (kind == "steelyard") return import_own(file, facts, out);
  const bool guessed = format.empty() || format == "auto";
  if (guessed) return out.issues.push_back(unknown_format(file.text, file.name));
  report(out, Severity::error, {"", 0, 0}, "unknown format '" + std::string(format) + "'", known_formats());
}

}  // namespace catalog

namespace {

bool is_price_file(const std::filesystem::path& path) {
  const std::string ending = to_lower(path.extension().string());
  return ending == ".csv" || ending == ".yaml" || ending == ".yml" || ending == ".json";
}

void import_file(const std::filesystem::path& path, std::string_view format, const Catalog& facts, Imported& out) {
  auto text = load::read_file(path.string());
  if (!text) {
    for (Issue& issue : text.issues) out.issues.push_back(std::move(issue));
    return;
  }
  catalog::import_text({*text.value, path.string(), path.stem().string()}, format, facts, out);
}

/// The files of a folder by name, or the file itself.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& path, Imported& out) {
  std::error_code error, ignored;
  if (!std::filesystem::is_directory(path, error)) return {path};
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_regular_file(ignored) && is_price_file(entry->path())) files.push_back(entry->path());
  }
  if (error) {
    catalog::report(out, Severity::error, {path.string(), 0, 0}, "cannot be read: " + error.message(), "check the permissions of the folder");
  } else if (files.empty()) {
    catalog::report(out, Severity::error, {path.string(), 0, 0}, "the folder holds no price list", "put .csv or .yaml files into it");
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Imported import_offers(const std::filesystem::path& file, std::string_view format, const Catalog& facts) {
  Imported out;
  import_file(file, format, facts, out);
  return out;
}

Imported import_offers_text(std::string_view text, const std::string& name, std::string_view format, const Catalog& facts) {
  Imported out;
  catalog::import_text({text, name, std::filesystem::path(name).stem().string()}, format, facts, out);
  return out;
}

Imported load_offers(const std::vector<std::filesystem::path>& paths, const Catalog& facts) {
  Imported out;
  for (const auto& path : paths) {
    for (const auto& file : files_of(path, out)) import_file(file, "auto", facts, out);
  }
  return out;
}

}  // namespace steelyard

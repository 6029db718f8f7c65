#include <algorithm>
#include <filesystem>

#include "catalog/import/csv.hpp"
#include "catalog/import/formats.hpp"
#include "catalog/import/table.hpp"
#include "catalog/offers.hpp"
#include "core/text.hpp"
#include "load/node.hpp"

namespace steelyard {

namespace catalog {

namespace {

const std::vector<std::string> formats = {"skypilot", "gpuhunt", "aws", "azure", "steelyard"};

}  // namespace

std::string detect_format(std::string_view text) {
  CsvReader csv(text.substr(0, 1 << 16));
  if (csv.next()) {
    const Columns columns(csv);
    if (columns.find("InstanceType") >= 0 && columns.find("AcceleratorName") >= 0) return "skypilot";
    if (columns.find("instance_name") >= 0 && columns.find("location") >= 0) return "gpuhunt";
    if (columns.find("instance_type") >= 0 && columns.find("gpu_model") >= 0) return "aws";
    if (columns.find("sku") >= 0 && columns.find("usd_per_hour") >= 0) return "azure";
  }
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
  report(out, Severity::error, {file.name, 1, 1},
         guessed ? "the file is no price list of a known format" : "unknown format '" + std::string(format) + "'",
         "known formats: " + join(formats, ", "));
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
std::vector<std::filesystem::path> files_of(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return {path};
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_regular_file(error) && is_price_file(entry->path())) files.push_back(entry->path());
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
    const auto files = files_of(path);
    if (files.empty())
      catalog::report(out, Severity::error, {path.string(), 0, 0}, "the folder holds no price list", "put .csv or .yaml files into it");
    for (const auto& file : files) import_file(file, "auto", facts, out);
  }
  return out;
}

}  // namespace steelyard

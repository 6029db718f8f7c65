// A table of AWS instance types: model, count and total memory of the GPUs, one on-demand price whose region and date stand in its column's name.
#include "catalog/import/formats.hpp"
#include "catalog/import/table.hpp"
#include "core/text.hpp"

namespace steelyard::catalog {

namespace {

constexpr std::string_view price_prefix = "ondemand_usd_";

/// "ondemand_usd_us_east_1_2026_07_20" -> "us-east-1" and 2026-07-20.
std::pair<std::string, std::optional<Date>> place_and_date(std::string_view column) {
  std::vector<std::string> words = split(column.substr(price_prefix.size()), '_');
  std::optional<Date> date;
  if (words.size() > 3) {
    const std::vector<std::string> tail(words.end() - 3, words.end());
    date = parse_date(join(tail, "-"));
    if (date) words.resize(words.size() - 3);
  }
  return {join(words, "-"), date};
}

}  // namespace

void import_aws(const PriceFile& file, const Catalog& facts, Imported& out) {
  CsvReader csv(file.text);
  csv.next();
  const Columns columns(csv);
  std::string price_name;
  const int type = columns.find("instance_type"), gpu = columns.find("gpu_model"), observed = columns.find("observed_gpu_name");
  const int count = columns.find("gpu_count"), total = columns.find("gpu_memory_total_gib"), network = columns.find("network_mbps");
  const int host_memory = columns.find("observed_host_memory_mb"), price = columns.find_prefix(price_prefix, price_name);
  const auto [region, date] = price < 0 ? std::pair<std::string, std::optional<Date>>() : place_and_date(price_name);
  OfferSink sink("aws", file.name, date, facts, out);
  if (type < 0 || gpu < 0 || price < 0) return sink.fault(1, 1, "the columns instance_type, gpu_model and ondemand_usd_<region>_<date> are needed");
  while (csv.next()) {
    if (!whole_row(csv, columns, sink)) continue;
    PriceRow row;
    row.line = csv.line();
    row.region = region;
    row.type = field(csv, type);
    row.gpu = trim(field(csv, observed).empty() ? field(csv, gpu) : field(csv, observed));
    row.count = field(csv, count);
    row.gpu_column = column_at(csv, gpu);
    row.count_column = column_at(csv, count);
    const auto gpus = number_at(csv, count), memory = number_at(csv, total);
    if (gpus && memory && *gpus > 0) row.memory_gib = *memory / *gpus;
    if (const auto mbps = number_at(csv, network)) row.network_gbit_per_s = *mbps / 1000;
    if (const auto mb = number_at(csv, host_memory)) row.host_memory_gib = *mb / 1024;
    std::string why;
    row.price_usd = price_at(csv, price, price_name.c_str(), gpus.value_or(1), why);
    if (!why.empty()) {
      sink.fault(row.line, column_at(csv, price), why, price_fix);
      continue;
    }
    sink.add(row);
  }
}

}  // namespace steelyard::catalog

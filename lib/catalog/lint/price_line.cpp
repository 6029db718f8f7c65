#include "catalog/lint/price_line.hpp"

#include <filesystem>

#include "catalog/contents.hpp"
#include "catalog/import/dates.hpp"
#include "catalog/import/formats.hpp"
#include "catalog/import/gpu_info.hpp"
#include "catalog/import/table.hpp"
#include "core/text.hpp"

namespace steelyard::catalog {

namespace {

/// Columns of any format; -1 where the format has none.
struct LintColumns {
  int type = -1, cloud_type = -1, gpu = -1, count = -1, info = -1, price = -1, spot = -1, spot_flag = -1, region = -1, zone = -1;
  int device_memory = -1, total_memory = -1, network_mbps = -1, capability = -1, observed = -1;
};

LintColumns columns_of(const std::string& format, const Columns& columns, std::string& price_name) {
  LintColumns at;
  if (format == "skypilot") {
    at.type = columns.find("InstanceType");
    at.cloud_type = columns.find("UpstreamCloudId");
    at.gpu = columns.find("AcceleratorName");
    at.count = columns.find("AcceleratorCount");
    at.info = columns.find("GpuInfo");
    at.price = columns.find("Price");
    at.spot = columns.find("SpotPrice");
    at.region = columns.find("Region");
    at.zone = columns.find("AvailabilityZone");
  } else if (format == "metadata") {
    at.gpu = columns.find("GPU");
    at.device_memory = columns.find("MemoryGB");
  } else if (format == "gpuhunt") {
    at.type = columns.find("instance_name");
    at.gpu = columns.find("gpu_name");
    at.count = columns.find("gpu_count");
    at.device_memory = columns.find("gpu_memory");
    at.price = columns.find("price");
    at.spot_flag = columns.find("spot");
    at.region = at.zone = columns.find("location");
  } else if (format == "aws") {
    at.type = columns.find("instance_type");
    at.gpu = columns.find("gpu_model");
    at.count = columns.find("gpu_count");
    at.total_memory = columns.find("gpu_memory_total_gib");
    at.price = columns.find_prefix("ondemand_usd_", price_name);
    at.network_mbps = columns.find("network_mbps");
    at.capability = columns.find("compute_capability");
    at.observed = columns.find("observed_gpu_name");
  } else {
    at.type = columns.find("sku");
    at.price = columns.find("usd_per_hour");
    at.region = columns.find("region");
  }
  return at;
}

PriceLine read_line(const CsvReader& csv, const LintColumns& at) {
  PriceLine line;
  line.line = csv.line();
  line.raw = csv.raw();
  while (line.raw.ends_with('\n') || line.raw.ends_with('\r')) line.raw.remove_suffix(1);
  line.region = field(csv, at.region);
  line.zone = field(csv, at.zone);
  line.type = field(csv, at.type);
  line.cloud_type = field(csv, at.cloud_type);
  line.gpu = trim(field(csv, at.gpu));
  line.info = field(csv, at.info);
  line.observed_gpu = trim(field(csv, at.observed));
  line.count = number_at(csv, at.count);
  line.price = number_at(csv, at.price);
  line.spot = number_at(csv, at.spot);
  line.count_text = trim(field(csv, at.count));
  line.price_text = trim(field(csv, at.price));
  line.spot_text = trim(field(csv, at.spot));
  line.spot_row = says_yes(field(csv, at.spot_flag));
  if (at.info >= 0) {
    const GpuInfo info = parse_gpu_info(line.info);
    line.memory_in_mib = info.device_memory.has_value();
    line.device_memory = info.device_memory ? info.device_memory : memory_in_prose(line.info);
    line.total_memory = info.total_memory;
  } else {
    line.device_memory = number_at(csv, at.device_memory);
    if (const auto total = number_at(csv, at.total_memory); total && line.count && *line.count > 0) {
      line.device_memory = *total / *line.count;
      line.total_only = true;
    }
  }
  if (const auto mbps = number_at(csv, at.network_mbps)) line.network_gbit_per_s = *mbps / 1000;
  line.compute_capability = number_at(csv, at.capability);
  return line;
}

bool is_metadata(const Columns& columns) { return columns.find("GPU") >= 0 && columns.find("MemoryGB") >= 0; }

}  // namespace

PriceList read_price_list(std::string_view text, const std::string& name, const Catalog& facts) {
  PriceList list;
  list.file = name;
  list.stem = std::filesystem::path(name).stem().string();
  CsvReader csv(text);
  if (!csv.next()) return list;
  const Columns columns(csv);
  list.format = is_metadata(columns) ? "metadata" : detect_format(text);
  if (list.format == "steelyard") list.format.clear();
  if (list.format.empty()) return list;
  std::string price_name;
  const LintColumns at = columns_of(list.format, columns, price_name);
  list.has_prices = at.price >= 0;
  list.has_spot = at.spot >= 0;
  list.has_count = at.count >= 0;
  list.has_network = at.network_mbps >= 0;
  list.date = price_name.empty() ? date_in_name(list.stem) : date_in_name(price_name);
  const std::string provider = list.format == "aws" || list.format == "azure" ? list.format : list.stem;
  while (csv.next()) {
    if (csv.unclosed() || csv.size() != columns.size()) {
      list.broken.push_back(csv.unclosed()
                                ? PriceList::Broken{csv.line(), "a quote is opened and never closed", "close it; a quote inside a field is doubled"}
                                : PriceList::Broken{csv.line(),
                                                    "expected " + std::to_string(columns.size()) + " columns, found " + std::to_string(csv.size()),
                                                    "put fields with a comma in quotes"});
      continue;
    }
    PriceLine line = read_line(csv, at);
    if (!line.gpu.empty()) line.boards = facts.find_board(line.observed_gpu.empty() ? line.gpu : line.observed_gpu);
    if (!line.type.empty()) line.machine = facts.contents().facts->machine_names.find(provider, line.type);
    list.lines.push_back(std::move(line));
  }
  return list;
}

}  // namespace steelyard::catalog

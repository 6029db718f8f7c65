// gpuhunt catalogs (v2): one row a purchase kind, the place in `location`, memory in GiB per GPU.
#include <map>

#include "catalog/import/formats.hpp"
#include "catalog/import/places.hpp"
#include "catalog/import/table.hpp"
#include "core/text.hpp"

namespace steelyard::catalog {

void import_gpuhunt(const PriceFile& file, const Catalog& facts, Imported& out) {
  OfferSink sink(file.stem, file.name, std::nullopt, facts, out);
  CsvReader csv(file.text);
  if (!csv.next()) return sink.fault(1, 1, "the file is empty");
  const Columns columns(csv);
  const int type = columns.find("instance_name"), place = columns.find("location"), price = columns.find("price"), gpu = columns.find("gpu_name");
  const int count = columns.find("gpu_count"), memory = columns.find("gpu_memory"), spot = columns.find("spot"), cpu = columns.find("cpu");
  const int host_memory = columns.find("memory"), extra = columns.find("provider_data"), vendor = columns.find("gpu_vendor");
  if (type < 0 || place < 0 || price < 0) return sink.fault(1, 1, "the columns instance_name, location and price are needed");
  std::map<std::string_view, std::string> regions;
  while (csv.next()) {
    if (!whole_row(csv, columns, sink)) continue;
    PriceRow row;
    row.line = csv.line();
    row.zone = field(csv, place);
    row.region = regions.try_emplace(row.zone, region_of_place(row.zone)).first->second;
    row.type = field(csv, type);
    row.gpu = trim(field(csv, gpu));
    row.count = field(csv, count);
    row.memory_gib = number_at(csv, memory);
    if (row.memory_gib && *row.memory_gib <= 0) row.memory_gib.reset();
    row.vcpus = number_at(csv, cpu);
    row.host_memory_gib = number_at(csv, host_memory);
    row.gpu_column = column_at(csv, gpu);
    row.count_column = column_at(csv, count);
    row.infiniband = field(csv, extra).find("fabrics\": [\"") != std::string_view::npos;
    if (row.gpu.empty() && field(csv, vendor).empty()) {
      ++out.without_gpu;
      continue;
    }
    if (trim(row.count).empty() || trim(row.count) == "0") {
      sink.fault(row.line, row.count_column, "gpu_count: the number of GPUs is missing");
      continue;
    }
    std::string why;
    const auto amount = price_at(csv, price, "price", parse_number(trim(row.count)).value_or(1), why);
    if (!why.empty()) {
      sink.fault(row.line, column_at(csv, price), why, price_fix);
      continue;
    }
    (says_yes(field(csv, spot)) ? row.spot_usd : row.price_usd) = amount;
    sink.add(row);
  }
}

}  // namespace steelyard::catalog

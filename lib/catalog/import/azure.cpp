// A table of Azure list prices: region, SKU and price only. What the SKU holds comes from the machine types; the date stands in the file's name.
#include "catalog/contents.hpp"
#include "catalog/import/dates.hpp"
#include "catalog/import/formats.hpp"
#include "catalog/import/table.hpp"
#include "core/text.hpp"

namespace steelyard::catalog {

void import_azure(const PriceFile& file, const Catalog& facts, Imported& out) {
  OfferSink sink("azure", file.name, date_in_name(file.stem), facts, out);
  CsvReader csv(file.text);
  csv.next();
  const Columns columns(csv);
  const int region = columns.find("region"), type = columns.find("sku"), price = columns.find("usd_per_hour");
  if (region < 0 || type < 0 || price < 0) return sink.fault(1, 1, "the columns region, sku and usd_per_hour are needed");
  const MachineIndex& machines = facts.contents().facts->machine_names;
  while (csv.next()) {
    if (!whole_row(csv, columns, sink)) continue;
    PriceRow row;
    row.line = csv.line();
    row.region = field(csv, region);
    row.type = field(csv, type);
    row.gpu_column = row.count_column = column_at(csv, type);
    std::string why;
    row.price_usd = price_at(csv, price, "usd_per_hour", 1, why);
    if (!why.empty()) {
      sink.fault(row.line, column_at(csv, price), why, price_fix);
      continue;
    }
    const MachineType* machine = machines.find("azure", row.type);
    if (!machine) {
      sink.fault(row.line, row.gpu_column, "sku: no machine type is known as '" + std::string(row.type) + "'",
                 "add it to the machine types with its GPUs");
      continue;
    }
    sink.add(row);
  }
}

}  // namespace steelyard::catalog

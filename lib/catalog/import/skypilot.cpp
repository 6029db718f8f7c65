// SkyPilot catalogs (catalogs/v5 to v9, one file a cloud). Columns are found by name; GCP prices host and GPU in rows of their own.
#include <algorithm>
#include <map>
#include <memory>

#include "catalog/contents.hpp"
#include "catalog/import/board_of_row.hpp"
#include "catalog/import/formats.hpp"
#include "catalog/import/gpu_info.hpp"
#include "catalog/import/table.hpp"
#include "core/text.hpp"

namespace steelyard::catalog {

namespace {

struct SkyColumns {
  explicit SkyColumns(const Columns& columns)
      : type(columns.find("InstanceType")),
        gpu(columns.find("AcceleratorName")),
        count(columns.find("AcceleratorCount")),
        info(columns.find("GpuInfo")),
        vcpus(columns.find("vCPUs")),
        memory(columns.find("MemoryGiB")),
        price(columns.find("Price")),
        spot(columns.find("SpotPrice")),
        region(columns.find("Region")),
        zone(columns.find("AvailabilityZone")) {}
  int type, gpu, count, info, vcpus, memory, price, spot, region, zone;
};

/// A host or the GPUs of a machine whose price stands in two rows.
struct Part {
  PriceRow row;
  bool used = false;
};

class Reader {
 public:
  Reader(const PriceFile& file, const Catalog& facts, Imported& out)
      : file_(file), facts_(facts), out_(out), sink_(file.stem, file.name, std::nullopt, facts, out) {}

  void read() {
    CsvReader csv(file_.text);
    if (!csv.next()) return sink_.fault(1, 1, "the file is empty");
    const Columns columns(csv);
    const SkyColumns at(columns);
    for (const auto& [column, name] : {std::pair(at.type, "InstanceType"), {at.gpu, "AcceleratorName"}, {at.price, "Price"}, {at.region, "Region"}}) {
      if (column < 0) return sink_.fault(1, 1, std::string("the column ") + name + " is missing", "the header of a SkyPilot catalog names it");
    }
    while (csv.next()) {
      if (whole_row(csv, columns, sink_)) read_row(csv, at);
    }
    join_parts();
    if (out_.without_gpu > 0) {
      report(out_, Severity::warning, {file_.name, first_without_gpu_, 1},
             std::to_string(out_.without_gpu) + " rows from here on name no GPU and sell none by their type; they were left out");
    }
  }

 private:
  void read_row(const CsvReader& csv, const SkyColumns& at) {
    PriceRow row;
    row.line = csv.line();
    row.region = field(csv, at.region);
    row.zone = field(csv, at.zone);
    row.type = field(csv, at.type);
    row.gpu = trim(field(csv, at.gpu));
    row.count = field(csv, at.count);
    row.info = field(csv, at.info);
    row.vcpus = number_at(csv, at.vcpus);
    row.host_memory_gib = number_at(csv, at.memory);
    row.gpu_column = column_at(csv, at.gpu);
    row.count_column = column_at(csv, at.count);
    const double gpus = parse_number(trim(row.count)).value_or(1);
    std::string why, why_spot;
    row.price_usd = price_at(csv, at.price, "Price", gpus, why);
    row.spot_usd = price_at(csv, at.spot, "SpotPrice", gpus, why_spot);
    if (!why.empty() || !why_spot.empty()) {
      // A row with one good price is used; the bad figure is reported all the same.
      const bool good = row.price_usd || row.spot_usd;
      const int column = column_at(csv, why.empty() ? at.spot : at.price);
      if (!good) return sink_.fault(row.line, column, why.empty() ? why_spot : why, price_fix);
      report(out_, Severity::warning, {file_.name, row.line, column}, why.empty() ? why_spot : why);
    }
    const bool slice = row.gpu.starts_with("tpu-");
    if (row.gpu.empty()) {
      hosts_.push_back({row});
    } else if (row.type.empty() && !slice) {
      gpus_[{row.region, row.zone}].push_back({row});
    } else {
      if (row.type.empty()) row.type = row.gpu;
      sink_.add(row);
    }
  }

  /// The GPU's row for a host: same zone, the machine's count and board.
  Part* gpu_part(const PriceRow& host, const MachineType& machine) {
    const auto found = gpus_.find({host.region, host.zone});
    if (found == gpus_.end()) return nullptr;
    for (Part& part : found->second) {
      const double count = parse_number(part.row.count).value_or(0);
      if (count != machine.gpus.value_or(-1)) continue;
      const GpuInfo info = parse_gpu_info(part.row.info);
      const auto match = facts_.find_board(part.row.gpu, info.device_memory.value_or(0) / 1024);
      if (std::any_of(match.candidates.begin(), match.candidates.end(), [&](const Board* board) { return board->id == machine.board; })) return &part;
    }
    return nullptr;
  }

  void join_parts() {
    for (Part& host : hosts_) {
      const MachineType* machine = facts_.contents().facts->machine_names.find(file_.stem, host.row.type);
      if (!machine || !machine->gpus) {
        if (out_.without_gpu++ == 0) first_without_gpu_ = host.row.line;
        continue;
      }
      Part* gpu = gpu_part(host.row, *machine);
      if (!gpu) {
        sink_.fault(host.row.line, 1, "the price of " + std::string(host.row.type) + " without its GPUs, and no row of this zone has theirs");
        continue;
      }
      PriceRow row = host.row;
      row.gpu = gpu->row.gpu;
      row.count = gpu->row.count;
      row.info = gpu->row.info;
      const auto sum = [](const std::optional<double>& one, const std::optional<double>& other) {
        return one && other ? std::optional(*one + *other) : std::nullopt;
      };
      row.price_usd = sum(host.row.price_usd, gpu->row.price_usd);
      row.spot_usd = sum(host.row.spot_usd, gpu->row.spot_usd);
      sink_.add(row);
      gpu->used = true;
    }
    for (auto& [zone, parts] : gpus_) {
      for (const Part& part : parts) {
        if (part.used) {
          ++out_.merged;
          continue;
        }
        sink_.fault(part.row.line, part.row.gpu_column,
                    "the price of " + std::string(part.row.gpu) + " alone: no machine with it in this file and zone");
      }
    }
  }

  const PriceFile& file_;
  const Catalog& facts_;
  Imported& out_;
  OfferSink sink_;
  std::vector<Part> hosts_;
  std::map<std::pair<std::string_view, std::string_view>, std::vector<Part>> gpus_;
  int first_without_gpu_ = 0;
};

}  // namespace

void import_skypilot(const PriceFile& file, const Catalog& facts, Imported& out) { Reader(file, facts, out).read(); }

}  // namespace steelyard::catalog

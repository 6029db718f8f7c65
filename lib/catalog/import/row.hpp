// What every price list says in the end: a machine of a type, at a place, with GPUs, for a price. Each format makes such rows.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <steelyard/catalog.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catalog/machines.hpp"

namespace steelyard::catalog {

/// One row. Views point into the file's text.
struct PriceRow {
  std::string_view region, type, gpu, info;  // info: GpuInfo of SkyPilot; else empty
  std::string_view zone;
  std::string_view count;            // GPUs, as written
  std::optional<double> memory_gib;  // per GPU, where the format has a column for it
  std::optional<double> vcpus, host_memory_gib;
  std::optional<double> price_usd, spot_usd;  // per machine and hour
  std::optional<double> network_gbit_per_s;
  bool infiniband = false;
  int line = 0;
  int gpu_column = 1, count_column = 1;
};

/// Adds an issue.
void report(Imported& out, Severity severity, SourceLocation where, std::string message, std::string fix = {});

/// Turns rows into offers: finds the board, adds the machine type's facts, makes spot prices offers of their own, merges zones.
class OfferSink {
 public:
  OfferSink(std::string provider, std::string file, std::optional<Date> date, const Catalog& facts, Imported& out);

  void add(const PriceRow& row);
  /// A row that can't be used.
  void fault(int line, int column, std::string message, std::string fix = {});

 private:
  /// All that rows of one machine type share.
  struct Prototype {
    Offer offer;
    OfferList::Kind on_demand = 0, spot = 0;  // of its offers by purchase; only where there is no fault
    std::string fault, fix;
    int fault_column = 0;  // 0: the GPU's column, 1: the count's
  };

  const Prototype& prototype_of(const PriceRow& row);
  Prototype make_prototype(const PriceRow& row) const;
  void add_kinds(Prototype& made);
  void write_key(const PriceRow& row);
  bool put(OfferList::Kind kind, const PriceRow& row, double price, bool spot);
  /// The same kind with one more warning.
  OfferList::Kind warned(OfferList::Kind kind, const char* warning);
  struct Slot {
    std::uint32_t offer = 0;  // index + 1 into the offers; 0: free
    std::uint32_t hash = 0;
  };
  Slot& slot_of(std::string_view id, std::uint32_t hash);
  void grow();

  std::string provider_, file_;
  std::optional<Date> date_;
  const Catalog& facts_;
  Imported& out_;
  std::unordered_map<std::string, std::size_t> prototypes_;
  std::deque<Prototype> made_;
  std::vector<Slot> table_;  // open addressing, a power of two in size
  std::map<std::pair<OfferList::Kind, const char*>, OfferList::Kind> warned_;
  std::string key_, id_;
  PriceRow last_;  // the row before and its prototype: rows of one type mostly follow each other
  std::size_t last_prototype_ = 0;
  const MachineType* machine_ = nullptr;  // of the type of that row
};

}  // namespace steelyard::catalog

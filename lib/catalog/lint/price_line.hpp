// One line of a price list as lint sees it: what is written, before anything is corrected.
#pragma once

#include <optional>
#include <steelyard/catalog.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/machines.hpp"

namespace steelyard::catalog {

struct PriceLine {
  int line = 0;
  std::string_view raw;  // the record without its line end
  std::string_view region, zone, type, cloud_type, gpu, info;
  std::optional<double> count;                        // GPUs
  std::optional<double> device_memory, total_memory;  // as written
  bool memory_in_mib = false;                         // what the fields' names say: MiB, else GiB or GB
  bool total_only = false;                            // the field holds the machine's total; device_memory is its share
  std::optional<double> price, spot;                  // as written, zero and placeholders included
  std::string_view count_text, price_text, spot_text;
  bool spot_row = false;  // purchase kinds have rows of their own, and this one is spot
  std::optional<double> network_gbit_per_s, compute_capability;
  std::string_view observed_gpu;  // name that a tool printed inside such a machine

  // Filled in by name.
  NameMatch<Board> boards;
  const MachineType* machine = nullptr;
};

struct PriceList {
  std::string format;  // "skypilot" "metadata" "gpuhunt" "aws" "azure"; empty: no price list
  std::string file, stem;
  bool has_prices = false, has_spot = false, has_count = false;
  bool has_network = false;
  std::optional<Date> date;  // of the prices, from the name of the file or of a column
  std::vector<PriceLine> lines;
  struct Broken {
    int line = 0;
    std::string message, fix;
  };
  std::vector<Broken> broken;  // rows that can't be read
};

/// Reads a text that is a price list; views point into `text`.
PriceList read_price_list(std::string_view text, const std::string& name, const Catalog& facts);

}  // namespace steelyard::catalog

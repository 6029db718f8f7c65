// Which board a row of a price list sells, from the GPU's name, the stated memory and the words in the machine's name.
#pragma once

#include <optional>
#include <steelyard/catalog.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/import/row.hpp"

namespace steelyard::catalog {

struct BoardOfRow {
  const Board* board = nullptr;  // null: ambiguous or unknown
  std::string gpu;               // name to show where the board is not known
  std::optional<int> chips;      // TPU slices: chips by the slice's name
  bool part = false;             // sells a part of a GPU
  std::vector<std::string> warnings;
};

BoardOfRow board_of_row(const PriceRow& row, double count, const Catalog& facts);

/// Boards of the list that fit the form factor said in a machine's name ("gpu_8x_h100_sxm5"); all of them where it says none.
std::vector<const Board*> narrow_by_machine_name(std::vector<const Board*> boards, std::string_view machine);
/// "sxm", "pcie", "nvl" where a machine's name says one as a word; else empty.
std::string form_in_name(std::string_view machine);

/// GPU counts hidden in a name: "A10*1/12", "T4/4", "1/2 A100", "H100 3g.40gb" and "A10-4Q" name a part of a GPU.
bool names_a_part(std::string_view gpu);

/// Sizes that a figure of memory can mean, in GiB per GPU: as MiB, as GiB, as the sum over the machine.
std::vector<double> memory_readings_gib(double figure, double count);

}  // namespace steelyard::catalog

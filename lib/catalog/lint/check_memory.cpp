#include <algorithm>
#include <cmath>

#include "catalog/import/board_of_row.hpp"
#include "catalog/lint/checks.hpp"
#include "catalog/lint/lint_facts.hpp"
#include "core/text.hpp"

namespace steelyard::catalog {

namespace {

bool near(double one, double other) { return std::abs(one - other) <= lint_facts().memory_tolerance * other; }

bool fits(double gib, const std::vector<const Board*>& boards) {
  return std::any_of(boards.begin(), boards.end(), [&](const Board* board) { return near(gib, board->memory_gb_nominal); });
}

/// Is there an odd variant of that name with this memory, such as the RTX 3080 of 12 GB?
bool is_variant(const PriceLine& line, double gib, const Catalog& facts) { return fits(gib, facts.find_board(line.gpu, gib).candidates); }

std::string sizes(const std::vector<const Board*>& boards) {
  std::vector<std::string> words;
  for (const Board* board : boards) {
    const std::string word = format_number(board->memory_gb_nominal) + " GB";
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return join(words, " or ");
}

/// A half, a third ... of some board's memory: a part of a GPU is sold.
bool is_a_part(double gib, const std::vector<const Board*>& boards) {
  for (const Board* board : boards) {
    for (int parts = 2; parts <= lint_facts().most_parts_of_a_gpu; ++parts) {
      if (near(gib, board->memory_gb_nominal / parts)) return true;
    }
  }
  return false;
}

void check_total(const PriceLine& line, Report& report) {
  if (!line.total_memory || !line.count || *line.count < 1) return;
  const double expected = *line.count * *line.device_memory;
  if (near(*line.total_memory, expected)) return;
  report.add("memory_total_wrong", line.line,
             "the machine's total is " + format_number(*line.total_memory) + " MiB, " + format_number(*line.count) + " GPUs of " +
                 format_number(*line.device_memory) + " MiB have " + format_number(expected),
             "write " + format_number(expected));
}

struct Unit {
  const char* name;
  double gib;
};

/// The unit that makes a figure one of the boards' sizes, where the one that the field names does not.
std::optional<Unit> other_unit(double figure, bool in_mib, const std::vector<const Board*>& boards) {
  constexpr double k = 1024;
  for (const Unit unit : {Unit{"GiB", 1}, Unit{"MiB", 1 / k}, Unit{"KiB", 1 / k / k}, Unit{"bytes", 1 / k / k / k}}) {
    const bool own = unit.gib == (in_mib ? 1 / k : 1);
    if (!own && fits(figure * unit.gib, boards)) return unit;
  }
  return std::nullopt;
}

void check_device(const PriceList& list, const PriceLine& line, const Catalog& facts, Report& report) {
  const double figure = *line.device_memory, gib = line.memory_in_mib ? figure / 1024 : figure, count = line.count.value_or(1);
  const auto& boards = line.boards.candidates;
  const std::string unit = line.memory_in_mib ? " MiB" : " GB", named = std::string(line.gpu), known = sizes(boards);
  if (fits(gib, boards) || is_variant(line, gib, facts)) return check_total(line, report);
  if (const auto other = other_unit(figure, line.memory_in_mib, boards)) {
    return report.add(
        "memory_unit", line.line,
        format_number(figure) + unit + " for a " + named + " of " + known + ": the figure is in " + other->name + ", the field says" + unit,
        "write " + format_number(std::round(figure * other->gib * (line.memory_in_mib ? 1024 : 1))));
  }
  if (line.total_only && count > 1 && fits(gib * count, boards)) {
    return report.add("memory_total_wrong", line.line,
                      "the machine's total is " + format_number(gib * count) + unit + ", that is one " + named + " of " + format_number(count),
                      "write " + format_number(gib * count * count));
  }
  if (count > 1 && fits(gib / count, boards)) {
    return report.add("memory_total_in_device", line.line,
                      format_number(figure) + unit + " for one " + named + " of " + known + ": that is the sum of all " + format_number(count),
                      "write " + format_number(figure / count));
  }
  if (count > 1 && line.memory_in_mib && fits(figure / count, boards)) {
    report.add("memory_unit", line.line, format_number(figure) + " MiB: the figure is in GiB, the field says MiB",
               "write " + format_number(figure / count * 1024));
    return report.add("memory_total_in_device", line.line, "the figure is the sum of all " + format_number(count) + " GPUs", "write it per GPU");
  }
  if (list.has_prices && is_a_part(gib, boards)) {
    return report.add("gpu_fraction", line.line, format_rounded(gib) + " GB of a " + named + " with " + known + ": a part of a GPU");
  }
  report.add("memory_mismatch", line.line, "no " + named + " has " + format_rounded(gib) + " GB; known: " + known,
             "write the memory of the board that is meant");
}

}  // namespace

void check_memory(const PriceList& list, const Catalog& facts, Report& report) {
  for (const PriceLine& line : list.lines) {
    if (!line.device_memory || *line.device_memory <= 0 || names_a_part(line.gpu) || line.count.value_or(1) < 1) continue;
    const auto known = [](const Board* board) { return board->memory_gb_nominal > 0; };
    if (line.boards.candidates.empty() || !std::all_of(line.boards.candidates.begin(), line.boards.candidates.end(), known)) continue;
    check_device(list, line, facts, report);
  }
}

}  // namespace steelyard::catalog

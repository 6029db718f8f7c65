#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "catalog/import/board_of_row.hpp"
#include "catalog/lint/checks.hpp"
#include "catalog/lint/lint_facts.hpp"
#include "core/text.hpp"

namespace steelyard::catalog {

namespace {

/// The count that a machine's own name states in front of its GPU: "gpu_8x_h100_sxm5", "4xA100-80G".
std::optional<int> count_in_name(std::string_view machine, std::string_view gpu) {
  const std::string name = to_lower(machine), board = name_key(gpu);
  const auto digit = [&](std::size_t at) { return std::isdigit(static_cast<unsigned char>(name[at])) != 0; };
  for (std::size_t at = name.find('x'); at != name.npos; at = name.find('x', at + 1)) {
    std::size_t start = at;
    while (start > 0 && digit(start - 1)) --start;
    if (start == at || at - start > 2 || (start > 0 && std::isalpha(static_cast<unsigned char>(name[start - 1])))) continue;
    const std::string behind = name_key(std::string_view(name).substr(at + 1));
    if (board.size() >= 2 && behind.starts_with(board)) return static_cast<int>(parse_integer(name.substr(start, at - start)).value_or(0));
  }
  return std::nullopt;
}

void check_named_count(const PriceLine& line, Report& report) {
  const std::string_view chip = line.boards.candidates.empty() ? line.gpu : std::string_view(line.boards.candidates.front()->chip);
  const auto named = count_in_name(line.type, chip);
  if (!named || *named < 1 || std::abs(*named - *line.count) < 1e-9) return;
  report.add("gpu_count_implausible", line.line,
             format_number(*line.count) + " " + std::string(line.gpu) + " are listed, the machine's name '" + std::string(line.type) + "' says " +
                 std::to_string(*named),
             "write the number that the machine has");
}

void check_count(const PriceList& list, const PriceLine& line, Report& report) {
  if (!list.has_count || line.gpu.empty() || line.gpu.starts_with("tpu-")) return;
  if (!line.count || *line.count <= 0) {
    return report.add("gpu_count_missing", line.line,
                      "a " + std::string(line.gpu) + " is named, its number is " +
                          (line.count_text.empty() ? std::string("empty") : "'" + std::string(line.count_text.substr(0, 20)) + "'"),
                      "add the number of GPUs");
  }
  if (!line.machine || !line.machine->gpus) return check_named_count(line, report);
  if (std::abs(*line.machine->gpus - *line.count) < 1e-9) return;
  if (*line.machine->gpus < 1) {
    return report.add(
        "gpu_fraction", line.line,
        std::string(line.type) + " holds " + format_rounded(*line.machine->gpus, 2) + " of a GPU; " + format_number(*line.count) + " is listed");
  }
  report.add("gpu_count_implausible", line.line,
             format_number(*line.count) + " " + std::string(line.gpu) + " are listed, " + std::string(line.type) + " has " +
                 format_number(*line.machine->gpus),
             "write " + format_number(*line.machine->gpus));
}

void check_part(const PriceLine& line, Report& report) {
  const bool part = names_a_part(line.gpu) || (line.count && *line.count > 0 && *line.count < 1);
  if (part) report.add("gpu_fraction", line.line, "a part of a GPU: " + std::string(line.gpu) + " x " + format_number(line.count.value_or(1)));
}

void check_capability(const PriceLine& line, Report& report) {
  if (!line.compute_capability || line.boards.candidates.empty()) return;
  const std::optional<double> known = line.boards.candidates.front()->compute_capability;
  const bool agreed = std::all_of(line.boards.candidates.begin(), line.boards.candidates.end(),
                                  [&](const Board* board) { return board->compute_capability == known; });
  if (!known || !agreed || std::abs(*known - *line.compute_capability) < 0.05) return;
  report.add("compute_capability_wrong", line.line,
             line.boards.candidates.front()->marketing_name + " has compute capability " + format_number(*known) + ", not " +
                 format_number(*line.compute_capability),
             "write " + format_number(*known));
}

/// Does the name leave the form factor open, while boards of several forms carry it?
bool leaves_form_open(const NameMatch<Board>& match) {
  std::set<std::string> forms;
  for (const Board* board : match.candidates) forms.insert(board->form_factor);
  return forms.size() > 1 || !match.warning.empty();
}

/// A fabric as a word of a machine's name: "h100-sxm5-80gb_eth".
std::string fabric_in_name(std::string_view machine) {
  std::string word;
  std::vector<std::string> words;
  for (const char c : machine) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  words.push_back(std::move(word));
  for (const char* fabric : {"ib", "eth", "roce", "infiniband", "nvlink"}) {
    if (std::find(words.begin(), words.end(), fabric) != words.end()) return fabric;
  }
  return {};
}

void check_form(const PriceLine& line, Report& report) {
  if (line.boards.candidates.empty() || !leaves_form_open(line.boards)) return;
  for (const std::string_view name : {line.type, line.cloud_type}) {
    const std::string form = form_in_name(name), fabric = fabric_in_name(name);
    if (form.empty() && fabric.empty()) continue;
    return report.add("form_factor_in_name", line.line,
                      "'" + std::string(line.gpu) + "' leaves the form factor open; only the machine's name '" + std::string(name) + "' says " +
                          (form.empty() ? fabric : form));
  }
}

void check_kind(const PriceLine& line, Report& report) {
  const auto& boards = line.boards.candidates;
  const bool other = !boards.empty() && std::all_of(boards.begin(), boards.end(), [](const Board* board) {
    return board->board_class == "accelerator" || board->board_class == "fpga";
  });
  const auto& names = lint_facts().no_gpu_names;
  const std::string key = name_key(line.gpu);
  const auto starts = [&](const std::string& name) {
    const std::size_t at = key.find(name);  // a maker's name may stand in front: "AWS Trainium2", "Intel Gaudi 2"
    return at != key.npos && std::all_of(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(at), [](unsigned char c) { return std::isalpha(c); });
  };
  if (other || std::any_of(names.begin(), names.end(), starts))
    report.add("not_a_gpu", line.line, std::string(line.gpu) + " is an accelerator, but no GPU");
}

/// The boards a name stands for, as one text.
std::string identity(const NameMatch<Board>& match) {
  std::set<std::string> ids;
  for (const Board* board : match.candidates) ids.insert(board->id);
  return join({ids.begin(), ids.end()}, " ");
}

void check_spellings(const PriceList& list, Report& report) {
  std::map<std::string, std::string> first;
  std::set<std::string> seen;
  for (const PriceLine& line : list.lines) {
    if (line.boards.candidates.empty() || !seen.insert(std::string(line.gpu)).second) continue;
    const auto [known, added] = first.try_emplace(identity(line.boards), line.gpu);
    if (!added)
      report.add("gpu_name_alias", line.line, "'" + std::string(line.gpu) + "' is the board that stands above as '" + known->second + "'",
                 "write one name for one board");
  }
}

}  // namespace

void check_boards(const PriceList& list, Report& report) {
  for (const PriceLine& line : list.lines) {
    check_count(list, line, report);
    check_part(line, report);
    check_capability(line, report);
    check_form(line, report);
    check_kind(line, report);
  }
  check_spellings(list, report);
}

}  // namespace steelyard::catalog

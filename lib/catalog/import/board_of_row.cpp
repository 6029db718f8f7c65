#include "catalog/import/board_of_row.hpp"

#include <algorithm>
#include <cmath>

#include "catalog/import/gpu_info.hpp"
#include "catalog/import/price_facts.hpp"
#include "catalog/names.hpp"
#include "core/text.hpp"

namespace steelyard::catalog {

namespace {

/// A TPU slice: "tpu-v4-16" -> TPU v4 and 16 units.
std::optional<std::pair<std::string, int>> slice_of(std::string_view name) {
  if (!name.starts_with("tpu-")) return std::nullopt;
  const std::size_t dash = name.rfind('-');
  const auto units = parse_integer(name.substr(dash + 1));
  if (!units || *units < 1 || *units > 1'000'000 || dash <= 4) return std::nullopt;
  return std::pair(std::string(name.substr(0, dash)), static_cast<int>(*units));
}

/// What the row says about the memory of one GPU, in every reading.
std::vector<double> memory_claims(const PriceRow& row, const GpuInfo& info, double count) {
  if (row.memory_gib) return {*row.memory_gib};
  if (info.device_memory) return memory_readings_gib(*info.device_memory, count);
  if (const auto prose = row.info.empty() ? std::nullopt : memory_in_prose(row.info)) return {*prose};
  return {};
}

/// The match of a name under the first reading of its memory that some board of that name has.
NameMatch<Board> match_memory(std::string_view name, const std::vector<double>& claims, const Catalog& facts) {
  for (const double gib : claims) {
    NameMatch<Board> match = facts.find_board(name, gib);
    if (!match.candidates.empty() && match.warning.find(" has ") == std::string::npos) return match;
  }
  return facts.find_board(name, claims.empty() ? 0 : claims.front());
}

}  // namespace

namespace {

/// Letters, digits and the marks of fractions, in lower case, parted by everything else.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : to_lower(name)) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '/') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool digits(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

/// "1g.10gb", "3g.40gb": instances of a GPU cut by MIG.
bool is_mig_profile(std::string_view word) {
  const std::size_t cut = word.find("g.");
  return cut != word.npos && digits(word.substr(0, cut)) && word.ends_with("gb") && digits(word.substr(cut + 2, word.size() - cut - 4));
}

/// "4q", "24c" behind a dash: profiles of NVIDIA vGPU, by their memory.
bool is_vgpu_profile(std::string_view word) {
  return word.size() >= 2 && word.size() <= 3 && digits(word.substr(0, word.size() - 1)) && std::string_view("qcab").find(word.back()) != word.npos;
}

/// "1/2 A100", "A100 x 0.5".
bool is_fraction(const std::vector<std::string>& words) {
  const auto part = [](const std::string& word) {
    const std::size_t slash = word.find('/');
    return (slash != word.npos && digits(word.substr(0, slash)) && digits(word.substr(slash + 1))) ||
           (word.starts_with("0.") && digits(word.substr(2)));
  };
  return words.size() > 1 && (part(words.front()) || part(words.back()));
}

}  // namespace

std::vector<double> memory_readings_gib(double figure, double count) {
  std::vector<double> readings = {figure / 1024};
  if (figure < 1024) readings.push_back(figure);             // GiB in a field named MiB
  if (count > 1) readings.push_back(figure / 1024 / count);  // the machine's total in the field of one device
  return readings;
}

bool names_a_part(std::string_view gpu) {
  const std::size_t slash = gpu.rfind('/');
  if (slash != gpu.npos && slash > 0 && parse_integer(gpu.substr(slash + 1))) return true;
  const std::vector<std::string> words = words_of(gpu);
  return std::any_of(words.begin(), words.end(), [](const std::string& word) { return word == "mig" || word == "vgpu" || is_mig_profile(word); }) ||
         is_fraction(words) || (words.size() > 1 && is_vgpu_profile(words.back()));
}

std::string form_in_name(std::string_view machine) {
  const std::string lower = to_lower(machine);
  for (const char* word : {"sxm", "pcie", "nvl"}) {
    const std::size_t at = lower.find(word);
    if (at == lower.npos) continue;
    const bool starts = at == 0 || !std::isalpha(static_cast<unsigned char>(lower[at - 1]));
    const bool link = lower.compare(at, 6, "nvlink") == 0;
    if (starts && !link) return word;
  }
  return {};
}

std::vector<const Board*> narrow_by_machine_name(std::vector<const Board*> boards, std::string_view machine) {
  const std::string form = form_in_name(machine);
  if (form.empty()) return boards;
  std::vector<const Board*> fitting;
  std::copy_if(boards.begin(), boards.end(), std::back_inserter(fitting), [&](const Board* board) { return board->form_factor.starts_with(form); });
  return fitting.empty() ? boards : fitting;
}

BoardOfRow board_of_row(const PriceRow& row, double count, const Catalog& facts) {
  BoardOfRow found;
  const GpuInfo info = parse_gpu_info(row.info);
  found.gpu = std::string(row.gpu);
  std::string name = found.gpu;
  if (const auto slice = slice_of(name)) {
    const Board* chip = facts.find_board(slice->first).resolved();
    if (chip && chip->slice_units_per_chip) found.chips = std::max(1, slice->second / *chip->slice_units_per_chip);
    found.board = chip;
    return found;
  }
  found.part = names_a_part(name) || (count > 0 && count < 1);
  const std::vector<double> claims = memory_claims(row, info, count);
  NameMatch<Board> match = match_memory(name, claims, facts);
  // The device's own name in GpuInfo is often more exact ("A100 PCIe", "Tesla P100-PCIE-16GB").
  if (match.candidates.size() != 1 && !info.name.empty() && info.name != name) {
    NameMatch<Board> other = match_memory(info.name, claims, facts);
    const bool better = !other.candidates.empty() && (match.candidates.empty() || other.candidates.size() < match.candidates.size());
    if (better) match = std::move(other);
  }
  match.candidates = narrow_by_machine_name(std::move(match.candidates), row.type);
  found.board = match.resolved();
  if (!match.warning.empty()) found.warnings.push_back("name_resolved: " + match.warning);
  if (match.candidates.size() > 1) found.warnings.push_back("name_ambiguous: '" + name + "' fits " + ids_of(match.candidates));
  if (match.candidates.empty()) found.warnings.push_back("name_ambiguous: no board is known as '" + name + "'");
  const double least = price_facts().least_memory_share;
  const auto small = [&](double gib) { return !match.candidates.empty() && gib < least * match.candidates.front()->memory_gb_nominal; };
  if (!claims.empty() && std::all_of(claims.begin(), claims.end(), small)) found.part = true;
  return found;
}

}  // namespace steelyard::catalog

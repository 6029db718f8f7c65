// Board and driver of a stack.
#include <algorithm>
#include <cmath>
#include <functional>

#include "core/text.hpp"
#include "decide/3_stack/subject.hpp"
#include "decide/3_stack/symptom.hpp"

namespace steelyard::stack {

namespace {

Known known(const std::string& text) {
  const auto version = parse_version(text);
  return version ? Known{text, version->number()} : Known{};
}

// The value that all boards have, or nothing.
template <class T>
T agreed(const std::vector<const Board*>& boards, const std::function<T(const Board&)>& read) {
  const T first = read(*boards.front());
  const bool same = std::all_of(boards.begin(), boards.end(), [&](const Board* board) { return read(*board) == first; });
  return same ? first : T{};
}

std::optional<int> branch_number(const std::string& branch) {
  const auto version = parse_version(branch);
  return version ? std::optional(version->first()) : std::nullopt;
}

std::optional<int> capability(const std::optional<double>& compute_capability) {
  return compute_capability ? std::optional(static_cast<int>(std::lround(*compute_capability * 10))) : std::nullopt;
}

BoardFacts facts_of_boards(const std::vector<const Board*>& boards) {
  BoardFacts facts;
  const auto text = [&](std::string Board::*field) { return agreed<std::string>(boards, [&](const Board& board) { return board.*field; }); };
  facts.vendor = text(&Board::vendor);
  facts.board_class = text(&Board::board_class);
  facts.architecture = text(&Board::architecture);
  facts.chip = text(&Board::chip);
  facts.module = text(&Board::kernel_module);
  facts.gfx = text(&Board::gfx);
  facts.sm = agreed<std::optional<int>>(boards, [](const Board& board) { return capability(board.compute_capability); });
  facts.first_cuda = known(text(&Board::first_cuda));
  facts.last_cuda = known(text(&Board::last_cuda));
  facts.first_driver = known(text(&Board::first_driver));
  facts.last_branch = branch_number(text(&Board::last_driver_branch));
  facts.fabric_manager = agreed<std::optional<bool>>(boards, [](const Board& board) { return board.fabric_manager; });
  facts.peer_access = agreed<std::optional<bool>>(boards, [](const Board& board) { return board.peer_access; });
  facts.mig = agreed<std::optional<bool>>(boards, [](const Board& board) { return board.mig; });
  facts.nvlink_generation = agreed<std::optional<int>>(boards, [](const Board& board) { return board.nvlink_generation; });
  return facts;
}

// "NVIDIA GeForce RTX 3060 12GB" -> "rtx3060": how boards outside the catalog are looked up.
std::string plain_name(const std::string& name) {
  std::string key;
  for (const std::string& word : split(to_lower(name), ' ')) {
    const bool decoration = word == "nvidia" || word == "geforce" || word == "tesla" || word == "laptop" || word == "gpu";
    const bool memory = word.size() > 2 && word.substr(word.size() - 2) == "gb";
    if (!decoration && !memory) key += name_key(word);
  }
  return key;
}

const OtherBoard* find_other(const std::vector<OtherBoard>& boards, const std::string& key) {
  const auto holds = [&](const OtherBoard& board) { return std::find(board.names.begin(), board.names.end(), key) != board.names.end(); };
  const auto found = std::find_if(boards.begin(), boards.end(), holds);
  return found == boards.end() ? nullptr : &*found;
}

const OtherBoard* family_in(const std::string& words, const Library& library) {
  for (const OtherBoard& family : library.chip_families) {
    for (const std::string& name : family.names) {
      if (has_word(words, name)) return &family;
    }
  }
  return nullptr;
}

BoardFacts facts_of_other(const OtherBoard& board, const std::string& name, const Library& library) {
  BoardFacts facts;
  facts.name = name;
  facts.vendor = "nvidia";
  facts.board_class = board.board_class;
  facts.module = board.module;
  facts.sm = board.sm;
  if (!board.sm) return facts;
  if (const Architecture* architecture = library.architecture(*board.sm)) {
    facts.first_cuda = architecture->first;
    facts.last_cuda = architecture->last;
  }
  for (const auto& [below, branch] : library.last_branches) {
    if (!facts.last_branch && *board.sm < below) facts.last_branch = branch;
  }
  return facts;
}

// The Linux driver of the first toolkit that knows the board: older drivers can't.
void add_first_cuda_driver(BoardFacts& facts, const Library& library) {
  if (!facts.first_cuda) return;
  if (const CudaRelease* release = library.release(*parse_version(facts.first_cuda.text))) facts.first_cuda_driver = release->linux;
}

}  // namespace

BoardFacts board_facts(const std::string& name, const std::string& words, const BoardSource& source, const Library& library) {
  BoardFacts facts;
  if (name.empty() && !source.board) {
    if (const OtherBoard* family = family_in(words, library)) facts = facts_of_other(*family, "this board", library);
    return facts;
  }
  NameMatch<Board> match;
  if (source.board)
    match.candidates = {source.board};
  else if (source.catalog)
    match = source.catalog->find_board(name);
  if (!match.candidates.empty()) {
    facts = facts_of_boards(match.candidates);
    facts.name = match.resolved() ? match.resolved()->id : name;
    if (!match.resolved()) {
      for (const Board* board : match.candidates) facts.candidates.push_back(board->id);
    }
  } else if (const OtherBoard* board = find_other(library.boards, plain_name(name))) {
    facts = facts_of_other(*board, name, library);
  } else if (const OtherBoard* family = family_in(to_lower(name), library)) {
    facts = facts_of_other(*family, name, library);
  } else {
    facts.nearest = match.nearest;
  }
  add_first_cuda_driver(facts, library);
  return facts;
}

namespace {

bool concerns(const KnownBad& bad, const Subject& subject, const DriverFacts& driver) {
  if (driver.text.empty() || driver.high < bad.from.number || driver.low >= bad.below.number) return false;
  if (subject.request.gpu_count.value_or(bad.gpus_min) < bad.gpus_min) return false;
  if (!bad.module.empty() && !subject.request.kernel_module.empty() && subject.request.kernel_module != bad.module) return false;
  const std::string key = name_key(subject.board.name);
  const auto names_it = [&](const std::string& chip) { return !key.empty() && key.find(chip) != std::string::npos; };
  return bad.chips.empty() || std::any_of(bad.chips.begin(), bad.chips.end(), names_it);
}

}  // namespace

DriverFacts driver_facts(const Subject& subject, const Library& library) {
  DriverFacts facts;
  facts.windows = subject.system != "linux";
  if (const auto version = parse_version(subject.request.driver)) {
    facts.text = subject.request.driver;
    facts.branch = version->first();
    facts.low = version->number();
    facts.high = version->parts.size() > 1 ? facts.low : version->upper();
    if (const CudaRelease* covered = library.newest_covered(facts.high, facts.windows)) facts.cuda = covered->cuda;
    for (const KnownBad& bad : library.known_bad) {
      if (concerns(bad, subject, facts)) facts.bad.push_back(&bad);
    }
  }
  return facts;
}

}  // namespace steelyard::stack

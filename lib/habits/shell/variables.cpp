#include "habits/shell/variables.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/text.hpp"

namespace steelyard::habits {

namespace {

// The value of an option where it stands among directives: "--nodes 4", "--nodes=4".
std::optional<Word> value_at(const std::vector<Word>& directives, std::size_t place, std::string_view option) {
  Word value = directives[place];
  if (value.text == option && place + 1 < directives.size()) {
    value.text = directives[place + 1].text;
  } else if (value.text.rfind(std::string(option) + "=", 0) == 0) {
    value.text = value.text.substr(option.size() + 1);
  } else {
    return std::nullopt;
  }
  return parse_integer(value.text) ? std::optional(std::move(value)) : std::nullopt;
}

}  // namespace

bool is_name(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front()))) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

const std::vector<Word>* Variables::find(const std::string& name) const {
  const auto known = words_.find(name);
  return known == words_.end() ? nullptr : &known->second;
}

void Variables::assign(const std::string& name, const Piece& piece, std::size_t value, int line, int column) {
  std::vector<Word> words;
  Piece part;
  part.unresolved = piece.unresolved;
  for (std::size_t i = value; i <= piece.marks.size(); ++i) {
    const bool blank = i == piece.marks.size() || std::isspace(static_cast<unsigned char>(piece.marks[i].character));
    if (!blank) part.marks.push_back(piece.marks[i]);
    if (!blank || part.marks.empty()) continue;
    words.push_back(part.word(line, column));
    // Only the words that hold the variable hang on it.
    words.back().unresolved = piece.unresolved && words.back().text.find('$') != std::string::npos;
    part.marks.clear();
  }
  if (piece.unresolved && words.size() <= 1) {
    if (words.empty()) words.push_back({"", line, column, true});
    words.front().unresolved = true;
  }
  set(name, std::move(words));
}

void Variables::set_from_directives(const std::vector<Word>& directives) {
  const std::pair<const char*, std::vector<const char*>> known[] = {{"SLURM_NNODES", {"--nodes", "-N"}},
                                                                    {"SLURM_JOB_NUM_NODES", {"--nodes", "-N"}},
                                                                    {"SLURM_NTASKS_PER_NODE", {"--ntasks-per-node"}},
                                                                    {"SLURM_GPUS_PER_NODE", {"--gpus-per-node"}},
                                                                    {"SLURM_GPUS_ON_NODE", {"--gpus-per-node"}}};
  for (const auto& [name, options] : known) {
    for (std::size_t i = 0; i < directives.size(); ++i) {
      for (const std::string_view option : options) {
        if (const auto value = value_at(directives, i, option)) set(name, {*value});
      }
    }
  }
}

std::optional<long long> Variables::product(const std::string& text) const {
  std::optional<long long> result;
  char operation = '*';
  std::string factor;
  for (const char c : text + "*") {
    if (c == ' ' || c == '$' || c == '{' || c == '}') continue;
    if (c != '*' && c != '/') {
      factor += c;
      continue;
    }
    auto value = parse_integer(factor);
    const std::vector<Word>* known = find(factor);
    if (!value && known && known->size() == 1) value = parse_integer(known->front().text);
    if (!value || (operation == '/' && *value == 0) || *value > 1'000'000 || *value < -1'000'000) return std::nullopt;
    const long long so_far = result.value_or(1);
    if (so_far > 1'000'000'000 || so_far < -1'000'000'000) return std::nullopt;
    result = operation == '*' ? so_far * *value : so_far / *value;
    operation = c;
    factor.clear();
  }
  return result;
}

}  // namespace steelyard::habits

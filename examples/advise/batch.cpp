#include "batch.hpp"

#include <algorithm>

#include "files.hpp"

namespace advise {

std::string run_batch(const std::string& file, double timeout_s,
                      const std::function<steelyard::Value(std::string text, const std::string& place)>& answer) {
  const std::string text = read_input(file, timeout_s, most_input_bytes);
  std::string answers;
  int number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    ++number;
    std::string line = text.substr(start, end - start);
    start = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    answers += steelyard::to_json(answer(std::move(line), file + ":" + std::to_string(number))) + "\n";
  }
  return answers;
}

}  // namespace advise

// The options among the words of a command.
#include <algorithm>
#include <cctype>

#include "habits/shell.hpp"

namespace steelyard::habits {

namespace {

bool is_option(const Word& word) {
  return word.text.size() > 1 && word.text[0] == '-' && !std::isdigit(static_cast<unsigned char>(word.text[1])) && word.text[1] != '.';
}

std::string option_key(std::string text) {
  text.erase(0, text.find_first_not_of('-'));
  text = text.substr(0, text.find('='));
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

bool is_switch(const std::string& key, const std::vector<std::string>& switches) {
  return std::find(switches.begin(), switches.end(), key) != switches.end();
}

}  // namespace

Options read_options(const std::vector<Word>& words, const std::string& file, const std::vector<std::string>& switches) {
  Options options;
  bool takes_values = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    if (word.text == "--" && !word.unresolved) {
      options.positional.insert(options.positional.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      break;
    }
    if (is_option(word)) {
      Said said{option_key(word.text), {}, false, {file, word.line, word.column}, false};
      const std::size_t equals = word.text.find('=');
      if (equals != std::string::npos) said.values.push_back(word.text.substr(equals + 1));
      said.unresolved = word.unresolved;
      takes_values = equals == std::string::npos && !is_switch(said.key, switches);
      options.said.push_back(std::move(said));
    } else if (takes_values) {
      options.said.back().values.push_back(word.text);
      options.said.back().unresolved = options.said.back().unresolved || word.unresolved;
    } else {
      options.positional.push_back(word);
    }
  }
  return options;
}

std::size_t end_of_options(const std::vector<Word>& words, const std::vector<std::string>& switches) {
  std::size_t i = 0;
  while (i < words.size()) {
    // A variable that is not known may hold any number of options; it is passed over.
    if (words[i].unresolved && !is_option(words[i])) {
      ++i;
      continue;
    }
    if (words[i].text == "--") return i + 1;
    if (!is_option(words[i])) break;
    const bool alone = words[i].text.find('=') != std::string::npos || is_switch(option_key(words[i].text), switches);
    i += alone ? 1 : 2;
  }
  return std::min(i, words.size());
}

}  // namespace steelyard::habits

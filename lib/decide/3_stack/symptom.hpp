// What an error text says: normalised for the rules, and the figures in it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "decide/3_stack/version.hpp"

namespace steelyard::stack {

/// Lower case, all quotes as ', white space as single spaces. At most 16 KiB: head and tail of longer texts.
std::string normalised(std::string_view text);

/// Figures of data/stacks/symptom_facts.yaml found in a normalised text, by name; versions as Version::number, capabilities x 10.
std::map<std::string, double> stated_in(const std::string& normalised_text);

/// "cu121"-like words of a normalised text, in order, each once.
std::vector<std::string> variants_in(std::string_view normalised_text);

/// Does a word (letters, digits, and what lies between) stand in the text as a word of its own?
bool has_word(std::string_view text, std::string_view word);

}  // namespace steelyard::stack

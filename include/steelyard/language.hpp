// Languages that answers for people are written in.
#pragma once

#include <steelyard/issue.hpp>
#include <string_view>

namespace steelyard {

/// Of sentences, labels and questions. Codes, ids, units and names of products are the same in all.
enum class Language { english, chinese };

/// "en" or "zh" ("zh-CN"); an issue that lists the languages for anything else.
Loaded<Language> parse_language(std::string_view word);
/// "en", "zh".
std::string_view to_string(Language language);

}  // namespace steelyard

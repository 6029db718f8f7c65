// Answers for people: text for a terminal (80 columns, no colour), Markdown, CSV, and one self-contained page of HTML.
#pragma once

#include <steelyard/decision.hpp>
#include <steelyard/language.hpp>
#include <string>
#include <string_view>

namespace steelyard::report {

/// The language of labels, phrases and meanings of codes. Sentences of rules and questions are in the language of the advisor that answered.
using steelyard::Language;
using steelyard::parse_language;

/// `top`: entries of the ranking that are shown.
std::string text(const Estimate& estimate, Language language = Language::english);
std::string text(const Decision& decision, std::size_t top, Language language = Language::english);
std::string text(const Explanation& explanation, Language language = Language::english);
std::string text(const Comparison& comparison, Language language = Language::english);

std::string markdown(const Decision& decision, std::size_t top, Language language = Language::english);

/// A page that needs nothing but itself: plot of time and cost, decision path, ranking, rejections, whole trace. Readable from 360 pixels on.
std::string html(const Decision& decision, std::size_t top, Language language = Language::english);

/// Every offer in a line (RFC 4180, a header first): ranked, then undecided, then rejected ones, with reason and figures; empty = not known.
/// Columns keep their names in every language.
std::string csv(const Decision& decision);

/// For a terminal: control characters and marks that nobody sees, which names in foreign files may hold, are written out ("\x1b", "\u200b").
std::string printable(std::string_view text);

}  // namespace steelyard::report

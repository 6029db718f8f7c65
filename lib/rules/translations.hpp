// Sentences of rules in other languages than English.
#pragma once

#include <string>

#include "rules/book.hpp"

namespace steelyard::rules {

/// Adds the sentences of a shipped book in the language of `book`: data/languages/<language>_rules/<name>/*.yaml, ids of rules with their sentences
/// under `because`, and with the texts that their outputs hold for people under `then`.
void read_translations(const std::string& name, BookData& book, Issues& issues);
/// The same from one file at hand.
void read_translations(const load::Document& file, BookData& book, Issues& issues);

/// Does every sentence have the holes of the English one? After `link`.
void check_translations(const BookData& book, Issues& issues);

/// Sentences become those of the book's language; rules that have none in it keep the English one.
void take_translations(BookData& book);

}  // namespace steelyard::rules

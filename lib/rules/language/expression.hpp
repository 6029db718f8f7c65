// An expression with its text and place, as it stands in a file; sentences with expressions in braces.
#pragma once

#include <steelyard/language.hpp>
#include <steelyard/source_location.hpp>
#include <string>
#include <vector>

#include "rules/language/checker.hpp"
#include "rules/language/evaluator.hpp"
#include "rules/language/expr.hpp"

namespace steelyard::rules {

struct Expression {
  std::string text;
  SourceLocation where;  // of the first character
  Expr expr;
};

/// "csi {csi} < 500, {price:3} USD": texts and expressions; `digits` 0 prints a number as it is.
struct Sentence {
  struct Piece {
    std::string text;
    bool computed = false;
    int digits = 0;
    Expression expression;
  };
  std::string text;
  SourceLocation where;
  std::vector<Piece> pieces;
  Language language = Language::english;
};

/// Splits a template and parses its expressions; faults carry offsets in `text`.
Sentence parse_sentence(const std::string& text, const SourceLocation& where, Heap& heap, Faults& faults);
/// Writes the sentence over `text`.
void fill(const Sentence& sentence, Frame& frame, std::string& text);
/// A value as it stands in a sentence: numbers rounded to six digits unless told otherwise, lists with commas.
std::string spoken(const Datum& value, int digits = 0, Language language = Language::english);

}  // namespace steelyard::rules

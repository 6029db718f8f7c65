// Conditions of rules as formulas over columns, and as unions of boxes.
#pragma once

#include <optional>
#include <vector>

#include "rules/lint/regions.hpp"

namespace steelyard::rules::analysis {

struct Formula {
  enum class Kind : unsigned char { constant, atom, all, any, negation };
  Kind kind = Kind::constant;
  bool value = true;  // of a constant
  Atom atom;
  std::vector<Formula> parts;

  static Formula constant(bool value) { return {Kind::constant, value, {}, {}}; }
  static Formula of(Atom atom) { return {Kind::atom, true, std::move(atom), {}}; }
  static Formula join(Kind kind, std::vector<Formula> parts) { return {kind, true, {}, std::move(parts)}; }
};

/// A product of sets, one a column.
using Box = std::vector<Bits>;
using Boxes = std::vector<Box>;

/// Which rows a formula stands for. certain: those where it holds, opaque conditions taken as free to be true or false (more rows than there are,
/// never fewer; exact where nothing is opaque). possible: those where it does not fail, whatever opaque conditions say. proven: those where it holds
/// whatever opaque conditions say.
enum class Reading : unsigned char { certain, possible, proven };

/// The rows of a formula (of its opposite where `wanted` is false); empty where it takes more than `most_boxes` boxes.
constexpr std::size_t most_boxes = 256;
std::optional<Boxes> boxes_of(const Formula& formula, const std::vector<Column>& columns, Reading reading, bool wanted = true);

Box whole(const std::vector<Column>& columns);
Box usual(const std::vector<Column>& columns);
bool meet(const Box& one, const Box& other);
bool within(const Box& one, const Box& other);
/// Empty where they share no row.
std::optional<Box> common(const Box& one, const Box& other);

}  // namespace steelyard::rules::analysis

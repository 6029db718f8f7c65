#include "rules/lint/formula.hpp"

namespace steelyard::rules::analysis {

Box whole(const std::vector<Column>& columns) {
  Box box;
  for (const Column& column : columns) box.push_back(column.all());
  return box;
}

Box usual(const std::vector<Column>& columns) {
  Box box;
  for (const Column& column : columns) box.push_back(column.usual);
  return box;
}

bool meet(const Box& one, const Box& other) {
  for (std::size_t at = 0; at < one.size(); ++at) {
    if (!one[at].meets(other[at])) return false;
  }
  return true;
}

bool within(const Box& one, const Box& other) {
  for (std::size_t at = 0; at < one.size(); ++at) {
    if (!one[at].within(other[at])) return false;
  }
  return true;
}

std::optional<Box> common(const Box& one, const Box& other) {
  if (!meet(one, other)) return std::nullopt;
  Box box = one;
  for (std::size_t at = 0; at < box.size(); ++at) box[at] &= other[at];
  return box;
}

namespace {

class Reader {
 public:
  Reader(const std::vector<Column>& columns, Reading reading) : columns_(columns), reading_(reading), whole_(whole(columns)) {}

  // False where there are too many.
  bool read(const Formula& formula, bool wanted, Boxes& boxes) {
    switch (formula.kind) {
      case Formula::Kind::constant:
        if (formula.value == wanted) boxes.push_back(whole_);
        return true;
      case Formula::Kind::atom: return read_atom(formula.atom, wanted, boxes);
      case Formula::Kind::negation: return read(formula.parts[0], !wanted, boxes);
      case Formula::Kind::all: return wanted ? product(formula, wanted, boxes) : sum(formula, wanted, boxes);
      case Formula::Kind::any: return wanted ? sum(formula, wanted, boxes) : product(formula, wanted, boxes);
    }
    return true;
  }

 private:
  bool read_atom(const Atom& atom, bool wanted, Boxes& boxes) {
    const Column& column = columns_[static_cast<std::size_t>(atom.column)];
    if (reading_ == Reading::proven && !column.free) return true;
    Box box = whole_;
    Bits& set = box[static_cast<std::size_t>(atom.column)];
    if (reading_ == Reading::possible) {
      if (column.free) set -= wanted ? column.fails(atom) : column.holds(atom);
    } else {
      set = wanted ? column.holds(atom) : column.fails(atom);
    }
    if (set.any()) boxes.push_back(std::move(box));
    return true;
  }

  bool sum(const Formula& formula, bool wanted, Boxes& boxes) {
    for (const Formula& part : formula.parts) {
      Boxes more;
      if (!read(part, wanted, more)) return false;
      for (Box& box : more) add(std::move(box), boxes);
      if (boxes.size() > most_boxes) return false;
    }
    return true;
  }

  bool product(const Formula& formula, bool wanted, Boxes& boxes) {
    Boxes product{whole_};
    for (const Formula& part : formula.parts) {
      Boxes factors, next;
      if (!read(part, wanted, factors)) return false;
      for (const Box& box : product) {
        for (const Box& factor : factors) {
          if (auto both = common(box, factor)) add(std::move(*both), next);
        }
        if (next.size() > most_boxes) return false;
      }
      product = std::move(next);
    }
    for (Box& box : product) boxes.push_back(std::move(box));
    return true;
  }

  // Boxes that lie in another one say nothing.
  static void add(Box box, Boxes& boxes) {
    for (const Box& one : boxes) {
      if (within(box, one)) return;
    }
    std::erase_if(boxes, [&](const Box& one) { return within(one, box); });
    boxes.push_back(std::move(box));
  }

  const std::vector<Column>& columns_;
  Reading reading_;
  Box whole_;
};

}  // namespace

std::optional<Boxes> boxes_of(const Formula& formula, const std::vector<Column>& columns, Reading reading, bool wanted) {
  Boxes boxes;
  if (!Reader(columns, reading).read(formula, wanted, boxes)) return std::nullopt;
  return boxes;
}

}  // namespace steelyard::rules::analysis

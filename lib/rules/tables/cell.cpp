#include "rules/tables/cell.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.hpp"
#include "rules/language/operators.hpp"
#include "rules/language/parser.hpp"

namespace steelyard::rules {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class CellParser {
 public:
  CellParser(const std::string& text, Heap& heap) : parser_(text, ExprMode::book, heap) {}

  void run(Cell& cell) {
    if (parser_.current().kind == Token::Kind::identifier && parser_.current().spelling == "not") {
      parser_.accept_word();
      parser_.expect("(", "not");
      cell.negated = true;
      alternatives(cell);
      parser_.expect(")", "the values of not");
    } else {
      alternatives(cell);
    }
    if (!parser_.at_end()) {
      parser_.stop(parser_.mark(), "expected ',' between the values of a cell, found '" + std::string(parser_.current().spelling) + "'",
                   "a cell holds values, comparisons or intervals; write other conditions as one `when` expression");
    }
  }

 private:
  void alternatives(Cell& cell) {
    do cell.tests.push_back(test());
    while (parser_.accept(","));
  }

  Test test() {
    constexpr std::string_view symbols[] = {"<=", ">=", "<", ">", "==", "!="};
    for (const std::string_view symbol : symbols) {
      if (!parser_.at_symbol(symbol)) continue;
      if (symbol == "==" || symbol == "!=") {
        parser_.stop(parser_.mark(), "'" + std::string(symbol) + "' is not needed in a cell",
                     symbol == "==" ? "write the value alone" : "write not(value)");
      }
      parser_.accept(symbol);
      return comparison(symbol);
    }
    if (parser_.at_symbol("[") || parser_.at_symbol("(") || parser_.at_symbol("]")) {
      Test range;
      if (interval(range)) return range;
    }
    Test test;
    test.low = parser_.additive();
    return test;
  }

  Test comparison(std::string_view symbol) {
    Test test;
    test.form = Test::Form::range;
    const bool upper = symbol[0] == '<';
    const bool open = symbol.size() == 1;
    (upper ? test.has_high : test.has_low) = true;
    (upper ? test.high_open : test.low_open) = open;
    (upper ? test.high : test.low) = parser_.additive();
    return test;
  }

  // "[a..b)"; false where the bracket starts a list or a parenthesis, with the parser back at it.
  bool interval(Test& test) {
    const std::size_t mark = parser_.mark();
    test.form = Test::Form::range;
    test.low_open = !parser_.at_symbol("[");
    const bool reversed = parser_.at_symbol("]");
    parser_.accept(parser_.current().spelling);
    if (parser_.at_symbol("]") || parser_.at_end()) return parser_.back_to(mark), false;
    test.low = parser_.additive();
    if (!parser_.accept("..")) {
      if (reversed) parser_.expect("..", "the lower end of an interval");
      return parser_.back_to(mark), false;
    }
    test.high = parser_.additive();
    test.has_low = test.has_high = true;
    test.high_open = parser_.at_symbol(")") || parser_.at_symbol("[");
    if (!test.high_open && !parser_.at_symbol("]")) parser_.expect("]", "the upper end of an interval");
    parser_.accept(parser_.current().spelling);
    return true;
  }

  Parser parser_;
};

bool is_number(const Expr& expr) { return expr.op == Op::literal && expr.value.kind == Kind::real; }

void prepare(Test& test) {
  if (test.form != Test::Form::range) return;
  test.constant_range = (!test.has_low || is_number(test.low)) && (!test.has_high || is_number(test.high));
  if (!test.constant_range) return;
  test.least = test.has_low ? test.low.value.real : -infinity;
  test.most = test.has_high ? test.high.value.real : infinity;
}

std::string cell_advice(Type input) {
  switch (input) {
    case Type::number: return "write a number or an interval, such as >= 80 or [40..80)";
    case Type::text: return "write a text in quotes, such as '\"nvlink\"'";
    case Type::boolean: return "write true or false";
    default: return "write a value of the input's type";
  }
}

void check_end(Expr& end, const Meaning& input, const Scope& scope, Heap& heap, Faults& faults) {
  check(end, scope, heap, faults);
  const bool open = end.type == Type::any || end.type == Type::null || end.type == Type::list || input.type == Type::any;
  if (!open && end.type != input.type) {
    faults.push_back({end.offset, "a " + std::string(type_name(end.type)) + " where the input is a " + std::string(type_name(input.type)),
                      cell_advice(input.type)});
  }
  if (end.type == Type::number) convert(end, input.unit, faults, "cell");
  const bool text = end.op == Op::literal && end.value.kind == Kind::text;
  if (!text || !input.words || input.words->empty()) return;
  const auto& words = *input.words;
  const std::string& word = *end.value.text;
  if (std::find(words.begin(), words.end(), word) != words.end()) return;
  const auto near = nearest_words(word, words, 1);
  faults.push_back({end.offset, "'" + word + "' is none of the values of the input",
                    near.empty() ? "its values: " + join(words, ", ") : "did you mean " + near[0] + "?"});
}

}  // namespace

Cell parse_cell(const std::string& text, const SourceLocation& where, Heap& heap, Faults& faults) {
  Cell cell;
  cell.text = text;
  cell.where = where;
  cell.any = trim(text) == "-" || trim(text).empty();
  if (cell.any) return cell;
  try {
    CellParser(cell.text, heap).run(cell);
  } catch (const ParseStop& stop) {
    faults.push_back(stop.fault);
    cell.any = true;
  }
  return cell;
}

void resolve_cell(Cell& cell, const Scope& scope, Faults& faults) {
  for (Test& test : cell.tests) {
    resolve(test.low, scope, ExprMode::book, faults);
    resolve(test.high, scope, ExprMode::book, faults);
  }
}

void check_cell(Cell& cell, const Meaning& input, const Scope& scope, Heap& heap, Faults& faults) {
  for (Test& test : cell.tests) {
    check_end(test.low, input, scope, heap, faults);
    check_end(test.high, input, scope, heap, faults);
    prepare(test);
    const bool empty = test.constant_range && (test.least > test.most || (test.least == test.most && (test.low_open || test.high_open)));
    if (empty) faults.push_back({test.low.offset, "the interval is empty", "write the smaller end first, or [x..x] for one value"});
  }
}

namespace {

Datum test_equal(const Test& test, const Datum& input, Frame& frame) {
  const Datum value = test.low.op == Op::literal ? test.low.value : evaluate(test.low, frame);
  if (!value.known() || !input.known()) return merge(input, value, frame.heap());
  if (value.kind == Kind::list && input.kind != Kind::list) return contains(input, value, frame.heap());
  return Datum(equal(input, value));
}

Datum test_range(const Test& test, const Datum& input, Frame& frame) {
  if (test.constant_range && input.kind == Kind::real) {
    const double x = input.real;
    const bool above = test.low_open ? x > test.least : x >= test.least;
    const bool below = test.high_open ? x < test.most : x <= test.most;
    return Datum((!test.has_low || above) && (!test.has_high || below));
  }
  if (input.kind == Kind::null) return Datum(false);  // what does not apply is in no range
  const Datum above =
      test.has_low ? compare(test.low_open ? Op::greater : Op::greater_equal, input, evaluate(test.low, frame), frame.heap()) : Datum(true);
  if (above.kind == Kind::boolean && !above.boolean) return above;
  const Datum below =
      test.has_high ? compare(test.high_open ? Op::less : Op::less_equal, input, evaluate(test.high, frame), frame.heap()) : Datum(true);
  if (below.kind == Kind::boolean && !below.boolean) return below;
  return above.known() && below.known() ? Datum(true) : merge(above, below, frame.heap());
}

}  // namespace

Datum test_cell(const Cell& cell, const Datum& input, Frame& frame) {
  if (cell.any) return Datum(true);
  if (input.kind == Kind::error) return input;
  Datum blocked;
  for (const Test& test : cell.tests) {
    const Datum truth = test.form == Test::Form::equal ? test_equal(test, input, frame) : test_range(test, input, frame);
    if (truth.kind == Kind::boolean && truth.boolean) return Datum(!cell.negated);
    if (!truth.known()) blocked = merge(blocked, truth, frame.heap());
  }
  return blocked.known() ? Datum(cell.negated) : blocked;
}

QuickCell quick(const Cell& cell, int slot) {
  QuickCell result;
  result.slot = slot;
  result.cell = &cell;
  result.negated = cell.negated;
  const Test& first = cell.tests.front();
  if (cell.tests.size() == 1 && !cell.negated && first.constant_range) {
    result.form = QuickCell::Form::range;
    result.least = first.low_open ? std::nextafter(first.least, infinity) : first.least;
    result.most = first.high_open ? std::nextafter(first.most, -infinity) : first.most;
    return result;
  }
  for (const Test& test : cell.tests) {
    const bool plain = test.form == Test::Form::equal && test.low.op == Op::literal && test.low.value.kind != Kind::list;
    if (!plain) return result;
    result.values.push_back(test.low.value);
  }
  result.form = QuickCell::Form::equal;
  return result;
}

Datum test_any_form(const QuickCell& cell, const Datum& input, Frame& frame) {
  if (cell.form == QuickCell::Form::equal && input.known()) {
    for (const Datum& value : cell.values) {
      if (equal(input, value)) return Datum(!cell.negated);
    }
    return Datum(cell.negated);
  }
  return test_cell(*cell.cell, input, frame);
}

std::optional<double> distance(const Cell& cell, const Datum& input, Frame& frame) {
  if (!input.is_number() || cell.any || cell.negated) return std::nullopt;
  std::optional<double> least;
  for (const Test& test : cell.tests) {
    const Datum low = test.has_low || test.form == Test::Form::equal ? evaluate(test.low, frame) : Datum();
    const Datum high = test.has_high ? evaluate(test.high, frame) : test.form == Test::Form::equal ? low : Datum();
    double gap = 0;
    if (low.is_number()) gap = std::max(gap, low.number() - input.number());
    if (high.is_number()) gap = std::max(gap, input.number() - high.number());
    if ((low.is_number() || high.is_number()) && (!least || gap < *least)) least = gap;
  }
  return least;
}

void each_slot(const Cell& cell, const std::function<void(int)>& visit) {
  for (const Test& test : cell.tests) {
    each_slot(test.low, visit);
    each_slot(test.high, visit);
  }
}

}  // namespace steelyard::rules

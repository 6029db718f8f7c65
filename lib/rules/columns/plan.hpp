// A book as a straight program over blocks of rows. Internal to columns/.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "rules/batch.hpp"
#include "rules/columns/fact_column.hpp"

namespace steelyard::rules {

// Registers are numbers into pointer tables; these two stand for masks that need no memory.
constexpr int no_rows = -1;
constexpr int all_rows = -2;

/// A value over all rows while the program is made.
struct Lane {
  enum class Form : unsigned char { none, constant, number, code, flag, mixed };
  Form form = Form::none;  // none: cannot be compiled
  Datum constant;
  int number = -1;  // register of numbers; NaN in odd and null rows
  int narrow = -1;  // register of floats that has not been widened yet
  int codes = -1;
  std::vector<Datum> values;  // by code
  int yes = no_rows;          // flag: certainly true
  int maybe = no_rows;        // flag: unknown or failed
  int odd = no_rows;          // number: unknown or failed
  int null = no_rows;         // number: null
};

struct Step {
  enum class Op : unsigned char {
    range,
    range_narrow,
    code_equal,
    code_among,
    order,
    arithmetic,
    widen,
    look_up,
    without_zero,  // values -> values, masks
    both,
    either,
    except,
    blend,
    number_rows,  // masks -> masks, values
    repair,
    by_rows,  // scalar evaluator
  };
  Op op = Op::both;
  int a = -1, b = -1, out = -1, odd = -1;
  double x = 0, y = 0;
  Code code = 0;
  Arithmetic arithmetic = Arithmetic::add;
  Order order = Order::less;
  std::vector<int> masks;            // blend, number_rows
  std::vector<int> sources;          // blend: registers, -1: the constant beside it
  std::vector<double> table;         // look_up, blend's constants
  std::vector<unsigned char> among;  // code_among: by code
  int decision = -1;
};

/// How the results of one decision are kept, and what stands in for a row that the scalar evaluator had to decide.
struct DecisionPlan {
  int decision = -1;
  Lane lane;
  int rule_codes = -1;    // of tables: the rule that applied
  int pending = no_rows;  // rows for the scalar evaluator
  bool compiled = false;
  int wanted = -1;  // place among the results
};

/// Codes beyond the rules: none applied (or the default), not determined, failed.
enum SpecialCode : Code { code_none = 0, code_undetermined = 1, code_failed = 2, special_codes = 3 };

struct Program {
  struct ColumnSource {
    int slot = -1;  // -1: scratch
  };
  std::vector<Step> steps;
  std::vector<ColumnSource> numbers, narrows, codes;
  struct MaskSource {
    int slot = -1;
    bool null = false;
  };
  std::vector<MaskSource> masks;
  std::vector<DecisionPlan> decisions;  // in the order they run
  std::vector<int> plan_of;             // by decision: place in `decisions`, -1 where it does not run
  std::vector<int> wanted;              // places in `decisions`
  Heap heap;                            // values of codes
};

/// Makes the program for the decisions that are wanted and all that they need.
void make_program(const Rows& rows, const std::vector<DecisionId>& wanted, Program& program);

}  // namespace steelyard::rules

// The values of one column of a table, cut into regions that no condition of the table tells apart.
#pragma once

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rules/book.hpp"
#include "rules/lint/bits.hpp"

namespace steelyard::rules::analysis {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// An interval of numbers; an infinite end is open.
struct Span {
  double low = -infinity, high = infinity;
  bool low_open = true, high_open = true;
};

/// One comparison of a column with constants. What it says of a value that is not known is neither true nor false.
struct Atom {
  int column = -1;
  bool has = false;  // is the value known
  std::vector<Span> spans;
  std::vector<std::string> words;
  bool yes = false, no = false;  // true, false
  bool null = false;
  bool orders = false;   // asks for more or less: not for null, where an expression would fail
  bool in_cell = false;  // ... and a cell says no
};

/// unknown: the fact is missing. number: a single number, or what lies between two ends. other_word: a text that no condition names.
/// other: a value of another kind.
struct Region {
  enum class Kind : unsigned char { unknown, null, number, word, other_word, flag, other };
  Kind kind = Kind::other;
  double low = 0, high = 0;  // equal: the number itself; else both ends are outside
  std::string word;
  bool flag = false;

  bool is_point() const { return kind == Kind::number && low == high; }
};

/// A fact, a decision, or an expression that conditions compare with constants.
struct Column {
  std::string name;  // as messages call it
  std::string key;
  int slot = -1;  // where it is a fact or a decision and nothing else
  const Expr* expr = nullptr;
  const Expr* minus = nullptr;  // of a difference: what is taken from `expr`
  Type type = Type::any;
  std::string unit;
  std::vector<int> reads;  // facts and decisions
  bool opaque = false;     // a condition that is not analysed: true or false
  bool attainable = true;  // takes every value of its kind, whatever the columns of other facts are
  bool free = true;        // may be chosen without regard to the other columns
  bool can_be_null = true, can_be_unknown = true;
  double least = -infinity, most = infinity;
  std::vector<std::string> closed_words;  // all texts there are; empty: any
  std::optional<std::vector<double>> closed_numbers;
  // what conditions name
  std::set<double> ends;
  std::set<std::string> words;
  bool flags = false, null_named = false, has_named = false;

  std::vector<Region> regions;
  Bits usual;  // known values of its kind; unknown and null where a condition asks for them

  void note(const Atom& atom);
  /// Makes the regions, once all conditions are noted.
  void finish();
  Bits all() const { return Bits(static_cast<int>(regions.size()), true); }
  /// Regions in which the comparison holds, and in which it fails; what is in neither cannot be said.
  Bits holds(const Atom& atom) const;
  Bits fails(const Atom& atom) const;

  /// A value of the region; empty for unknown.
  std::optional<Value> sample(int region) const;
  /// "csi 500", "link \"pcie\"", "shm not known".
  std::string describe(int region) const;
  /// "csi in (40..80)", "link \"a\" or \"b\"".
  std::string describe(const Bits& set) const;

 private:
  void add(Region region, bool is_usual);
  void add_numbers();
  void add_words();
  std::vector<bool> usual_;
};

/// "40 GiB": a number of this column.
std::string number_text(const Column& column, double value);

}  // namespace steelyard::rules::analysis

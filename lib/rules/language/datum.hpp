// A value while rules run: 16 bytes, trivially copied; texts, lists and maps live in a Heap or in the book.
#pragma once

#include <cstdint>
#include <forward_list>
#include <steelyard/value.hpp>
#include <string>
#include <utility>
#include <vector>

namespace steelyard::rules {

struct Datum;
using List = std::vector<Datum>;
using Map = std::vector<std::pair<Datum, Datum>>;
/// Numbers of the facts on which an unknown value hangs, sorted.
using Names = std::vector<int>;

/// Rules of a book know one kind of number, `real`; `integer` occurs in expressions that keep CEL's letter (ExprMode::strict).
enum class Kind : unsigned char { unknown, error, null, boolean, integer, real, text, list, map };

struct Datum {
  Kind kind = Kind::null;
  union {
    bool boolean;
    std::int64_t integer;
    double real;
    const std::string* text;  // also the message of an error
    const List* list;
    const Map* map;
    const Names* names;  // of an unknown; never null
  };

  Datum() : integer(0) {}
  explicit Datum(bool value) : kind(Kind::boolean), boolean(value) {}
  explicit Datum(std::int64_t value) : kind(Kind::integer), integer(value) {}
  explicit Datum(double value) : kind(Kind::real), real(value) {}
  explicit Datum(const std::string* value) : kind(Kind::text), text(value) {}
  explicit Datum(const List* value) : kind(Kind::list), list(value) {}
  explicit Datum(const Map* value) : kind(Kind::map), map(value) {}
  explicit Datum(const Names* value) : kind(Kind::unknown), names(value) {}

  bool is_number() const { return kind == Kind::real || kind == Kind::integer; }
  /// Neither unknown nor an error.
  bool known() const { return kind > Kind::error; }
  double number() const { return kind == Kind::integer ? static_cast<double>(integer) : real; }
};

/// Owns texts, lists and maps; what it gives out stays where it is until `clear`.
class Heap {
 public:
  Datum text(std::string value) { return Datum(&texts_.emplace_front(std::move(value))); }
  Datum list(List value) { return Datum(&lists_.emplace_front(std::move(value))); }
  Datum map(Map value) { return Datum(&maps_.emplace_front(std::move(value))); }
  Datum unknown(Names names) { return Datum(&names_.emplace_front(std::move(names))); }
  Datum error(std::string message);
  void clear();

 private:
  std::forward_list<std::string> texts_;
  std::forward_list<List> lists_;
  std::forward_list<Map> maps_;
  std::forward_list<Names> names_;
};

/// CEL equality: numbers by value across kinds, lists and maps by content, different kinds are unequal. Both sides must be known.
bool equal(const Datum& one, const Datum& other);
/// The value of a key of a map, or nullptr.
const Datum* find(const Map& map, const Datum& key);
const Datum* find(const Map& map, std::string_view key);
/// Both unknown: hangs on either. One of them an error: the unknown wins, since it may turn out to decide.
Datum merge(const Datum& one, const Datum& other, Heap& heap);
void add_names(Names& names, const Datum& unknown);

/// From and to the library's values. `as_real`: whole numbers become reals. Texts are not copied: they must outlive the datum.
Datum to_datum(const Value& value, Heap& heap, bool as_real);
/// The same value with texts, lists and maps in another heap.
Datum copy(const Datum& datum, Heap& heap);
/// Whole reals become integers; unknown and error become null.
Value to_value(const Datum& datum);
/// How a value is named in messages: 5, "a", a list.
std::string describe(const Datum& datum);
std::string_view kind_name(Kind kind);

}  // namespace steelyard::rules

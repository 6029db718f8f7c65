#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "rules/batch.hpp"
#include "rules/columns/fact_column.hpp"
#include "rules/session_state.hpp"

namespace steelyard::rules {

struct Rows::Data {
  Data(Book the_book, std::size_t the_count) : book(std::move(the_book)), count(the_count) {
    for (std::size_t slot = 0; slot < book.data().facts.size(); ++slot) {
      const FactData& fact = book.data().facts[slot];
      columns.emplace_back().constant = fact.on_unknown ? *fact.on_unknown : book.data().unknowns[slot];
    }
  }

  std::size_t padded() const { return (count + block_rows - 1) / block_rows * block_rows; }

  Book book;
  std::size_t count;
  std::vector<FactColumn> columns;
  std::deque<std::string> texts;
  std::deque<Value> originals;  // lists and maps point into them
  Heap heap;
};

Rows::Rows(Book book, std::size_t count) : data_(std::make_unique<Data>(std::move(book), count)) {}
Rows::Rows(Rows&&) noexcept = default;
Rows& Rows::operator=(Rows&&) noexcept = default;
Rows::~Rows() = default;

std::size_t Rows::count() const { return data_->count; }
const Book& Rows::book() const { return data_->book; }
const FactColumn& Rows::column(int slot) const { return data_->columns[static_cast<std::size_t>(slot)]; }

void Rows::constant(FactId fact, const Value& value) {
  FactColumn& column = data_->columns[static_cast<std::size_t>(fact.slot)];
  column = {};
  data_->originals.push_back(value);
  column.constant = fitting(data_->book.data().facts[static_cast<std::size_t>(fact.slot)], data_->originals.back(), data_->heap);
}

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool fits_float(double value) {
  if (!std::isfinite(value)) return true;
  return std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max()) && static_cast<double>(static_cast<float>(value)) == value;
}

void set_bit(std::vector<Bits>& bits, std::size_t row, std::size_t padded) {
  if (bits.empty()) bits.resize(padded / 64);
  bits[row / 64] |= Bits{1} << (row % 64);
}

void narrow_if_exact(FactColumn& column) {
  if (!std::all_of(column.wide.begin(), column.wide.end(), fits_float)) return;
  column.narrow.assign(column.wide.size(), 0.0F);
  std::transform(column.wide.begin(), column.wide.end(), column.narrow.begin(), [](double value) { return static_cast<float>(value); });
  column.wide = {};
}

// Codes for the values of one column, each different value once.
class Dictionary {
 public:
  explicit Dictionary(FactColumn& column) : column_(column) {}

  /// False where there are more values than codes.
  bool add(const std::string& key, const Datum& value) {
    const auto [found, added] = codes_.emplace(key, static_cast<Code>(codes_.size()));
    if (added) column_.values.push_back(value);
    column_.codes.push_back(found->second);
    return codes_.size() < std::numeric_limits<Code>::max();
  }
  bool has(const std::string& key) const { return codes_.contains(key); }

 private:
  FactColumn& column_;
  std::unordered_map<std::string, Code> codes_;
};

}  // namespace

void Rows::numbers(FactId fact, std::span<const double> values) {
  const std::size_t padded = data_->padded();
  FactColumn& column = data_->columns[static_cast<std::size_t>(fact.slot)];
  const FactData& declared = data_->book.data().facts[static_cast<std::size_t>(fact.slot)];
  const double otherwise = declared.on_unknown && declared.on_unknown->is_number() ? declared.on_unknown->number() : nan;
  column = {};
  column.form = FactColumn::Form::number;
  column.wide.assign(values.begin(), values.end());
  column.wide.resize(padded, 0.0);
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!std::isnan(values[row])) continue;
    column.wide[row] = otherwise;
    if (std::isnan(otherwise)) set_bit(column.odd, row, padded);
  }
  narrow_if_exact(column);
}

void Rows::flags(FactId fact, std::span<const std::uint8_t> values) {
  FactColumn column;
  column.form = FactColumn::Form::code;
  column.values = {Datum(false), Datum(true)};
  column.codes.resize(data_->padded());
  std::transform(values.begin(), values.end(), column.codes.begin(), [](std::uint8_t value) { return static_cast<Code>(value != 0); });
  data_->columns[static_cast<std::size_t>(fact.slot)] = std::move(column);
}

void Rows::texts(FactId fact, std::span<const std::string> values) {
  FactColumn column;
  column.form = FactColumn::Form::code;
  Dictionary dictionary(column);
  bool good = true;
  for (const std::string& value : values) {
    Datum text;
    if (!dictionary.has(value)) text = Datum(&data_->texts.emplace_back(value));
    good = good && dictionary.add(value, text);
  }
  if (!good) {
    std::vector<std::optional<Value>> all(values.begin(), values.end());
    return this->values(fact, all);
  }
  column.codes.resize(data_->padded());
  data_->columns[static_cast<std::size_t>(fact.slot)] = std::move(column);
}

void Rows::values(FactId fact, const std::vector<std::optional<Value>>& values) {
  const FactData& declared = data_->book.data().facts[static_cast<std::size_t>(fact.slot)];
  const Datum unknown = declared.on_unknown ? *declared.on_unknown : data_->book.data().unknowns[static_cast<std::size_t>(fact.slot)];
  const auto all_of = [&](auto test) {
    return std::all_of(values.begin(), values.end(), [&](const auto& value) { return !value || value->is_null() || test(*value); });
  };
  FactColumn column;
  std::vector<Datum> datums;
  for (const auto& value : values) {
    if (value) data_->originals.push_back(*value);
    datums.push_back(value ? fitting(declared, data_->originals.back(), data_->heap) : unknown);
  }
  const std::size_t padded = data_->padded();
  const bool numeric = declared.type == Type::number && all_of([](const Value& value) { return value.is_number(); }) &&
                       (unknown.is_number() || unknown.kind == Kind::unknown);
  const bool coded = all_of([](const Value& value) { return value.is_bool() || value.is_string(); }) &&
                     (declared.type == Type::boolean || declared.type == Type::text);
  if (numeric) {
    column.form = FactColumn::Form::number;
    column.wide.assign(padded, 0.0);
    for (std::size_t row = 0; row < datums.size(); ++row) {
      column.wide[row] = datums[row].is_number() ? datums[row].number() : nan;
      if (datums[row].kind == Kind::unknown) set_bit(column.odd, row, padded);
      if (datums[row].kind == Kind::null) set_bit(column.null, row, padded);
    }
    narrow_if_exact(column);
  } else if (coded) {
    column.form = FactColumn::Form::code;
    Dictionary dictionary(column);
    for (const Datum& datum : datums) {
      if (!dictionary.add(describe(datum), datum)) column.form = FactColumn::Form::mixed;
    }
    column.codes.resize(padded);
  } else {
    column.form = FactColumn::Form::mixed;
  }
  if (column.form == FactColumn::Form::mixed) column.mixed = std::move(datums);
  data_->columns[static_cast<std::size_t>(fact.slot)] = std::move(column);
}

Datum FactColumn::at(std::size_t row, const Datum& unknown) const {
  switch (form) {
    case Form::constant: return constant;
    case Form::code: return values[codes[row]];
    case Form::mixed: return mixed[row];
    case Form::number: break;
  }
  if (bit(odd, row)) return unknown;
  if (bit(null, row)) return Datum();
  return Datum(narrow.empty() ? wide[row] : static_cast<double>(narrow[row]));
}

Session Rows::session(std::size_t row) const {
  Session session(data_->book);
  const BookData& book = data_->book.data();
  for (std::size_t slot = 0; slot < book.facts.size(); ++slot) {
    const Datum value = data_->columns[slot].at(row, book.unknowns[slot]);
    const FactId fact{static_cast<int>(slot)};
    if (value.kind == Kind::unknown || value.kind == Kind::error) {
      session.state().keep(fact.slot, value.kind == Kind::unknown ? value : copy(value, session.state().fact_heap));
    } else {
      session.set(fact, to_value(value));
    }
  }
  return session;
}

}  // namespace steelyard::rules

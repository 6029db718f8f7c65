#include "rules/lint/regions.hpp"

#include <cmath>

#include "core/text.hpp"

namespace steelyard::rules::analysis {

namespace {

bool contains(const Span& span, const Region& region) {
  if (region.is_point()) {
    const bool above = span.low_open ? region.low > span.low : region.low >= span.low;
    const bool below = span.high_open ? region.low < span.high : region.low <= span.high;
    return above && below;
  }
  return region.low >= span.low && region.high <= span.high;  // ends of spans are ends of regions
}

bool equals(const Atom& atom, const Region& region) {
  switch (region.kind) {
    case Region::Kind::null: return atom.null;
    case Region::Kind::number: return std::any_of(atom.spans.begin(), atom.spans.end(), [&](const Span& span) { return contains(span, region); });
    case Region::Kind::word: return std::find(atom.words.begin(), atom.words.end(), region.word) != atom.words.end();
    case Region::Kind::flag: return region.flag ? atom.yes : atom.no;
    default: return false;
  }
}

}  // namespace

void Column::note(const Atom& atom) {
  has_named = has_named || atom.has;
  null_named = null_named || atom.null;
  flags = flags || atom.yes || atom.no;
  words.insert(atom.words.begin(), atom.words.end());
  for (const Span& span : atom.spans) {
    for (const double end : {span.low, span.high}) {
      if (std::isfinite(end)) ends.insert(end);
    }
  }
}

void Column::add(Region region, bool is_usual) {
  regions.push_back(std::move(region));
  usual_.push_back(is_usual);
}

void Column::add_numbers() {
  if (closed_numbers) {
    for (const double value : *closed_numbers) add({Region::Kind::number, value, value, {}, false}, true);
    return;
  }
  std::set<double> cuts = ends;
  for (const double end : {least, most}) {
    if (std::isfinite(end)) cuts.insert(end);
  }
  double below = -infinity;
  const auto between = [&](double low, double high) {
    const bool inside = low >= least && high <= most;
    if (inside && std::nextafter(low, infinity) < high) add({Region::Kind::number, low, high, {}, false}, true);
  };
  for (const double cut : cuts) {
    between(below, cut);
    if (cut >= least && cut <= most) add({Region::Kind::number, cut, cut, {}, false}, true);
    below = cut;
  }
  between(below, infinity);
}

void Column::add_words() {
  for (const std::string& word : words) add({Region::Kind::word, 0, 0, word, false}, true);
  if (closed_words.empty()) return add({Region::Kind::other_word, 0, 0, {}, false}, true);
  for (const std::string& word : closed_words) {
    if (words.count(word) == 0) add({Region::Kind::word, 0, 0, word, false}, true);
  }
}

void Column::finish() {
  const bool open = type == Type::any && !opaque;
  if (can_be_unknown) add({Region::Kind::unknown, 0, 0, {}, false}, has_named);
  if (can_be_null) add({Region::Kind::null, 0, 0, {}, false}, null_named);
  if (type == Type::number || (open && !ends.empty())) add_numbers();
  if (type == Type::text || (open && !words.empty())) add_words();
  if (type == Type::boolean || opaque || (open && flags)) {
    add({Region::Kind::flag, 0, 0, {}, false}, true);
    add({Region::Kind::flag, 0, 0, {}, true}, true);
  }
  const bool typed = type == Type::number || type == Type::text || type == Type::boolean || opaque;
  const bool nothing_named = ends.empty() && words.empty() && !flags;
  if (!typed) add({}, nothing_named);
  usual = Bits(static_cast<int>(regions.size()));
  for (std::size_t at = 0; at < usual_.size(); ++at) {
    if (usual_[at]) usual.set(static_cast<int>(at));
  }
}

Bits Column::holds(const Atom& atom) const {
  Bits set(static_cast<int>(regions.size()));
  for (std::size_t at = 0; at < regions.size(); ++at) {
    const Region& region = regions[at];
    const bool known = region.kind != Region::Kind::unknown;
    if (known && (atom.has || equals(atom, region))) set.set(static_cast<int>(at));
  }
  return set;
}

Bits Column::fails(const Atom& atom) const {
  Bits set(static_cast<int>(regions.size()));
  for (std::size_t at = 0; at < regions.size(); ++at) {
    const Region& region = regions[at];
    if (atom.has) {
      if (region.kind == Region::Kind::unknown) set.set(static_cast<int>(at));
      continue;
    }
    const bool error = atom.orders && (region.kind == Region::Kind::null ? !atom.in_cell : region.kind == Region::Kind::other);
    if (region.kind != Region::Kind::unknown && !error && !equals(atom, region)) set.set(static_cast<int>(at));
  }
  return set;
}

namespace {

double inside(double low, double high) {
  if (std::isinf(low) && std::isinf(high)) return 0;
  if (std::isinf(low)) return std::ceil(high) - 1;
  if (std::isinf(high)) return std::floor(low) + 1;
  const double middle = low + (high - low) / 2;
  for (const double whole : {std::round(middle), std::floor(low) + 1}) {
    if (whole > low && whole < high) return whole;
  }
  return middle;
}

std::string spaced(const std::string& unit) { return unit.empty() || unit == "1" ? "" : " " + unit; }

}  // namespace

std::string number_text(const Column& column, double value) { return format_number(value) + spaced(column.unit); }

std::optional<Value> Column::sample(int region) const {
  const Region& one = regions[static_cast<std::size_t>(region)];
  switch (one.kind) {
    case Region::Kind::unknown: return std::nullopt;
    case Region::Kind::null: return Value();
    case Region::Kind::number: return to_value(Datum(one.is_point() ? one.low : inside(one.low, one.high)));  // whole numbers without a fraction
    case Region::Kind::word: return Value(one.word);
    case Region::Kind::flag: return Value(one.flag);
    default: break;
  }
  std::string word = "other";
  while (words.count(word) != 0) word += "_";
  return Value(word);
}

std::string Column::describe(int region) const {
  const auto value = sample(region);
  if (!value) return name + " not known";
  return name + " = " + to_json(*value) + (value->is_number() ? spaced(unit) : "");
}

namespace {

// Neighbouring regions of numbers as one interval.
struct Interval {
  double low, high;
  bool low_open, high_open;
};

std::string text_of(const Column& column, const Interval& interval) {
  if (interval.low == interval.high) return number_text(column, interval.low);
  if (std::isinf(interval.low) && std::isinf(interval.high)) return "any number";
  if (std::isinf(interval.low)) return (interval.high_open ? "< " : "<= ") + number_text(column, interval.high);
  if (std::isinf(interval.high)) return (interval.low_open ? "> " : ">= ") + number_text(column, interval.low);
  return std::string(interval.low_open ? "(" : "[") + format_number(interval.low) + ".." + format_number(interval.high) +
         (interval.high_open ? ")" : "]") + spaced(column.unit);
}

}  // namespace

std::string Column::describe(const Bits& set) const {
  std::vector<std::string> parts;
  std::optional<Interval> open;
  int last = -2;
  const auto close = [&] {
    if (open) parts.push_back(text_of(*this, *open));
    open.reset();
  };
  set.each([&](int at) {
    const Region& region = regions[static_cast<std::size_t>(at)];
    if (region.kind != Region::Kind::number) {
      close();
      const auto value = sample(at);
      return parts.push_back(!value ? "not known" : region.kind == Region::Kind::other_word ? "any other text" : to_json(*value));
    }
    if (open && at == last + 1 && !closed_numbers) {
      open->high = region.high;
      open->high_open = !region.is_point();
    } else {
      close();
      open = Interval{region.low, region.high, !region.is_point(), !region.is_point()};
    }
    last = at;
  });
  close();
  return name + " " + join(parts, " or ");
}

}  // namespace steelyard::rules::analysis

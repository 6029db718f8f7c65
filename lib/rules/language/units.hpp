// Units of facts and quantities: what is measured (dimension) and how large one of it is (scale).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::rules {

/// Base units. Currencies do not convert: each is a dimension of its own.
enum class Base : unsigned char {
  byte,
  second,
  flop,
  watt,
  usd,
  cny,
  eur,
  gbp,
  jpy,
  token,
  sample,
  request,
  step,
  gpu,
  node,
  param,
  kelvin,
  pixel,
  count
};

/// `stated` false: nobody said what the number measures, so it goes with everything. All exponents 0 and stated: a pure number ("1").
struct Unit {
  std::array<std::int8_t, static_cast<std::size_t>(Base::count)> exponents{};
  double scale = 1;  // in base units
  bool stated = false;

  bool same_dimension(const Unit& other) const { return exponents == other.exponents; }
  bool pure() const { return exponents == decltype(exponents){}; }
};

/// "GiB", "Gbit/s", "USD/h", "1", "%"; empty where a word is not known.
std::optional<Unit> parse_unit(std::string_view text);
/// All unit words, for messages.
std::vector<std::string> unit_words();
/// "byte/s", "1", in base units: for messages.
std::string dimension_name(const Unit& unit);
/// The product (or quotient) of two units; not stated where either is not.
Unit product(const Unit& one, const Unit& other, int sign = 1);

}  // namespace steelyard::rules

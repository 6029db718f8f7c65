// A set of small numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace steelyard::rules::analysis {

class Bits {
 public:
  Bits() = default;
  explicit Bits(int count, bool all = false) : words_((static_cast<std::size_t>(count) + 63) / 64, all ? ~std::uint64_t{0} : 0) {
    if (all && count % 64 != 0) words_.back() = (std::uint64_t{1} << (count % 64)) - 1;
  }

  void set(int at) { words_[word(at)] |= mask(at); }
  void reset(int at) { words_[word(at)] &= ~mask(at); }
  bool test(int at) const { return words_[word(at)] & mask(at); }
  bool none() const {
    return std::all_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word == 0; });
  }
  bool any() const { return !none(); }
  int count() const {
    int total = 0;
    for (const std::uint64_t word : words_) total += std::popcount(word);
    return total;
  }
  /// The smallest member, -1 where there is none.
  int first() const {
    for (std::size_t at = 0; at < words_.size(); ++at) {
      if (words_[at] != 0) return static_cast<int>(at * 64) + std::countr_zero(words_[at]);
    }
    return -1;
  }
  /// The largest member, -1 where there is none.
  int last() const {
    for (std::size_t at = words_.size(); at-- > 0;) {
      if (words_[at] != 0) return static_cast<int>(at * 64) + 63 - std::countl_zero(words_[at]);
    }
    return -1;
  }
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t at = 0; at < words_.size(); ++at) {
      for (std::uint64_t word = words_[at]; word != 0; word &= word - 1) visit(static_cast<int>(at * 64) + std::countr_zero(word));
    }
  }

  Bits& operator&=(const Bits& other) {
    for (std::size_t at = 0; at < words_.size(); ++at) words_[at] &= other.words_[at];
    return *this;
  }
  Bits& operator|=(const Bits& other) {
    for (std::size_t at = 0; at < words_.size(); ++at) words_[at] |= other.words_[at];
    return *this;
  }
  /// Takes the members of another set out.
  Bits& operator-=(const Bits& other) {
    for (std::size_t at = 0; at < words_.size(); ++at) words_[at] &= ~other.words_[at];
    return *this;
  }
  friend Bits operator&(Bits one, const Bits& other) { return one &= other; }
  friend Bits operator-(Bits one, const Bits& other) { return one -= other; }

  bool meets(const Bits& other) const {
    for (std::size_t at = 0; at < words_.size(); ++at) {
      if (words_[at] & other.words_[at]) return true;
    }
    return false;
  }
  bool within(const Bits& other) const {
    for (std::size_t at = 0; at < words_.size(); ++at) {
      if (words_[at] & ~other.words_[at]) return false;
    }
    return true;
  }

  friend bool operator==(const Bits&, const Bits&) = default;
  friend auto operator<=>(const Bits& one, const Bits& other) { return one.words_ <=> other.words_; }

  std::size_t hash() const {
    std::size_t sum = words_.size();
    for (const std::uint64_t word : words_) sum = (sum ^ word) * 0x9E3779B97F4A7C15u + (sum >> 29);
    return sum;
  }

 private:
  static std::size_t word(int at) { return static_cast<std::size_t>(at) / 64; }
  static std::uint64_t mask(int at) { return std::uint64_t{1} << (static_cast<unsigned>(at) % 64); }

  std::vector<std::uint64_t> words_;
};

}  // namespace steelyard::rules::analysis

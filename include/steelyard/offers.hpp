// Many offers in little memory: what the offers of one machine type share is kept once.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <steelyard/configuration.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace steelyard {

/// A list of offers: 48 bytes and the text of its id for each. Elements are made when asked for, so that they are values, not references.
class OfferList {
 public:
  /// All of an offer that many share; its id, its region and machine type, the amount of its price and its line are empty.
  using Kind = std::uint32_t;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Offer;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Offer;

    Iterator() = default;
    Iterator(const OfferList* list, std::size_t index) : list_(list), index_(index) {}
    Offer operator*() const { return (*list_)[index_]; }
    Iterator& operator++() { return ++index_, *this; }
    Iterator operator++(int) { return {list_, index_++}; }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const OfferList* list_ = nullptr;
    std::size_t index_ = 0;
  };

  OfferList() = default;
  OfferList(const std::vector<Offer>& offers);

  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  Offer operator[](std::size_t index) const;
  Offer front() const { return (*this)[0]; }
  Offer back() const { return (*this)[size() - 1]; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }
  void push_back(Offer offer);

  // Parts of one element, without making it.
  std::string_view id(std::size_t index) const { return text_of(rows_[index].text, rows_[index].id_size); }
  std::string_view region(std::size_t index) const { return text_of(rows_[index].text + rows_[index].region_at, rows_[index].region_size); }
  std::string_view machine_type(std::size_t index) const { return text_of(rows_[index].text + rows_[index].type_at, rows_[index].type_size); }
  Kind kind_of(std::size_t index) const { return rows_[index].kind; }
  /// Of the price, in its currency and for its unit; 0 where the kind has no price.
  double amount(std::size_t index) const { return rows_[index].amount; }
  /// The first offer of this id.
  std::optional<std::size_t> find(std::string_view id) const;

  std::size_t kinds() const { return kinds_.size(); }
  const Offer& kind(Kind kind) const { return kinds_[kind]; }
  /// The kind of such offers; one that is known already is not added again.
  Kind add_kind(Offer offer);
  struct Place {
    std::string_view id, region, machine_type;
    double amount = 0;
    int line = 0, column = 0;
  };
  void append(Kind kind, const Place& place);
  void set_amount(std::size_t index, double amount) { rows_[index].amount = amount; }
  void set_kind(std::size_t index, Kind kind) { rows_[index].kind = kind; }

 private:
  struct Row {
    double amount;
    std::uint64_t text;  // where its id starts
    // Region and type are parts of the id, or follow it.
    std::uint32_t id_size, region_at, region_size, type_at, type_size;
    Kind kind;
    int line, column;
  };
  std::uint32_t find_or_add(std::uint64_t start, std::string_view text);
  std::string_view text_of(std::uint64_t at, std::uint32_t size) const { return {texts_.data() + at, size}; }

  std::vector<Row> rows_;
  std::vector<char> texts_;
  std::vector<Offer> kinds_;
  std::unordered_multimap<std::size_t, Kind> kinds_by_hash_;
};

}  // namespace steelyard

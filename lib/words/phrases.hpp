// What the program itself says to people, in their language: phrases with holes, meanings of codes and of facts. The rules' own sentences are with
// their book.
#pragma once

#include <fmt/format.h>

#include <map>
#include <steelyard/language.hpp>
#include <string>
#include <string_view>

namespace steelyard::words {

class Phrases {
 public:
  /// Read once a language; what a language has no phrase for is said in English.
  static const Phrases& of(Language language);

  Language language() const { return language_; }
  /// "en", "zh-CN": for the `lang` of a page.
  const std::string& tag() const { return tag_; }
  /// `{}` stand for the values, in order or by number.
  template <class... Values>
  std::string say(std::string_view english, const Values&... values) const {
    if constexpr (sizeof...(values) == 0) {
      return std::string(phrase(english));
    } else {
      return fmt::format(fmt::runtime(phrase(english)), values...);
    }
  }
  /// What a reject or warning code means; the code itself where nothing is known.
  std::string code(const std::string& code) const;
  /// What a declared fact of data/schema means; empty where nothing is said of it.
  std::string fact(const std::string& name) const;

 private:
  using Map = std::map<std::string, std::string, std::less<>>;

  explicit Phrases(Language language);
  std::string_view phrase(std::string_view english) const;

  Language language_;
  std::string tag_ = "en";
  Map phrases_, codes_, facts_;
};

}  // namespace steelyard::words

// Phrases of the reports in the reader's language, and figures put into words.
#pragma once

#include <fmt/format.h>

#include <map>
#include <steelyard/decision.hpp>
#include <steelyard/report.hpp>
#include <string>
#include <string_view>

namespace steelyard::report {

/// A figure with three digits and grouped thousands.
std::string figure(double value, int digits = 3);

class Words {
 public:
  explicit Words(Language language);

  /// The phrase in the reader's language; English where the language has none. `{}` stand for the values, in order or by number.
  template <class... Values>
  std::string say(std::string_view english, const Values&... values) const {
    return fmt::format(fmt::runtime(phrase(english)), values...);
  }
  /// What a reject or warning code means, in words; the code itself where nothing is known.
  std::string code(const std::string& code) const;
  /// "en", "zh-CN": for the page's `lang`.
  const std::string& tag() const { return tag_; }

  std::string money(const Money& money) const;
  std::string machine(const Configuration& configuration) const;
  std::string network(const Configuration& configuration) const;
  std::string hours(double hours) const;
  std::string speed(const Estimate& estimate) const;
  std::string plan(const Plan& plan) const;
  std::string software(const ChosenSoftware& software) const;
  std::string memory(const MemoryEstimate& memory) const;
  std::string costs(const Estimate& estimate) const;
  std::string cost_parts(const CostParts& parts) const;
  std::string scaling(const NodeScaling& scaling) const;
  std::string changes(const WhatIf& what_if) const;
  std::string sensitivity(const Sensitivity& sensitivity) const;
  std::string choice(const Choice& choice) const;

 private:
  std::string_view phrase(std::string_view english) const;

  std::string tag_ = "en";
  std::map<std::string, std::string, std::less<>> phrases_, codes_;
};

}  // namespace steelyard::report

// Phrases of the reports in the reader's language, and figures put into words.
#pragma once

#include <steelyard/decision.hpp>
#include <steelyard/report.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "words/phrases.hpp"

namespace steelyard::report {

/// A figure with three digits and grouped thousands.
std::string figure(double value, int digits = 3);

class Words {
 public:
  explicit Words(Language language) : phrases_(words::Phrases::of(language)) {}

  Language language() const { return phrases_.language(); }
  /// The phrase in the reader's language; English where the language has none. `{}` stand for the values, in order or by number.
  template <class... Values>
  std::string say(std::string_view english, const Values&... values) const {
    return phrases_.say(english, values...);
  }
  /// What a reject or warning code means, in words; the code itself where nothing is known.
  std::string code(const std::string& code) const { return phrases_.code(code); }
  /// "en", "zh-CN": for the page's `lang`.
  const std::string& tag() const { return phrases_.tag(); }

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
  /// What is best in something beside value for money: one entry an offer, with all that it is best in.
  std::vector<std::string> choices(const std::vector<Choice>& choices) const;

 private:
  const words::Phrases& phrases_;
};

}  // namespace steelyard::report

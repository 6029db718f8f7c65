// The checks of price lists. Each looks at one thing and adds its findings.
#pragma once

#include <steelyard/lint.hpp>
#include <string>
#include <vector>

#include "catalog/lint/price_line.hpp"

namespace steelyard::catalog {

/// Collects findings of one file, with the severity of their code.
class Report {
 public:
  Report(const PriceList& list, std::vector<Finding>& findings) : list_(list), findings_(findings) {}
  void add(const char* code, int line, std::string message, std::string fix = {});

 private:
  const PriceList& list_;
  std::vector<Finding>& findings_;
};

void check_memory(const PriceList& list, const Catalog& facts, Report& report);
void check_boards(const PriceList& list, Report& report);  // counts, capabilities, parts, names, accelerators
void check_prices(const PriceList& list, const Date& today, Report& report);
void check_rows(const PriceList& list, Report& report);  // repeated rows, split prices, headline rates
void check_dominance(const PriceList& list, std::string_view text, const Catalog& facts, Report& report);

}  // namespace steelyard::catalog

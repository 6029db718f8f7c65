// The rule workload of data/bench as a book and rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rules/batch.hpp"
#include "rules/rules.hpp"

namespace steelyard::bench {

struct Workload {
  std::string problem;             // why there is none
  std::vector<rules::Book> books;  // one
  std::vector<std::string> inputs;
  std::vector<bool> is_text;
  std::vector<std::vector<double>> numbers;  // by input
  std::vector<std::vector<std::string>> texts;
  std::vector<std::string> tables;
  // expected
  std::vector<std::string> hits;  // by table: one digit a row, from 1
  std::string verdict;
  std::vector<std::string> verdict_codes;
  double unit_cost_sum = 0;

  const rules::Book& book() const { return books.front(); }
  std::size_t rows() const { return verdict.size(); }
};

/// Read once.
const Workload& workload();

}  // namespace steelyard::bench

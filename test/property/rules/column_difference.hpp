// Where a column and the scalar evaluator disagree about a row.
#pragma once

#include <cmath>
#include <string>

#include "rules/batch.hpp"

namespace steelyard::rules {

inline bool same_number(double one, double other) { return one == other || (std::isnan(one) && std::isnan(other)); }

/// "" where they agree.
inline std::string difference(const BatchColumn& column, std::size_t row, Session& session, DecisionId id) {
  const Status status = session.status(id);
  if (column.status(row) != status) return "status " + std::string(to_string(column.status(row))) + ", scalar " + std::string(to_string(status));
  const bool settled = status == Status::decided || status == Status::no_hit;
  if (settled && !column.codes.empty() && column.rule(row) != session.hit(id)) {
    return "rule " + std::to_string(column.rule(row)) + ", scalar " + std::to_string(session.hit(id));
  }
  const Value output = session.output(id);
  if (!column.numbers.empty() && !same_number(column.numbers[row], output.is_number() ? output.as_number() : std::nan(""))) {
    return "number " + std::to_string(column.numbers[row]) + ", scalar " + to_json(output);
  }
  if (settled && !column.outputs.empty() && !column.codes.empty() && !(column.outputs.at(column.codes[row]) == output)) {
    return "output " + to_json(column.outputs[column.codes[row]]) + ", scalar " + to_json(output);
  }
  return {};
}

}  // namespace steelyard::rules

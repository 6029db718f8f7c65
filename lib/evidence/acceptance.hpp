// The acceptance kit of an offer: commands, thresholds, contract terms and settings, by the rules of a book.
#pragma once

#include <steelyard/configuration.hpp>
#include <steelyard/value.hpp>

#include "rules/rules.hpp"

namespace steelyard::evidence {

/// {"commands", "thresholds": [{"metric", "min" or "max", "unit", "because"}], "contract_terms", "environment"}.
Value acceptance(const Configuration& offer, const rules::Book& book);

}  // namespace steelyard::evidence

// The family of language-model training steps.
#pragma once

#include <string>

#include "family.hpp"

namespace steelyard::fit {

/// Fits data/efficiency/train.yaml; the report has fitted and cross-validated errors.
std::string fit_train(const Request& request);

}  // namespace steelyard::fit

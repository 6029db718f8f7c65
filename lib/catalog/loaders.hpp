// Readers of the shipped data files and of users' files in the same form. All faults are collected; the good entries come back.
#pragma once

#include <steelyard/board.hpp>
#include <steelyard/model.hpp>
#include <steelyard/money.hpp>
#include <vector>

#include "load/fields.hpp"

namespace steelyard::catalog {

/// data/boards/*.yaml. A peak without its kind, or of a kind that is no dense rate, is an issue.
Loaded<std::vector<Board>> load_boards(const load::Document& document);
/// data/models/*.yaml.
Loaded<std::vector<Model>> load_models(const load::Document& document);
/// data/currencies/*.yaml.
Loaded<ExchangeRates> load_rates(const load::Document& document);

/// The facts of a model in a map, over what `model` holds already; the caller reads id, base and sources and calls `finish`.
void read_model_facts(load::Fields& fields, Model& model);

}  // namespace steelyard::catalog

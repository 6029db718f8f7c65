// Writes what a fit found as YAML, the same bytes for the same numbers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mixed.hpp"

namespace steelyard::fit {

/// Four significant digits: far below the fit's own spread, and coarse enough that another compiler gives the same text.
std::string figure(double value);

/// "parameters:" with value, prior and spread of each: `- {name: gemm_bf16_hopper, value: 0.72, spread: 0.01, prior: 0.74, prior_spread: 0.05}`.
std::string parameters_yaml(const Problem& problem, const Fit& fitted, const std::string& indent = "");
/// "levels:" (name, sigma, offset) and "cells:" (precision, indices of levels), as lib/estimate/efficiencies reads them.
std::string offsets_yaml(const estimate::Offsets& offsets, const std::string& indent = "");
/// "interval_widths:" one entry a kind of rows.
std::string widths_yaml(const std::map<std::string, double, std::less<>>& widths);
/// "errors:" one line a figure: `- {of: lm_training_bf16, left_out: family, rows: 66, mape: 0.041, median: 0.021, p90: 0.08, inside: 0.93}`.
std::string errors_yaml(const std::string& of, const std::string& left_out, const Errors& errors, const std::string& indent = "");

/// Writes a file through a temporary one beside it; false where it cannot be written.
bool write_file(const std::string& path, const std::string& text);

}  // namespace steelyard::fit

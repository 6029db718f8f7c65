#include "calibrate/method.hpp"

#include "load/embedded.hpp"
#include "load/fields.hpp"

namespace steelyard::calibration {

namespace {

Method read_method() {
  const load::Document document = load::embedded_document("data/evidence/calibration_method.yaml");
  Issues issues;  // the shipped file is checked by a test
  load::Fields fields(document, document.root, issues, "method");
  Method out;
  if (const load::Node* list = fields.node("confidence")) {
    load::each_map(document, *list, issues, "confidence", [&](load::Fields& row) {
      out.confidence.push_back({row.required_text("word"), row.required_number("spread", 0), row.required_number("fit_error", 0)});
    });
  }
  out.confidence_otherwise = fields.required_text("confidence_otherwise");
  if (const load::Node* map = fields.node("extrapolation")) {
    load::Fields beyond(document, *map, issues, "extrapolation");
    out.latency_exponent_of_ranks = beyond.required_number("latency_exponent_of_ranks");
    out.rate_exponent_of_ranks = beyond.required_number("rate_exponent_of_ranks");
    out.spread_per_octave = beyond.required_number("spread_per_octave", 0);
  }
  return out;
}

}  // namespace

const Method& Method::embedded() {
  static const Method shipped = read_method();
  return shipped;
}

std::string Method::confidence_of(double spread, std::optional<double> fit_error) const {
  for (const ConfidenceRow& row : confidence) {
    if (spread <= row.spread && fit_error.value_or(0) <= row.fit_error) return row.word;
  }
  return confidence_otherwise;
}

}  // namespace steelyard::calibration

// A calibration beside what its class of machine reaches elsewhere.
#include <algorithm>
#include <steelyard/calibrate.hpp>

#include "calibrate/class_references.hpp"
#include "core/text.hpp"
#include "load/embedded.hpp"
#include "load/fields.hpp"

namespace steelyard {

namespace calibration {

std::vector<ClassReference> read_references(const load::Document& document, Issues& issues) {
  std::vector<ClassReference> out;
  load::Fields fields(document, document.root, issues, "class references");
  fields.text("about");
  fields.text("date");
  if (const load::Node* list = fields.node("references")) {
    load::each_map(document, *list, issues, "reference", [&](load::Fields& row) {
      ClassReference one;
      one.board = row.required_text("board");
      one.metric = row.required_text("metric");
      one.ranks = row.integer("ranks", 2);
      one.nodes = row.integer("nodes", 1);
      one.value = row.required_number("value", 0);
      one.unit = row.required_text("unit");
      one.kind = row.word("kind", {"measured", "expected", "floor"}).value_or("");
      one.source = row.required_text("source");
      row.finish();
      out.push_back(std::move(one));
    });
  }
  fields.finish();
  return out;
}

const std::vector<ClassReference>& class_references() {
  static const std::vector<ClassReference> shipped = [] {
    Issues issues;  // the shipped file is checked by a test
    return read_references(load::embedded_document("data/evidence/class_references.yaml"), issues);
  }();
  return shipped;
}

}  // namespace calibration

namespace {

using calibration::ClassReference;

bool matches(const Coefficient& one, const ClassReference& reference) {
  const auto is = [&](const char* name, std::optional<int> wanted) {
    const auto found = one.at.find(name);
    return !wanted || (found != one.at.end() && static_cast<int>(found->second) == *wanted);
  };
  return one.name == reference.metric && one.unit == reference.unit && is("ranks", reference.ranks) && is("nodes", reference.nodes);
}

std::string unit_text(const std::string& unit) {
  if (unit == "gb_per_s") return "GB/s";
  return unit == "tflops" ? "TFLOPS" : unit;
}

ClassComparison compare(const Coefficient& one, const ClassReference& reference) {
  ClassComparison out;
  out.metric = reference.metric;
  out.measured = one.value;
  out.reference = reference.value;
  out.unit = reference.unit;
  out.share = reference.value > 0 ? one.value / reference.value : 0;
  out.reference_of = (reference.ranks ? std::to_string(*reference.ranks) + "x " : "") + reference.board;
  out.source = reference.source;
  const std::string of = reference.kind == "floor" ? "the floor of its class" : "its class";
  out.sentence = "this " + reference.board + " reaches " + format_rounded(out.share, 2) + " of " + of + " in " + reference.metric + " (" +
                 format_rounded(one.value, 4) + " of " + format_rounded(reference.value, 4) + " " + unit_text(reference.unit) + "; " +
                 reference.source + ")";
  return out;
}

}  // namespace

std::vector<ClassComparison> compare_with_class(const Calibration& calibration) {
  std::vector<ClassComparison> out;
  for (const ClassReference& reference : calibration::class_references()) {
    if (calibration.machine.board.empty() || reference.board != calibration.machine.board) continue;
    for (const Coefficient& one : calibration.coefficients) {
      if (matches(one, reference)) out.push_back(compare(one, reference));
    }
  }
  return out;
}

}  // namespace steelyard

#include "catalog/lint/lint_facts.hpp"

#include "load/embedded.hpp"
#include "load/fields.hpp"

namespace steelyard::catalog {

const LintFacts& lint_facts() {
  static const LintFacts facts = [] {
    const load::Document document = load::embedded_document("data/schema/lint.yaml");
    Issues issues;
    load::Fields fields(document, document.root, issues, "lint facts");
    LintFacts read;
    if (const load::Node* table = fields.node("severity")) {
      for (const load::Entry& entry : table->entries) read.severity[entry.key] = entry.value.text;
    }
    read.memory_tolerance = fields.required_number("memory_tolerance");
    read.stale_after_days = fields.integer("stale_after_days").value_or(0);
    read.headline_gbit_per_s = fields.required_number("headline_gbit_per_s");
    read.most_parts_of_a_gpu = fields.integer("most_parts_of_a_gpu").value_or(0);
    read.most_usd_per_gpu = fields.required_number("most_usd_per_gpu");
    read.words_for_nothing = fields.texts("words_for_nothing");
    read.no_gpu_names = fields.texts("no_gpu_names");
    return read;
  }();
  return facts;
}

}  // namespace steelyard::catalog

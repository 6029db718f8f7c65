#include "priors.hpp"

#include <stdexcept>

#include "load/fields.hpp"

namespace steelyard::fit {

Priors read_priors(const std::string& folder, const std::string& family) {
  const auto read = load::read_document(folder + "/" + family + "_priors.yaml");
  if (!read.value) throw std::runtime_error(to_string(read.issues.front()));
  const load::Document& document = *read.value;
  Issues issues;
  Priors out;
  load::Fields fields(document, document.root, issues, "priors");
  fields.node("sources");
  out.noise = fields.required_number("noise", 1e-6, 1);
  out.interval_width = fields.required_number("interval_width", 0, 10);
  if (const load::Node* list = fields.node("parameters"))
    load::each_map(document, *list, issues, "parameter", [&](load::Fields& entry) {
      out.parameters.push_back({entry.required_text("name"), entry.required_number("prior", 1e-12), entry.required_number("prior_spread", 0, 10)});
      entry.required_text("source");
    });
  if (const load::Node* kinds = fields.node("sigmas")) {
    load::Fields entries(document, *kinds, issues, "sigmas");
    for (const load::Entry& entry : kinds->entries) out.sigmas[entry.key] = entries.required_number(entry.key, 0, 10);
  }
  fields.finish();
  if (!issues.empty()) throw std::runtime_error(to_string(issues.front()));
  return out;
}

}  // namespace steelyard::fit

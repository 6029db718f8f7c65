#include "rules/lint/allowance.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "rules/lint/codes.hpp"

namespace steelyard::rules {

bool Allowance::holds(const std::string& code) const { return std::find(codes.begin(), codes.end(), code) != codes.end(); }

Allowance read_allowance(load::Fields& fields) {
  Allowance allowance;
  const load::Node* node = fields.node("lint");
  if (!node) return allowance;
  load::Fields inner(fields.document(), *node, fields.issues(), "lint");
  allowance.where = inner.where();
  allowance.codes = inner.texts("allow");
  allowance.why = inner.text("why").value_or("");
  if (node->kind == load::Node::Kind::map && allowance.codes.empty()) inner.fault("allow", "allow: no code", "write allow: [code]");
  if (node->kind == load::Node::Kind::map && allowance.why.empty()) inner.fault("why", "why is missing", "say why the finding is meant to be");
  for (const std::string& code : allowance.codes) {
    if (severity_of(code)) continue;
    const auto near = nearest_words(code, lint_codes(), 1);
    inner.fault("allow", "allow: unknown code '" + code + "'", near.empty() ? "codes: " + join(lint_codes(), ", ") : "did you mean " + near[0] + "?");
  }
  inner.finish();
  return allowance;
}

}  // namespace steelyard::rules

// Two books side by side; what hangs on a fact.
#include <algorithm>
#include <steelyard/rule_tools.hpp>

#include "support/catch.hpp"

using namespace steelyard;

namespace {

const std::string policy = std::string(STEELYARD_SOURCE_DIR) + "/examples/procurement";

std::vector<std::string> changes(const RuleBookDiff& diff, const std::string& kind) {
  std::vector<std::string> ids;
  for (const RuleChange& change : diff.rules) {
    if (change.kind == kind) ids.push_back(change.rule);
  }
  return ids;
}

const RuleImpact::Affected* find(const RuleImpact& impact, const std::string& decision) {
  const auto found = std::find_if(impact.decisions.begin(), impact.decisions.end(), [&](const auto& entry) { return entry.decision == decision; });
  return found == impact.decisions.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("the rules that a policy adds and switches off") {
  const auto diff = diff_rule_books("reference", policy);
  REQUIRE(diff);
  CHECK(changes(*diff.value, "added") == std::vector<std::string>{"policy.ceiling", "policy.place", "policy.spot", "policy.vendor"});
  CHECK(changes(*diff.value, "removed") == std::vector<std::string>{"cost.verdict.too_dear"});
  CHECK(changes(*diff.value, "changed").empty());
  const auto same = diff_rule_books("reference", "reference");
  REQUIRE(same);
  CHECK(same.value->rules.empty());
  CHECK(!diff_rule_books("reference", "/nowhere"));
}

TEST_CASE("what depends on a fact: rules, decisions, steps") {
  const auto impact = rule_impact("reference", "price.usd_per_gpu_hour");
  REQUIRE(impact);
  const auto* verdict = find(*impact.value, "cost.verdict");
  REQUIRE(verdict);
  CHECK(verdict->direct);
  CHECK(std::find(verdict->rules.begin(), verdict->rules.end(), "cost.verdict.too_dear") != verdict->rules.end());
  CHECK(std::find(verdict->rules.begin(), verdict->rules.end(), "cost.verdict.deadline") == verdict->rules.end());
  CHECK(impact.value->steps == std::vector<std::string>{"cost"});
  const auto memory = rule_impact("reference", "memory.states_gib");
  REQUIRE(memory);
  const auto* task = find(*memory.value, "task.verdict");
  REQUIRE(task);
  CHECK(std::find(task->through.begin(), task->through.end(), "task.memory") != task->through.end());
  const auto unknown = rule_impact("reference", "price.usd_per_gpu_huor");
  REQUIRE(!unknown);
  CHECK(unknown.issues.back().fix == "did you mean price.usd_per_gpu_hour?");
}

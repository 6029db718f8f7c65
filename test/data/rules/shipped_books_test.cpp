// The shipped rule books: no faults, every test row holds, and the engine finds the decisions that it asks for.
#include <iostream>
#include <steelyard/rules.hpp>

#include "rules/rules.hpp"
#include "support/catch.hpp"

using namespace steelyard;

TEST_CASE("shipped books load and pass their test rows") {
  for (const char* name : {"reference", "field_guide"}) {
    // From the folder, not from the embedded trees: messages then quote the line.
    const auto book = rules::load_book(std::filesystem::path(STEELYARD_SOURCE_DIR) / "rules" / name);
    for (const Issue& issue : book.issues) {
      INFO(to_string(issue));
      CHECK(issue.severity != Severity::error);
    }
    REQUIRE(book);
    const rules::TestReport report = rules::run_tests(*book.value);
    for (const Issue& issue : report.issues) {
      INFO(to_string(issue));
      CHECK(false);
    }
    CHECK(report.failed == 0);
    CHECK(report.passed > 20);
  }
}

TEST_CASE("both books answer what the four steps ask") {
  for (const char* name : {"reference", "field_guide"}) {
    const rules::Book book = rules::embedded_book(name);
    for (const char* decision : {"task.type", "task.verdict", "network.csi", "network.tier", "network.verdict", "cost.peak_tflops",
                                 "cost.interconnect", "cost.memory", "cost.software", "cost.tflops", "cost.unit"}) {
      INFO(name << " " << decision);
      CHECK(book.decision(decision));
    }
  }
}

TEST_CASE("shipped books have no findings, and test rows reach every rule") {
  for (const char* name : {"reference", "field_guide"}) {
    const std::string folder = std::string(STEELYARD_SOURCE_DIR) + "/rules/" + name;
    const RuleBookLint lint = lint_rule_book(folder);
    REQUIRE(lint.sound);
    for (const RuleFinding& finding : lint.findings) {
      INFO(to_string(finding));
      CHECK(false);
    }
    CHECK(lint.given_up.empty());
    const RuleBookCover cover = cover_rule_book(folder);
    CHECK(cover.failed_rows == 0);
    for (const Uncovered& one : cover.uncovered) {
      INFO(to_string(one.where) << ": " << one.message);
      CHECK(one.kind != "rule");
    }
    CHECK(cover.rules.covered == cover.rules.total);
    std::cout << name << ": " << cover.rules.total << " rules reached; outcomes " << cover.outcomes.covered << " of " << cover.outcomes.total
              << ", ends of intervals " << cover.ends.covered << " of " << cover.ends.total << "\n";
  }
}

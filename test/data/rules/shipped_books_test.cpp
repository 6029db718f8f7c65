// The shipped rule books: no faults, every test row holds, and the engine finds the decisions that it asks for.
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
    for (const char* decision : {"task.type", "task.verdict", "network.csi", "network.tier", "network.verdict", "cost.peak_tflops", "cost.interconnect",
                                 "cost.memory", "cost.software", "cost.tflops", "cost.unit"}) {
      INFO(name << " " << decision);
      CHECK(book.decision(decision));
    }
  }
}

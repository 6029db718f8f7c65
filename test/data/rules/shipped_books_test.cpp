// The shipped books load without a fault, and their test rows hold.
#include "load/embedded.hpp"
#include "rules/rules.hpp"
#include "support/catch.hpp"

using namespace steelyard;

TEST_CASE("shipped books load and pass their test rows") {
  for (const char* name : {"reference", "field_guide"}) {
    const std::string prefix = std::string("rules/") + name + "/";
    std::vector<load::Document> documents;
    for (const auto file : load::embedded_names(prefix)) {
      documents.push_back(*load::read_document(std::string(STEELYARD_SOURCE_DIR) + "/" + std::string(file)).value);
    }
    if (documents.empty()) continue;
    const auto book = rules::load_book(name, documents);
    for (const Issue& issue : book.issues) {
      INFO(to_string(issue));
      CHECK(false);
    }
    REQUIRE(book);
    const auto report = rules::run_tests(*book.value);
    for (const Issue& issue : report.issues) {
      INFO(to_string(issue));
      CHECK(false);
    }
    CHECK(report.failed == 0);
  }
}

#include "evidence/dcgm_tests.hpp"

#include <map>

#include "core/text.hpp"
#include "load/embedded.hpp"
#include "load/fields.hpp"

namespace steelyard::evidence {

namespace {

std::map<std::string, std::string> read_tests() {
  const load::Document document = load::embedded_document("data/evidence/dcgm_tests.yaml");
  std::map<std::string, std::string> tests;
  Issues issues;
  load::each_map(document, *document.root.find("tests"), issues, "test", [&](load::Fields& fields) {
    tests.emplace(fields.required_text("name"), fields.word("looks_at", {"gpu", "software"}).value_or(""));
    fields.finish();
  });
  if (has_errors(issues)) throw LoadError(std::move(issues));
  return tests;
}

}  // namespace

std::string dcgm_test_looks_at(std::string_view name) {
  static const std::map<std::string, std::string> tests = read_tests();
  const auto found = tests.find(to_lower(name));
  return found == tests.end() ? std::string() : found->second;
}

}  // namespace steelyard::evidence

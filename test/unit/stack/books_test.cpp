// The rules of the step: their own test rows, and that every code of the contract has a rule and a remedy.
#include <set>

#include "rules/rules.hpp"
#include "support/catch.hpp"

using namespace steelyard;

namespace {

const char* const codes[] = {"DRIVER_TOO_OLD",      "DRIVER_OK_MINOR_COMPAT",
                             "NO_KERNEL_IMAGE",     "PTX_TOO_NEW",
                             "LIB_DRIVER_MISMATCH", "FWD_COMPAT_UNSUPPORTED",
                             "CONTAINER_REQUIRE",   "CONTAINER_TOOLKIT_TOO_OLD",
                             "WRONG_CUDA_VARIANT",  "FEATURE_CC_TOO_LOW",
                             "GLIBC_TOO_OLD",       "FABRIC_NOT_READY",
                             "FM_VERSION_MISMATCH", "FM_NOT_NEEDED",
                             "P2P_BROKEN",          "OPEN_MODULE_REQUIRED",
                             "NVML_MISMATCH",       "WSL2_DRIVER",
                             "DRIVER_BUG"};

}  // namespace

TEST_CASE("test rows of the stack rules") {
  for (const char* name : {"reference", "field_guide"}) {
    const rules::TestReport report = rules::run_tests(rules::embedded_book(name));
    for (const Issue& issue : report.issues) {
      if (issue.where.file.find("3_stack") == std::string::npos) continue;
      INFO(to_string(issue));
      CHECK(false);
    }
    CHECK(report.passed > 0);
  }
}

TEST_CASE("every code has a remedy, but for the one that needs none") {
  rules::Session session(rules::embedded_book("reference"));
  for (const std::string code : codes) {
    session.set("stack.code", Value(code));
    CAPTURE(code);
    const auto& outcome = session.decide("stack.remedy");
    const bool may_have = !outcome.hits.empty() || !outcome.unknown.empty();
    CHECK(may_have == (code != "DRIVER_OK_MINOR_COMPAT"));
  }
}

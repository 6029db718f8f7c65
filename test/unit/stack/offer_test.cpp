// Step 3 for offers: what a job states stays, what it leaves open is chosen so that it runs on the provider's driver.
#include <algorithm>
#include <steelyard/advisor.hpp>
#include <steelyard/stack.hpp>

#include "rules/rules.hpp"
#include "support/catch.hpp"

using namespace steelyard;

namespace {

const Advisor& advisor() {
  static const Advisor embedded = Advisor::embedded("reference");
  return embedded;
}

Workload job(const std::string& software) {
  return value_or_throw(
      parse_workload("task: lora\nmodel: Llama-3-8B\nmethod: lora\nsequence_length: 2048\n"
                     "batch: {micro: 1, global: 16}\nwork: {steps: 1000}\nsoftware: " +
                         software + "\n",
                     "job.yaml", advisor().catalog()));
}

Configuration box(const std::string& gpu, const std::string& driver) {
  return value_or_throw(
      parse_configuration("{gpu: " + gpu + ", gpus_per_node: 1, nodes: 1, os: linux, driver: \"" + driver + "\"}", "box.yaml", advisor().catalog()));
}

Estimate decided(const std::string& software, const std::string& gpu, const std::string& driver) {
  return advisor().estimate(job(software), box(gpu, driver));
}

bool warns(const Estimate& estimate, const std::string& code) {
  return std::any_of(estimate.warnings.begin(), estimate.warnings.end(), [&](const Reason& one) { return one.code == code; });
}

bool rejects(const Estimate& estimate, const std::string& code) {
  return std::any_of(estimate.reasons.begin(), estimate.reasons.end(), [&](const Reason& one) { return one.code == code; });
}

}  // namespace

TEST_CASE("a release without a named wheel takes one that runs on the offer's driver") {
  const Estimate usual = decided("{framework: pytorch, version: \"2.6.0\"}", "A100-SXM4-80GB", "560.35.03");
  REQUIRE(usual.software);
  CHECK(usual.software->change.empty());
  CHECK_FALSE(warns(usual, "software_chosen"));

  const Estimate old_driver = decided("{framework: pytorch, version: \"2.6.0\"}", "A100-SXM4-80GB", "470.82.01");
  REQUIRE(old_driver.software);
  CHECK(old_driver.software->cuda == "cu118");
  CHECK(old_driver.software->version == "2.6.0");
  CHECK_FALSE(old_driver.software->command.empty());
  CHECK(warns(old_driver, "software_chosen"));
  CHECK_FALSE(rejects(old_driver, "driver_too_old"));
}

// Branch 510 is on no list of host branches; 470 is on that of CUDA 12.6, so a compatibility package helps there.
TEST_CASE("what the job states is not changed behind its back") {
  const Estimate wheel = decided("{framework: pytorch, version: \"2.6.0\", cuda: cu126}", "A100-SXM4-80GB", "510.47.03");
  REQUIRE(wheel.software);
  CHECK(wheel.software->change.empty());
  CHECK(wheel.software->cuda == "cu126");
  CHECK(rejects(wheel, "driver_too_old"));
  CHECK(wheel.reasons.front().message.find("instead: ") != std::string::npos);

  const Estimate local_version = decided("{framework: pytorch, version: \"2.6.0+cu126\"}", "A100-SXM4-80GB", "510.47.03");
  CHECK(rejects(local_version, "driver_too_old"));

  const Estimate release = decided("{framework: pytorch, version: \"2.9.0\"}", "RTX3090", "470.82.01");
  CHECK_FALSE(release.reasons.empty());  // no wheel of 2.9 runs there, and another release is not what was asked for
}

TEST_CASE("a stated wheel stays, and gets the compatibility package where it accepts the driver") {
  const Estimate wheel = decided("{framework: pytorch, version: \"2.6.0\", cuda: cu126}", "A100-SXM4-80GB", "470.82.01");
  REQUIRE(wheel.software);
  CHECK(wheel.software->cuda == "cu126");
  CHECK(wheel.software->packages == std::vector<std::string>{"cuda-compat"});
  CHECK(warns(wheel, "software_chosen"));
  CHECK_FALSE(rejects(wheel, "driver_too_old"));
}

TEST_CASE("a framework without a release takes the newest that runs") {
  const Estimate any = decided("{framework: pytorch}", "V100-SXM2-32GB", "470.82.01");
  REQUIRE(any.software);
  CHECK((any.software->verdict == "ok" || any.software->verdict == "limited"));
  CHECK(any.software->cuda == "cu118");  // the last wheel for a driver of branch 470
  CHECK_FALSE(rejects(any, "driver_too_old"));
  CHECK_FALSE(rejects(any, "arch_unsupported"));
}

TEST_CASE("what runs on a machine: newest first, and only what the check of the single stack passes") {
  StackRequest host;
  host.gpu = "V100-SXM2-16GB";
  host.driver = "550.54.14";
  const RunnableStacks runnable = runnable_stacks(host, Catalog::embedded(), advisor().book());
  REQUIRE_FALSE(runnable.builds.empty());
  CHECK_FALSE(runnable.images.empty());
  for (const RunnableBuild& build : runnable.builds) {
    CHECK(build.cuda.rfind("13", 0) != 0);  // CUDA 13 has no code for Volta
    StackRequest single = host;
    single.framework = build.framework;
    single.framework_version = build.version + ".0";
    single.cuda = build.variant;
    CHECK(check_stack(single, Catalog::embedded(), advisor().book()).verdict == build.verdict);
  }
  host.driver = "418.39";
  CHECK(runnable_stacks(host, Catalog::embedded(), advisor().book()).builds.size() < runnable.builds.size());
}

// What step 3 answers for single stacks.
#include <algorithm>
#include <steelyard/stack.hpp>

#include "rules/rules.hpp"
#include "support/catch.hpp"

using namespace steelyard;

namespace {

const rules::Book& book(const char* name) {
  static const rules::Book reference = rules::embedded_book("reference"), guide = rules::embedded_book("field_guide");
  return std::string(name) == "reference" ? reference : guide;
}

StackReport check(const StackRequest& request, const char* rules = "reference") { return check_stack(request, Catalog::embedded(), book(rules)); }

StackRequest stack(const char* gpu, const char* driver, const char* cuda, const char* torch = "") {
  StackRequest request;
  request.gpu = gpu;
  request.driver = driver;
  request.cuda = cuda;
  request.os = "linux";
  if (*torch) request.framework = "PyTorch", request.framework_version = torch;
  return request;
}

StackRequest symptom(const char* text) {
  StackRequest request;
  request.symptom = text;
  return request;
}

bool has_code(const StackReport& report, const char* code) { return std::find(report.codes.begin(), report.codes.end(), code) != report.codes.end(); }

bool says(const StackReport& report, const char* part) { return to_text(report).find(part) != std::string::npos; }

}  // namespace

TEST_CASE("minor-version compatibility: the floor, the toolkit's own driver, and both sides of each") {
  CHECK(check(stack("A100-SXM4-80GB", "520.61.05", "12.4.0")).verdict == "fixable");
  CHECK(check(stack("A100-SXM4-80GB", "525.60.13", "12.4.0")).verdict == "limited");
  CHECK(check(stack("A100-SXM4-80GB", "545.23.08", "12.4.0")).verdict == "limited");
  CHECK(check(stack("A100-SXM4-80GB", "550.54.14", "12.4.0")).verdict == "ok");
  CHECK(check(stack("A100-SXM4-80GB", "440.33.01", "10.2.89")).verdict == "fixable");  // too old a toolkit for the board
  CHECK(check(stack("V100-SXM2-32GB", "440.33.01", "10.2.89")).verdict == "ok");
  CHECK(check(stack("V100-SXM2-32GB", "418.39", "10.2.89")).verdict == "fixable");  // no minor compatibility before CUDA 11
}

TEST_CASE("the smallest change leaves the driver alone where it can") {
  const StackReport report = check(stack("A100-SXM4-80GB", "535.129.03", "cu130", "2.9.0"));
  CHECK(report.verdict == "fixable");
  CHECK(report.codes.front() == "DRIVER_TOO_OLD");
  REQUIRE(report.fixes.size() >= 2);
  CHECK_FALSE(report.fixes.front().touches_driver);
  CHECK(report.fixes.front().change == "use the cu128 wheel of PyTorch 2.9");
  CHECK(report.fixes.front().verified);
  CHECK(std::any_of(report.fixes.begin(), report.fixes.end(), [](const StackFix& fix) { return fix.touches_driver; }));
}

TEST_CASE("two changes where one does not do") {
  const StackReport report = check(stack("RTX5090-32GB", "470.82.01", "11.4"));
  CHECK(report.verdict == "fixable");
  REQUIRE_FALSE(report.fixes.empty());
  CHECK(report.fixes.front().touches_driver);
  CHECK(report.fixes.front().change.find(", and ") != std::string::npos);
}

TEST_CASE("no machine code for the board") {
  const StackReport blackwell = check(stack("RTX5090-32GB", "570.86.16", "cu124", "2.6.0"));
  CHECK(blackwell.codes.front() == "NO_KERNEL_IMAGE");
  CHECK(blackwell.fixes.front().change.find("cu128") != std::string::npos);
  CHECK(has_code(check(stack("V100-SXM2-32GB", "580.95.05", "cu128", "2.11.0")), "NO_KERNEL_IMAGE"));
  CHECK(check(stack("V100-SXM2-32GB", "580.95.05", "cu128", "2.10.0")).verdict == "ok");
  CHECK(check(stack("RTX4090-24GB", "525.60.13", "11.8")).verdict == "ok");  // sm_89 from 11.8 on
}

TEST_CASE("the last driver branch of a board") {
  CHECK(check(stack("V100-SXM2-32GB", "580.95.05", "12.6.3")).verdict == "ok");
  const StackReport dropped = check(stack("V100-SXM2-32GB", "590.48.01", "12.6.3"));
  CHECK(dropped.verdict == "fixable");
  CHECK(says(dropped, "R580 is the last"));
}

TEST_CASE("wheels that don't exist, and what a plain install brings") {
  const StackReport report = check(stack("A100-SXM4-80GB", "550.54.14", "cu124", "2.3.0"));
  CHECK(report.verdict == "fixable");
  CHECK(report.codes.front() == "WRONG_CUDA_VARIANT");
  CHECK(says(report, "cu118, cu121"));
  CHECK(says(report, "can't exist"));  // the guide's set-up is named
  StackRequest plain = stack("A100-SXM4-80GB", "570.86.15", "", "2.11.0");
  CHECK(check(plain).codes.front() == "DRIVER_TOO_OLD");  // 2.11 brings cu130
}

TEST_CASE("forward compatibility: data-centre boards and listed branches only") {
  StackRequest image = stack("A100-SXM4-80GB", "470.57.02", "");
  image.image = "nvcr.io/nvidia/pytorch:24.05-py3";
  CHECK(check(image).verdict == "limited");
  image.gpu = "RTX3090-24GB";
  CHECK(has_code(check(image), "DRIVER_TOO_OLD"));
  image.gpu = "A100-SXM4-80GB";
  image.driver = "510.47.03";  // not on the list of that image
  CHECK(check(image).verdict == "fixable");
  image.image = "nvidia/cuda:13.2.0-base-ubuntu24.04";
  image.driver = "570.124.06";
  CHECK(check(image).verdict == "limited");
  image.driver = "575.51.03";
  CHECK(check(image).verdict == "fixable");
}

TEST_CASE("kernel module, fabric manager, C library, packages") {
  StackRequest module = stack("RTX5090-32GB", "570.86.16", "12.8");
  module.kernel_module = "proprietary";
  CHECK(check(module).codes.front() == "OPEN_MODULE_REQUIRED");
  CHECK(check(module).fixes.front().touches_driver);
  StackRequest fabric = stack("H100-SXM5-80GB", "550.107.02", "12.4");
  fabric.packages = {"nvidia-fabricmanager-550=550.90.07"};
  CHECK(check(fabric).codes.front() == "FM_VERSION_MISMATCH");
  fabric.packages = {"nvidia-fabricmanager-550=550.107.02"};
  CHECK(check(fabric).verdict == "ok");
  StackRequest old = stack("A100-SXM4-80GB", "550.54.14", "cu126", "2.7.0");
  old.os = "Ubuntu 18.04";
  CHECK(check(old).codes.front() == "GLIBC_TOO_OLD");
  old.os = "RHEL 8.6 (glibc 2.28)";
  CHECK_FALSE(has_code(check(old), "GLIBC_TOO_OLD"));
  StackRequest flash = stack("T4", "550.54.14", "12.4");
  flash.packages = {"flash-attn==2.7.0"};
  CHECK(check(flash).codes.front() == "FEATURE_CC_TOO_LOW");
}

TEST_CASE("packages whose plain install went over to CUDA 13") {
  StackRequest request = stack("L4", "550.54.15", "");
  request.framework = "onnxruntime-gpu";
  request.framework_version = "1.26.0";
  CHECK_FALSE(has_code(check(request), "DRIVER_TOO_OLD"));
  request.framework_version = "1.27.0";
  CHECK(check(request).codes.front() == "DRIVER_TOO_OLD");
}

TEST_CASE("the last updates of CUDA toolkits") {
  CHECK(check(stack("L4", "575.57.08", "12.9.2")).verdict == "ok");
  CHECK(check(stack("L4", "580.126.09", "13.0.3")).verdict == "limited");
  CHECK(check(stack("L4", "580.126.20", "13.0.3")).verdict == "ok");
}

TEST_CASE("other vendors never run CUDA") {
  CHECK(check(stack("MI300X-192GB", "", "12.4")).verdict == "impossible");
  CHECK(check(stack("Gaudi2-96GB", "", "12.4")).verdict == "impossible");
  CHECK(check(stack("Ascend910B-64GB", "", "11.8")).verdict == "impossible");
}

TEST_CASE("what is not said is asked, never guessed") {
  CHECK(check({}).verdict == "unknown");
  CHECK_FALSE(check({}).questions.empty());
  const StackReport driverless = check(stack("A100-SXM4-80GB", "", "12.4"));
  CHECK(driverless.verdict == "unknown");
  CHECK(driverless.questions.front().field == "driver");
  const StackReport nameless = check(stack("", "550.54.14", "12.4"));
  CHECK(nameless.verdict == "unknown");
  CHECK(nameless.questions.front().field == "gpu");
  CHECK(check(stack("", "515.65.01", "12.4")).verdict == "fixable");  // too old on any board
  CHECK(check(stack("A100", "550.54.14", "12.4")).verdict == "ok");   // all boards of that name agree
  CHECK(check(symptom("the loss is 2.3")).verdict == "unknown");
}

TEST_CASE("error texts: most likely code first, with a remedy") {
  const auto first = [](const char* text) {
    const StackReport report = check(symptom(text));
    CHECK(report.verdict == "fixable");
    CHECK_FALSE(report.fixes.empty());
    return report.codes.empty() ? std::string() : report.codes.front();
  };
  CHECK(first("RuntimeError: CUDA error: no kernel image is available for execution on the device") == "NO_KERNEL_IMAGE");
  CHECK(first("Error 803: system has unsupported display driver / cuda driver combination") == "LIB_DRIVER_MISMATCH");
  CHECK(first("Error 804: forward compatibility was attempted on non supported HW") == "FWD_COMPAT_UNSUPPORTED");
  CHECK(first("CUDA_ERROR_SYSTEM_NOT_READY: system not yet initialized") == "FABRIC_NOT_READY");
  CHECK(first("the provided PTX was compiled with an unsupported toolchain.") == "PTX_TOO_NEW");
  CHECK(first("nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.4") == "CONTAINER_REQUIRE");
  CHECK(first("docker: Error response from daemon: could not select device driver \"\" with capabilities: [[gpu]].") == "CONTAINER_TOOLKIT_TOO_OLD");
  CHECK(first("ImportError: libcudart.so.12: cannot open shared object file") == "WRONG_CUDA_VARIANT");
  CHECK(first("FlashAttention only supports Ampere GPUs or newer.") == "FEATURE_CC_TOO_LOW");
  CHECK(first("/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found") == "GLIBC_TOO_OLD");
  CHECK(first("Failed to initialize NVML: Driver/library version mismatch") == "NVML_MISMATCH");
  CHECK(first("CUDA driver version is insufficient for CUDA runtime version") == "DRIVER_TOO_OLD");
}

TEST_CASE("the guide's matrix comes out as printed, and disputed rows carry the fact") {
  const auto guide = [](const char* gpu, const char* driver, const char* cuda) { return check(stack(gpu, driver, cuda), "field_guide"); };
  CHECK(guide("RTX4090-24GB", "525.60.13", "12.1").verdict == "ok");
  CHECK(guide("RTX4090-24GB", "515.65.01", "12.1").codes.front() == "DRIVER_TOO_OLD");
  CHECK(guide("A100-SXM4-80GB", "510.47.03", "12.2").verdict == "ok");
  CHECK(says(guide("A100-SXM4-80GB", "510.47.03", "12.2"), "525.60.13"));
  CHECK(guide("A100-SXM4-80GB", "470.82.01", "12.2").verdict == "fixable");
  CHECK(guide("H100-SXM5-80GB", "535.54.03", "12.4").verdict == "ok");
  CHECK(guide("H100-SXM5-80GB", "530.30.02", "12.4").codes.front() == "DRIVER_TOO_OLD");
  CHECK(guide("H100-SXM5-80GB", "535.54.03", "11.8").verdict == "unknown");
}

TEST_CASE("reference names the fact that contradicts the guide") {
  CHECK(says(check(stack("A100-SXM4-80GB", "510.47.03", "12.2")), "525.60.13"));
  CHECK(check(stack("A100-SXM4-80GB", "510.47.03", "12.2")).verdict == "fixable");
  CHECK(says(check(stack("H100-SXM5-80GB", "530.30.02", "12.4")), "535.54.03 on the H100"));
  CHECK(check(stack("H100-SXM5-80GB", "530.30.02", "12.4")).verdict == "limited");
  CHECK(says(check(stack("RTX4090-24GB", "535.54.03", "11.8")), "lists only CUDA 12"));
}

TEST_CASE("batch answers: id kept, faults named") {
  const auto answer = [](const char* text) { return answer_stack(Catalog::embedded(), book("reference"), text, "batch:1"); };
  const Value good = answer(R"({"id": "a", "stack": {"gpu": "A100-SXM4-80GB", "driver": "550.54.14", "cuda": "12.4.0"}})");
  CHECK(good.find("id")->as_string() == "a");
  CHECK(good.find("verdict")->as_string() == "ok");
  const Value wrong = answer(R"({"id": "b", "stack": {"gppu": "A100"}})");
  CHECK(wrong.find("id")->as_string() == "b");
  REQUIRE(wrong.find("error"));
  CHECK(to_json(*wrong.find("error")).find("gpu") != std::string::npos);
  CHECK(answer("{").find("error"));
  CHECK(answer("[1, 2]").find("error"));
}

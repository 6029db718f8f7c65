#include <steelyard/call.hpp>
#include <steelyard/requests.hpp>

#include "support/catch.hpp"

using namespace steelyard;

namespace {

const std::string job =
    R"({"task": "lora", "method": "lora", "model": "meta-llama/Meta-Llama-3-8B", "sequence_length": 2048, "batch": {"micro": 1, "global": 64}})";
const std::string box = R"({"gpu": "A100-SXM4-80GB", "gpus_per_node": 8, "nodes": 1, "intra_node": "nvlink"})";

Value answer(const std::string& verb, const std::string& request) { return value_or_throw(parse_value(call(verb, request), "answer")); }

bool schema_is(const Value& value, const std::string& schema) { return value.find("schema") && value.find("schema")->as_string() == schema; }

std::string error_of(const std::string& verb, const std::string& request) {
  const Value value = answer(verb, request);
  const Value* message = value.at_path("error.message");
  return message ? message->as_string() : "";
}

}  // namespace

TEST_CASE("each verb answers in the form of the contract") {
  CHECK(schema_is(answer("recommend", R"({"today": "2026-11-30", "top": 2, "workload": )" + job + "}"), "steelyard.recommend/1"));
  CHECK(schema_is(answer("estimate", R"({"workload": )" + job + R"(, "configuration": )" + box + "}"), "steelyard.estimate/1"));
  CHECK(schema_is(answer("stack", R"({"stack": {"gpu": "RTX4090", "driver": "515.65.01", "cuda": "12.1"}})"), "steelyard.stack/1"));
  CHECK(answer("read", R"({"text": "hello"})").at_path("verdict.class")->as_string() == "no_verdict");
  CHECK(answer("diagnose", R"({"text": "all is well"})").find("causes"));
  CHECK(answer("verify", R"({"promise": )" + box + R"(, "files": {"a.txt": ""}})").find("result")->as_string() == "not_proven");
  CHECK(answer("acceptance", R"({"configuration": )" + box + "}").find("commands"));
  const Value ranked = answer("recommend", R"({"today": "2026-11-30", "workload": )" + job + "}");
  const std::string one = ranked.find("ranking")->as_list()[0].find("offer")->as_string(),
                    other = ranked.find("ranking")->as_list()[1].find("offer")->as_string();
  CHECK(schema_is(answer("explain", R"({"today": "2026-11-30", "offer": ")" + one + R"(", "workload": )" + job + "}"), "steelyard.explain/1"));
  CHECK(answer("compare", R"({"today": "2026-11-30", "offers": [")" + other + "\", \"" + one + R"("], "workload": )" + job + "}")
            .find("better")
            ->as_string() == one);
}

TEST_CASE("understand reads the files of a job, and launch starts the best offer for it") {
  const Value job_files =
      answer("understand", R"({"files": {"run.sh": "torchrun --nnodes 2 --nproc_per_node 8 train.py --per_device_train_batch_size 4 --bf16"}})");
  CHECK(schema_is(job_files, "steelyard.understand/1"));
  CHECK(job_files.at_path("run.nodes")->as_number() == 2);
  CHECK(error_of("understand", R"({"files": {}})").find("at least one text") != std::string::npos);
  CHECK(error_of("understand", R"({"files": {"a.txt": "hello"}})").find("a.txt") != std::string::npos);
  const Value kit = answer("launch", R"({"today": "2026-11-30", "workload": )" + job + "}");
  CHECK(schema_is(kit, "steelyard.launch/1"));
  CHECK_FALSE(kit.at_path("launch.files")->as_list().empty());
  CHECK(error_of("launch", R"({"today": "2026-11-30", "offer": "no/such/offer", "workload": )" + job + "}").find("no/such/offer") !=
        std::string::npos);
}

TEST_CASE("sentences come in the language asked for, codes and keys stay") {
  const std::string request = R"("workload": )" + job + R"(, "configuration": )" + box + "}";
  const Value english = answer("estimate", "{" + request), chinese = answer("estimate", R"({"lang": "zh", )" + request);
  const auto first = [](const Value& value, const char* key) { return *value.find("trace")->as_list()[0].find(key); };
  CHECK(first(english, "rule") == first(chinese, "rule"));
  CHECK_FALSE(first(english, "because") == first(chinese, "because"));
  CHECK(error_of("estimate", R"({"lang": "fr", )" + request).find("en, zh") != std::string::npos);
}

TEST_CASE("faults come back in words") {
  CHECK(error_of("recomend", "{}").find("recommend") != std::string::npos);
  CHECK(error_of("recommend", "{").size() > 0);
  CHECK(error_of("recommend", "[1]").find("object") != std::string::npos);
  CHECK(error_of("recommend", R"({"today": "2026-11-30"})").find("'workload' is missing") != std::string::npos);
  CHECK(error_of("recommend", R"({"workload": )" + job + "}").find("today") != std::string::npos);
  CHECK(error_of("estimate", R"({"colour": 1, "workload": )" + job + R"(, "configuration": )" + box + "}").find("'colour'") != std::string::npos);
  CHECK(error_of("verify", R"({"promise": )" + box + R"(, "files": [1]})").find("files") != std::string::npos);
  CHECK(error_of("stack", R"({"stack": {"gpuu": "x"}})").find("gpuu") != std::string::npos);
}

TEST_CASE("numbers out of range are faults, not other numbers") {
  for (const char* top : {"0", "-1", "1.5", "1e300", "\"3\"", "true"}) {
    CAPTURE(top);
    CHECK(error_of("recommend", R"({"today": "2026-11-30", "workload": )" + job + R"(, "top": )" + top + "}").find("top: expected") !=
          std::string::npos);
  }
}

TEST_CASE("price lists come in and are linted by their texts") {
  const std::string files =
      R"({"files": {"cloud.csv": "InstanceType,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region\na,A100-80GB,8,,10,,r\nb,H100,8,,0,,r\n"})";
  const Value offers = answer("import", files + "}");
  REQUIRE(offers.find("offers")->as_list().size() == 1);
  CHECK(offers.find("offers")->as_list()[0].find("offer")->as_string() == "cloud/r/a");
  CHECK(offers.find("issues")->as_list().size() == 1);
  CHECK(offers.find("issues")->as_list()[0].find("severity")->as_string() == "error");
  const Value findings = *answer("lint", files + R"(, "today": "2026-11-30"})").find("findings");
  REQUIRE(findings.as_list().size() == 1);
  CHECK(findings.as_list()[0].find("code")->as_string() == "price_zero");
  CHECK(error_of("import", R"({"files": {"x.csv": "a,b\n1,2\n"}})").find("no price list of a known format") != std::string::npos);
  CHECK(error_of("lint", files + "}").find("today") != std::string::npos);
}

TEST_CASE("every verb answers an empty request with an error or an answer, never with nothing") {
  for (const std::string& verb : call_verbs()) {
    INFO(verb);
    CHECK(call(verb, "{}").size() > 2);
  }
}

namespace {

// A board that multiplies at half of what its class does.
const std::string measured = R"({"schema": "steelyard.calibration/1", "machine": {"gpu": "NVIDIA A100-SXM4-80GB", "board": "A100-SXM4-80GB"},
  "coefficients": [{"name": "gemm.bf16", "value": 136, "unit": "tflops", "spread": 0.01, "samples": 20, "confidence": "high"}]})";

bool names_measured(const Value& estimate) {
  for (const Value& one : estimate.find("warnings")->as_list()) {
    if (one.find("code")->as_string() == "measured") return one.find("message")->as_string().find("gemm.bf16 measured at 136 tflops") == 0;
  }
  return false;
}

}  // namespace

TEST_CASE("a calibration counts wherever a request may name one") {
  const std::string parts = R"("workload": )" + job + R"(, "configuration": )" + box, also = R"(, "calibration": )" + measured + "}";
  const Value plain = answer("estimate", "{" + parts + "}"), found = answer("estimate", "{" + parts + also);
  CHECK(!names_measured(plain));
  CHECK(names_measured(found));
  CHECK(found.find("confidence")->as_string() == "calibrated");
  CHECK(found.find("step_time_s")->as_number() > 1.1 * plain.find("step_time_s")->as_number());
  CHECK(names_measured(answer("estimate", "{" + parts + R"(, "calibration": [)" + measured + "]}")));
  const std::string ask = R"({"today": "2026-11-30", "top": 100000, "workload": )" + job;
  const Value ranked = answer("recommend", ask + "}"), measured_ranked = answer("recommend", ask + also);
  std::string offer;
  for (const Value& one : measured_ranked.find("ranking")->as_list()) {
    const bool calibrated = one.find("confidence")->as_string() == "calibrated";
    CHECK(calibrated == (one.at_path("configuration.gpu")->as_string() == "A100-SXM4-80GB"));
    if (calibrated) offer = one.find("offer")->as_string();
  }
  REQUIRE(!offer.empty());
  CHECK(names_measured(answer("explain", ask.substr(0, ask.find(R"("top")")) + R"("offer": ")" + offer + R"(", "workload": )" + job + also)));
  const std::string best = ranked.find("ranking")->as_list()[0].find("offer")->as_string();
  const std::string pair = R"({"today": "2026-11-30", "offers": [")" + best + "\", \"" + offer + R"("], "workload": )" + job;
  CHECK(to_json(answer("compare", pair + "}")) != to_json(answer("compare", pair + also)));
}

TEST_CASE("a calibration that is none is refused with its name") {
  const std::string parts = R"({"workload": )" + job + R"(, "configuration": )" + box + R"(, "calibration": )";
  CHECK(error_of("estimate", parts + "7}").find("calibration") != std::string::npos);
  CHECK(error_of("estimate", parts + R"("/no/such/file.yaml"})").find("/no/such/file.yaml") != std::string::npos);
  CHECK(error_of("estimate", parts + R"({"schema": "steelyard.calibration/1", "coefficents": []}})").find("coefficents") != std::string::npos);
  CHECK(error_of("stack", R"({"stack": {}, "colour": 1})").find("colour") != std::string::npos);
}

TEST_CASE("calibrate checks what it is asked for before it measures") {
  CHECK(error_of("calibrate", R"({"today": "2026-11-30", "backend": "gpu"})").find("found 'gpu'") != std::string::npos);
  CHECK(error_of("calibrate", R"({"today": "2026-11-30", "budget_s": 0})").find("budget_s") != std::string::npos);
}

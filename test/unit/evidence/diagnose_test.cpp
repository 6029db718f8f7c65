// Texts as people paste them, each with the causes that are right (several where the text cannot tell them apart, none where it is healthy).
#include <set>
#include <steelyard/evidence.hpp>

#include "support/catch.hpp"
#include "support/samples.hpp"

using namespace steelyard;

namespace {

std::vector<std::string> ids(const Diagnosis& diagnosis) {
  std::vector<std::string> names;
  for (const Cause& cause : diagnosis.causes) names.push_back(cause.id);
  return names;
}

}  // namespace

TEST_CASE("pasted symptoms lead to their causes, the likeliest first") {
  const std::string file = std::string(STEELYARD_SOURCE_DIR) + "/test/samples/diagnose/cases.json";
  const Value cases = value_or_throw(parse_value(test::read_all(file), file));
  const Evidence evidence = Evidence::embedded();
  REQUIRE(cases.as_list().size() >= 70);
  for (const Value& one : cases.as_list()) {
    const std::string& text = one.find("text")->as_string();
    INFO(text);
    std::set<std::string> right;
    for (const Value& id : one.find("any")->as_list()) right.insert(id.as_string());
    const Diagnosis diagnosis = evidence.diagnose(text);
    if (right.empty()) {
      for (const Cause& cause : diagnosis.causes) CHECK(cause.score < 0.5);
      continue;
    }
    CAPTURE(ids(diagnosis));
    REQUIRE(!diagnosis.causes.empty());
    CHECK(right.count(diagnosis.causes.front().id) == 1);
  }
}

TEST_CASE("every cause says what it is, how to check it and what helps") {
  const Evidence evidence = Evidence::embedded();
  const std::string file = std::string(STEELYARD_SOURCE_DIR) + "/test/samples/diagnose/cases.json";
  const Value cases = value_or_throw(parse_value(test::read_all(file), file));
  for (const Value& one : cases.as_list()) {
    double last = 1;
    for (const Cause& cause : evidence.diagnose(one.find("text")->as_string()).causes) {
      INFO(cause.id);
      CHECK_FALSE(cause.cause.empty());
      CHECK_FALSE(cause.check.empty());
      CHECK_FALSE(cause.remedy.empty());
      CHECK_FALSE(cause.evidence.empty());
      CHECK_FALSE(cause.rule.empty());
      CHECK(cause.where.line > 0);
      CHECK(cause.score <= last);
      last = cause.score;
    }
  }
}

TEST_CASE("sound outputs give no cause") {
  const Evidence evidence = Evidence::embedded();
  for (const test::Sample& sample : test::own_samples()) {
    const PasteReading reading = evidence.read(sample.text);
    const bool sound = reading.verdict.verdict_class == "healthy" || (reading.verdict.verdict_class == "info" && sample.name.rfind("dmesg", 0) != 0);
    if (!sound) continue;
    INFO(sample.name);
    const Diagnosis diagnosis = evidence.diagnose(sample.text);
    CAPTURE(ids(diagnosis));
    for (const Cause& cause : diagnosis.causes) CHECK(cause.score < 0.5);
  }
}

TEST_CASE("a text without known symptom asks for what would show one") {
  const Diagnosis diagnosis = Evidence::embedded().diagnose("it is slow");
  CHECK(diagnosis.causes.empty());
  CHECK_FALSE(diagnosis.ask.empty());
}

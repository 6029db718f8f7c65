#include "load/embedded.hpp"
#include "load/fields.hpp"
#include "support/catch.hpp"

using namespace steelyard;

namespace {

std::string first_message(const std::string& text) {
  const auto document = load::parse_document(text, "x.yaml");
  return document.issues.empty() ? "" : to_string(document.issues.front());
}

}  // namespace

TEST_CASE("yaml and json give the same tree") {
  const auto yaml = load::parse_document("a: 1\nb: [x, \"2\", null]\nc: {d: true}\n", "x.yaml");
  const auto json = load::parse_document(R"({"a": 1, "b": ["x", "2", null], "c": {"d": true}})", "x.json");
  REQUIRE(yaml);
  REQUIRE(json);
  CHECK(to_json(load::to_value(yaml.value->root)) == R"({"a":1,"b":["x","2",null],"c":{"d":true}})");
  CHECK(load::to_value(yaml.value->root) == load::to_value(json.value->root));
}

TEST_CASE("places are those of the text") {
  const auto json = load::parse_json("{\"a\": 1,\n  \"b\": [true]}", "x.json");
  REQUIRE(json);
  const load::Node& list = *json.value->root.find("b");
  CHECK(list.line == 2);
  CHECK(list.column == 8);
  CHECK(json.value->root.entries[1].column == 3);
}

TEST_CASE("traps of YAML are refused with a place") {
  CHECK(first_message("a: 1\na: 2\n") == "x.yaml:2:1: key 'a' stands twice, first in line 1\n | a: 2\n | ^\nfix: keep one of them");
  CHECK(first_message("a: &x 1\n").find("anchors") != std::string::npos);
  CHECK(first_message("a: *x\n") != "");
  CHECK(first_message("<<: {a: 1}\n").find("merge keys") != std::string::npos);
  CHECK(first_message("a: 1\n---\nb: 2\n").find("second document") != std::string::npos);
  CHECK(first_message("a: \xff\n").find("x.yaml:1:4: not UTF-8") == 0);
  CHECK(first_message("a: [1\n").find("x.yaml:") == 0);
  CHECK(first_message(std::string(40, '[') + std::string(40, ']')).find("nested deeper than 32 levels") != std::string::npos);
}

TEST_CASE("packing keeps the tree") {
  const auto document = load::parse_document("a: [1, {b: \"x\"}]\nc: ~\n", "x.yaml");
  const load::Node again = load::unpack(load::pack(document.value->root));
  CHECK(load::to_value(again) == load::to_value(document.value->root));
  CHECK(again.entries[1].line == 2);
}

TEST_CASE("fields name what is wrong and how to fix it") {
  const auto document = load::parse_document("memory_gib: 80 GB\nnames: A100\nspeed: 010\nflagg: true\n", "b.yaml");
  Issues issues;
  load::Fields fields(*document.value, document.value->root, issues, "board");
  CHECK(!fields.number("memory_gib"));
  CHECK(fields.texts("names") == std::vector<std::string>{"A100"});
  CHECK(!fields.number("speed"));
  CHECK(!fields.flag("flag"));
  fields.finish();
  REQUIRE(issues.size() == 3);
  CHECK(to_string(issues[0]) ==
        "b.yaml:1:13: memory_gib: expected a number, found '80 GB'\n | memory_gib: 80 GB\n | ............^\nfix: write 80; the unit is part of the "
        "key");
  CHECK(issues[1].where.line == 3);
  CHECK(issues[2].fix == "did you mean flag?");
}

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

TEST_CASE("a fix proposes a number only where it is certain") {
  const auto fix = [](const std::string& written) {
    const auto document = load::parse_document("n: " + written + "\n", "x.yaml");
    REQUIRE(document);
    Issues issues;
    load::Fields fields(*document.value, document.value->root, issues, "x");
    CHECK(!fields.number("n"));
    REQUIRE(issues.size() == 1);
    return issues.front().fix;
  };
  CHECK(fix("2_048") == "write 2048, without separators");
  CHECK(fix("'1,234,567.5'") == "write 1234567.5, without separators");
  CHECK(fix("80 GB") == "write 80; the unit is part of the key");
  CHECK(fix("'2048'") == "write 2048 without quotes");
  CHECK(fix("4k") == "write the figure out, without 'k', such as 2048 or 1.5e9");
  for (const char* other : {"0x800", "1e999", "1,5", "2_04", "1.2.3", "12-13", "0o17"}) {
    CAPTURE(other);
    CHECK(fix(other).find("such as 80 or 1.5e9") != std::string::npos);
  }
}

TEST_CASE("many faults stay few words and little time") {
  std::string text;
  for (int key = 0; key < 50000; ++key) text += "key" + std::to_string(key) + ": 1\n";
  std::string json = "{";
  for (int key = 0; key < 50000; ++key) json += (key ? ",\"key" : "\"key") + std::to_string(key) + "\": 1";
  for (const std::string& one : {text, json + "}"}) {
    const auto document = load::parse_document(one, "x");
    REQUIRE(document);
    Issues issues;
    load::Fields fields(*document.value, document.value->root, issues, "job");
    fields.node("a");
    fields.node("a");
    fields.finish();
    REQUIRE(issues.size() == 21);
    CHECK(issues.front().fix == "known keys: a");
    CHECK(issues.back().message == "job: 50000 unknown keys in all; the first 20 are named");
  }
  const LoadError error(Issues(1000, Issue{Severity::error, {"x", 1, 1}, "bad", {}, {}}));
  CHECK(error.issues().size() == 1000);
  CHECK(std::string(error.what()).find("1000 faults in all; the first 100 are shown") != std::string::npos);
}

TEST_CASE("excerpts are those of their lines, in any order") {
  const load::Document document{"x", "one\ntwo\nthree\n", {}};
  for (const int line : {3, 1, 2, 2, 3, 9, 1}) {
    const std::string expected = line == 1 ? "one" : line == 2 ? "two" : line == 3 ? "three" : "";
    CHECK(document.issue({"x", line, 1}, "m").excerpt == expected);
  }
}

TEST_CASE("what looks like YAML and is something else is named at its place") {
  CHECK(first_message("a: 1\nb\uff1a 2\nc: 3\n").find("x.yaml:2:2: not valid YAML: found a full-width colon") == 0);
  CHECK(first_message("a: 1\nb:\u00a02\nc: 3\n").find("x.yaml:2:3: not valid YAML: found a no-break space") == 0);
  CHECK(first_message("a:\n\tb: 1\n").find("x.yaml:2:1: a tab in front of a key") == 0);
  CHECK(first_message("a: 1\rb: 2\r").find("x.yaml:1:5: lines end in a carriage return alone") == 0);
  CHECK(first_message("\xFF\xFE" + std::string("a\0:\0", 4)).find("x.yaml:1:1: expected UTF-8 text, found UTF-16 text") == 0);
  CHECK(first_message(std::string("a\0:\0 \0001\0\n\0", 10)).find("x.yaml:1:1: expected UTF-8 text, found UTF-16 text") == 0);
  CHECK(first_message("PK\x03\x04rest").find("found a zip archive") != std::string::npos);
}

TEST_CASE("nothing in a message moves the cursor or hides") {
  const Issue issue{Severity::error, {"a\x1b[2J.yaml", 1, 10}, "found '\u202ex'", "write y\u200b", "\xe4\xbd\xa0\xe5\xa5\xbd: \x07x"};
  CHECK(to_string(issue) == "a\\x1b[2J.yaml:1:10: found '\\u202ex'\n | \xe4\xbd\xa0\xe5\xa5\xbd: \\x07x\n | ..........^\nfix: write y\\u200b");
}

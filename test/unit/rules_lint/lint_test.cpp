#include "rules/lint/lint.hpp"

#include "support/catch.hpp"
#include "unit/rules/book_text.hpp"

using namespace steelyard;
using namespace steelyard::rules;

namespace {

const std::string facts =
    "facts:\n"
    "  - {name: x, type: number}\n"
    "  - {name: y, type: number}\n"
    "  - {name: memory, type: number, unit: GiB}\n"
    "  - {name: link, type: string, values: [nvlink, pcie, none]}\n"
    "  - {name: name, type: string}\n"
    "  - {name: flag, type: bool}\n"
    "  - {name: majors, type: list}\n";

// Rules as "when -> then"; ids r0, r1 ...
std::string table(const std::string& policy, const std::vector<std::pair<std::string, std::string>>& rules, const std::string& more = {}) {
  std::string text = facts + "decisions:\n  - id: d\n    hit_policy: " + policy + "\n    rules:\n";
  for (std::size_t at = 0; at < rules.size(); ++at) {
    text += "      - {id: r" + std::to_string(at) + ", when: " + (rules[at].first.starts_with('{') ? rules[at].first : '"' + rules[at].first + '"') +
            ", then: " + rules[at].second + ", because: '1'}\n";
  }
  return text + more;
}

LintReport report_of(const std::string& text) {
  const auto book = book_of(text);
  INFO(issues_of(book.issues));
  REQUIRE(book);
  return lint(*book.value);
}

// "code: rules" of every finding but those of unused facts, one a line.
std::string codes_of(const std::string& text) {
  std::string codes;
  for (const RuleFinding& finding : report_of(text).findings) {
    if (finding.code == "unused_fact") continue;
    codes += finding.code;
    for (const std::string& rule : finding.rules) codes += " " + rule;
    codes += "\n";
  }
  return codes;
}

RuleFinding only(const std::string& text) {
  std::vector<RuleFinding> found;
  for (const RuleFinding& finding : report_of(text).findings) {
    if (finding.code != "unused_fact") found.push_back(finding);
  }
  REQUIRE(found.size() == 1);
  return found[0];
}

}  // namespace

TEST_CASE("a gap comes with values that no rule takes") {
  const RuleFinding finding = only(table("first", {{"{x: '< 40', link: '\"nvlink\"'}", "1"}, {"{x: '>= 40'}", "2"}}));
  CHECK(finding.code == "gap");
  CHECK(finding.severity == "error");
  CHECK(finding.decision == "d");
  CHECK(finding.message == R"(decision d: no rule applies where x = 39, link = "pcie"; open: x < 40, link "pcie" or "none")");
  CHECK(to_json(finding.witness) == R"({"x":39,"link":"pcie"})");
  CHECK(finding.rules == std::vector<std::string>{"r0", "r1"});
  CHECK(codes_of(table("first", {{"x < 40", "1"}, {"true", "2"}})).empty());
  CHECK(codes_of(table("first", {{"x < 40", "1"}}, "    default: 3\n")).empty());
  CHECK(codes_of(table("collect", {{"x < 40", "1"}})).empty());  // nothing applies: an empty list
}

TEST_CASE("conditions as expressions are analysed like cells") {
  CHECK(codes_of(table("unique", {{"x < 40 && flag", "1"}, {"!(x < 40) || !flag", "2"}})).empty());
  CHECK(only(table("first", {{"link in ['nvlink', 'pcie']", "1"}, {"link == 'none' && x > 0", "2"}})).code == "gap");
  CHECK(codes_of(table("first", {{"flag ? x < 1 : x < 2", "1"}, {"flag ? x >= 1 : x >= 2", "2"}})).empty());
  CHECK(codes_of(table("first", {{"name == 'a'", "1"}, {"name != 'a'", "2"}})).empty());
  CHECK(only(table("first", {{"name == 'a'", "1"}, {"name == 'b'", "2"}})).witness == Value(Value::Map{{"name", "other"}}));
}

TEST_CASE("unknown and null belong to a column only where conditions ask for them") {
  CHECK(codes_of(table("first", {{"!has(x)", "1"}, {"x < 40", "2"}, {"x >= 40", "3"}})).empty());
  CHECK(codes_of(table("first", {{"has(x) && x < 40", "1"}, {"x >= 40", "2"}, {"has(x) && y > 0", "3"}}))
            .empty());  // the third is for null; x >= 40 may hold where x is not known
  CHECK(codes_of(table("first", {{"has(x)", "1"}, {"has(x) && y > 0", "3"}, {"!has(x) && y <= 0", "4"}})) == "gap r0 r1 r2\nshadowed r1 r0\n");
  const RuleFinding missing = only(table("unique", {{"has(x)", "1"}, {"!has(x) && y <= 0", "4"}}));
  CHECK(missing.code == "gap");
  CHECK(missing.message == "decision d: no rule applies where x not known, y = 1; open: x not known, y > 0");
  CHECK(to_json(missing.witness) == R"({"y":1})");
  CHECK(only(table("first", {{"x != null && x < 40", "1"}, {"x != null && x >= 40", "2"}})).witness == Value(Value::Map{{"x", Value()}}));
  CHECK(codes_of(table("first", {{"x == null", "0"}, {"x < 40", "1"}, {"x >= 40", "2"}})).empty());
}

TEST_CASE("two rules for one row") {
  CHECK(codes_of(table("unique", {{"{x: '< 40'}", "1"}, {"{x: '> 30'}", "2"}})) == "overlap r0 r1\n");
  CHECK(only(table("unique", {{"{x: '< 40'}", "1"}, {"{x: '> 30'}", "2"}})).witness.find("x")->as_number() == 35);
  CHECK(codes_of(table("any", {{"{x: '< 40'}", "1"}, {"{x: '> 30'}", "2"}})) == "overlap r0 r1\n");
  CHECK(codes_of(table("any", {{"{x: '< 40'}", "1"}, {"{x: '> 30'}", "1"}})).empty());
  CHECK(codes_of(table("first", {{"{x: '< 40'}", "1"}, {"{x: '> 30'}", "2"}})).empty());
}

TEST_CASE("ends that two rules share or leave out") {
  const RuleFinding left = only(table("first", {{"{x: '< 40'}", "1"}, {"{x: '> 40'}", "2"}}));
  CHECK(left.code == "off_by_one");
  CHECK(left.rules == std::vector<std::string>{"r0", "r1"});
  CHECK(left.witness.find("x")->as_number() == 40);
  CHECK(codes_of(table("unique", {{"{x: '<= 40'}", "1"}, {"{x: '>= 40'}", "2"}})) == "off_by_one r0 r1\n");
  CHECK(codes_of(table("first", {{"{x: '[0..40]'}", "1"}, {"{x: '[40..80]'}", "2"}, {"true", "3"}})) == "off_by_one r0 r1\n");
  CHECK(codes_of(table("collect", {{"{x: '< 40'}", "1"}, {"{x: '> 40'}", "2"}})) == "off_by_one r0 r1\n");
  CHECK(codes_of(table("collect", {{"{x: '<= 40'}", "1"}, {"{x: '>= 40'}", "2"}})) == "off_by_one r0 r1\n");
  CHECK(codes_of(table("first", {{"{x: '< 0'}", "1"}, {"{x: '> 0'}", "2"}, {"true", "3"}})).empty());  // the third is for 0
  CHECK(codes_of(table("collect", {{"{x: '< 40'}", "1"}, {"{x: '> 40'}", "2"}, {"{x: '40'}", "3"}})).empty());
  CHECK(only(table("first", {{"{memory: '< 40 GiB'}", "1"}, {"{memory: '> 40 GiB'}", "2"}})).message.find("leave out memory = 40 GiB") !=
        std::string::npos);
}

TEST_CASE("rules that never decide") {
  CHECK(codes_of(table("first", {{"x < 40", "1"}, {"x < 10", "2"}, {"true", "3"}})) == "shadowed r1 r0\n");
  CHECK(codes_of(table("first", {{"x < 40", "1"}, {"x >= 40", "2"}, {"x > 10 && x < 50", "3"}})) == "shadowed r2 r0 r1\n");
  CHECK(codes_of(table("first", {{"true", "1"}, {"x >= 40", "2"}})) == "shadowed r1 r0\n");
  CHECK(codes_of(table("first", {{"x < 40", "1"}, {"x >= 40", "2"}, {"true", "3"}})).empty());  // for null
  const std::string ranks = "    priorities: [3, 2, 1]\n";
  CHECK(codes_of(table("priority", {{"x < 10", "1"}, {"x < 40", "2"}, {"true", "1"}}, ranks)) == "shadowed r0 r1\n");
  CHECK(codes_of(table("priority", {{"x < 10", "3"}, {"x < 40", "2"}, {"true", "1"}}, ranks)).empty());
  CHECK(codes_of(table("first", {{"x < y", "1"}, {"x >= y", "2"}, {"y > x && flag", "3"}})) == "shadowed r2 r0\n");
  CHECK(codes_of(table("first", {{"name.contains('a')", "1"}, {"name.contains('a') && x > 2", "2"}, {"true", "3"}})) == "shadowed r1 r0\n");
}

TEST_CASE("large tables are analysed") {
  std::vector<std::pair<std::string, std::string>> steps;
  for (int rule = 0; rule < 300; ++rule)
    steps.emplace_back("{x: '< " + std::to_string(rule) + "', y: '> " + std::to_string(rule % 7) + "'}", std::to_string(rule));
  steps.emplace_back("{x: '< 150', y: '> 6'}", "-1");
  const LintReport report = report_of(table("first", steps, "    default: 0\n"));
  CHECK(report.given_up.empty());
  int shadowed = 0;
  for (const RuleFinding& finding : report.findings) shadowed += finding.code == "shadowed" ? 1 : 0;
  CHECK(shadowed == 1);  // x < 150, y > 6 lies in x < 299, y > 5
}

TEST_CASE("the same conditions twice") {
  CHECK(codes_of(table("first", {{"x < 40", "1"}, {"40 > x", "1"}, {"true", "3"}})) == "duplicate r0 r1\n");
  CHECK(codes_of(table("first", {{"x < 40 && flag", "1"}, {"flag && x < 40", "2"}, {"true", "3"}})) == "contradiction r0 r1\n");
  CHECK(codes_of(table("collect", {{"x < 40", "1"}, {"x < 40", "2"}})).empty());
  CHECK(codes_of(table("collect", {{"x < 40", "1"}, {"x < 40", "1"}})) == "duplicate r0 r1\n");
}

TEST_CASE("conditions that say nothing") {
  CHECK(codes_of(table("first", {{"x < 40 && x > 50", "1"}, {"true", "2"}})) == "always_false r0\n");
  CHECK(codes_of(table("collect", {{"x < 40 || x >= 30", "1"}})) == "always_true r0\n");
  CHECK(codes_of(table("collect", {{"{link: '\"nvlink\",\"pcie\",\"none\"'}", "1"}})) == "always_true r0\n");
  CHECK(codes_of(table("collect", {{"name.contains('a') || !name.contains('a')", "1"}})) == "always_true r0\n");
  CHECK(codes_of(table("first", {{"x < 40", "1"}, {"true", "2"}}, "    default: 3\n")) == "unreachable_default\n");
  CHECK(codes_of(table("first", {{"{x: '< 40'}", "1"}, {"{x: '>= 40'}", "2"}}, "    default: 3\n")).empty());  // null
}

TEST_CASE("conditions that are not analysed make no false findings") {
  const LintReport report =
      report_of(table("unique", {{"size(majors) > 0", "1"}, {"majors != null && size(majors) == 0", "2"}, {"name.contains('a') && x < 1", "3"}}));
  CHECK(report.partly == 3);
  for (const RuleFinding& finding : report.findings) CHECK(finding.code == "unused_fact");
  CHECK(codes_of(table("first", {{"x * y > 3", "1"}, {"x < 1", "2"}})).empty());  // x * y hangs on x
  CHECK(only(table("first", {{"x * y > 3", "1"}, {"x * y < 3", "2"}})).code == "off_by_one");
  CHECK(only(table("first", {{"x > y", "1"}, {"x < y", "2"}})).code == "off_by_one");
}

TEST_CASE("decisions with fixed outputs give no other values") {
  const std::string sizes =
      "  - {id: size, hit_policy: first, rules: [{id: a, when: flag, then: 1, because: '1'}, {id: b, when: true, then: 2, because: '1'}]}\n"
      "  - {id: use, hit_policy: unique, rules: [{id: c, when: size == 1, then: 1, because: '1'}, {id: e, when: size == 2, then: 2, because: "
      "'1'}]}\n";
  CHECK(codes_of(facts + "decisions:\n" + sizes).empty());
}

TEST_CASE("units are asked for where a quantity is compared") {
  const RuleFinding cell = only(table("collect", {{"{memory: '[40..80 GiB)'}", "1"}}));
  CHECK(cell.code == "missing_unit");
  CHECK(cell.message == "rule r0: when memory: 40 has no unit, memory is in GiB");
  CHECK(cell.fix == "write 40 GiB");
  CHECK(to_string(cell.where) == "rules/test/2_network/x.yaml:13:35");
  CHECK(codes_of(table("collect", {{"memory > 40", "1"}})) == "missing_unit r0\n");
  CHECK(codes_of(table("collect", {{"memory > 40 GiB && memory != 0 && x > 40", "1"}})).empty());
}

TEST_CASE("what nothing reads") {
  const std::string head = "answers: [d]\nfacts:\n  - {name: x, type: number}\n  - {name: spare, type: number}\ndecisions:\n";
  const std::string d =
      "  - {id: d, hit_policy: first, inputs: {a: x, b: x}, rules: [{id: r, when: 'a > 1', then: '= e.one', because: '1'}, {id: s, when: true, then: "
      "2, because: '1'}]}\n";
  const std::string e = "  - {id: e, hit_policy: first, rules: [{id: t, when: true, then: {one: 1, two: 2}, because: '1'}]}\n";
  const std::string f = "  - {id: f, value: g, because: '1 {f}'}\n  - {id: g, value: x + 1, because: '1'}\n";
  std::string found;
  for (const RuleFinding& finding : report_of(head + d + e + f).findings) found += finding.message + "\n";
  CHECK(found ==
        "fact spare: no decision uses it\n"
        "decision d: no rule uses the input b\n"
        "decision e: nothing reads its output two\n"
        "decision f: no decision needs it, and it is none of the book's answers\n"
        "decision g: only rules that never apply and decisions that nobody asks for need it\n");
  const std::string dead =
      "  - {id: h, hit_policy: first, rules: [{id: u, when: true, then: 1, because: '1'}, {id: v, when: 'g > 3', then: 2, because: '1'}]}\n";
  const std::string g = "  - {id: g, value: x + 1, because: '1'}\n";
  CHECK(codes_of("facts:\n  - {name: x, type: number}\ndecisions:\n" + dead + g) == "shadowed v u\nunreachable_decision\n");
}

TEST_CASE("a finding that is meant to be is allowed with a reason") {
  const std::string allow = "    lint: {allow: [gap], why: 'asked for x below 40 only'}\n";
  const LintReport report = report_of(table("first", {{"x < 40", "1"}}, allow));
  CHECK(report.allowed == 1);
  CHECK(codes_of(table("first", {{"x < 40", "1"}}, allow)).empty());
  CHECK(codes_of(table("first", {{"x < 40", "1"}, {"true", "2"}}, allow)) == "unused_allowance\n");
  const std::string rule =
      "      - {id: r1, when: x < 10, then: 2, because: '1', lint: {allow: [shadowed], why: kept for a later version}}\n      - {id: r2, when: true, "
      "then: 3, because: '1'}\n";
  CHECK(codes_of(table("first", {{"x < 40", "1"}}, rule)).empty());
  CHECK(first_issue(table("first", {{"true", "1"}}, "    lint: {allow: [gab], why: a}\n")).find("allow: unknown code 'gab'") != std::string::npos);
  CHECK(first_issue(table("first", {{"true", "1"}}, "    lint: {allow: [gap]}\n")).find("why is missing") != std::string::npos);
  CHECK(first_issue("answers: [e]\n" + table("first", {{"true", "1"}})).find("answers: no decision 'e'") != std::string::npos);
}

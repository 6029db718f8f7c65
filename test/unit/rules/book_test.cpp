#include "book_text.hpp"
#include "rules/session_pool.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::rules;

namespace {

const char* const network = R"yaml(
facts:
  - {name: model.params_b, type: number}
  - {name: plan.tensor, type: number}
  - {name: configuration.intra_node, type: string, values: [nvlink, nvlink_pairs, pcie, none]}
  - {name: configuration.inter_node.gbit_per_s_per_node, type: number, unit: Gbit/s}
decisions:
  - id: network.tier
    about: which link the job needs
    inputs: {csi: network.csi, link: configuration.intra_node}
    hit_policy: first
    rules:
      - {id: network.tier.pcie, when: csi < 500, then: {tier: pcie, need: 0}, because: "csi {csi} < 500: PCIe carries the exchange"}
      - {id: network.tier.nvlink, when: {csi: "[500..5000)", link: '"nvlink","nvlink_pairs"'}, then: {tier: nvlink, need: "= csi * 2"}, because: "csi {csi:2} on {link}"}
      - {id: network.tier.both, when: true, then: {tier: both, need: 100}, because: "csi {csi} >= 5000"}
    tests:
      - {input: {csi: 499}, output: {tier: pcie, need: 0}}
      - {input: {csi: 500, link: nvlink}, output: {tier: nvlink, need: 1000}}
      - {input: {csi: 4999, link: pcie}, rule: network.tier.both}
      - {input: {csi: 700}, unknown: [configuration.intra_node]}
  - id: network.csi
    value: model.params_b * plan.tensor
    because: "{model.params_b} x {plan.tensor} = {network.csi}"
    tests:
      - {input: {model.params_b: 70, plan: {tensor: 8}}, output: 560}
  - id: network.verdict
    hit_policy: first
    rules:
      - {id: network.verdict.slow, when: network.tier.need > configuration.inter_node.gbit_per_s_per_node, then: reject, because: "needs {network.tier.need} Gbit/s"}
      - {id: network.verdict.ok, when: true, then: accept, because: "needs {network.tier.need}"}
)yaml";

Value facts(double params, const char* link, double rate) {
  Value value;
  value.set_path("model.params_b", params);
  value.set_path("plan.tensor", 8);
  value.set_path("configuration.intra_node", link);
  value.set_path("configuration.inter_node.gbit_per_s_per_node", rate);
  return value;
}

}  // namespace

TEST_CASE("a book decides, with sentences and places") {
  const auto book = book_of(network);
  INFO(issues_of(book.issues));
  REQUIRE(book);
  CHECK(book.value->decision_names() == std::vector<std::string>{"network.csi", "network.tier", "network.verdict"});
  Session session(*book.value, facts(70, "nvlink", 1600));
  const Outcome& tier = session.decide("network.tier");
  CHECK(tier.status == Status::decided);
  CHECK(to_json(tier.output) == R"({"tier":"nvlink","need":1120})");
  REQUIRE(tier.hits.size() == 1);
  CHECK(tier.hits[0].rule == "network.tier.nvlink");
  CHECK(tier.hits[0].because == "csi 560 on nvlink");
  CHECK(to_string(tier.hits[0].where) == "rules/test/2_network/x.yaml:14:9");
  CHECK(to_json(tier.hits[0].inputs) == R"({"csi":560,"link":"nvlink"})");
  CHECK(tier.step == "network");
  CHECK(session.decide("network.verdict").output == Value("accept"));
  REQUIRE(session.set("configuration.inter_node.gbit_per_s_per_node", 1000));
  CHECK(session.decide("network.verdict").output == Value("reject"));
  CHECK(session.decide("network.verdict").hits[0].because == "needs 1120 Gbit/s");
}

TEST_CASE("what is missing is named only where it would decide") {
  const auto book = book_of(network);
  REQUIRE(book);
  Value some;
  some.set_path("model.params_b", 10);
  some.set_path("plan.tensor", 8);
  Session session(*book.value, some);
  CHECK(session.decide("network.tier").status == Status::decided);  // csi 80: the link does not matter
  some.set_path("plan.tensor", 64);
  session.reset(some);
  CHECK(session.decide("network.tier").status == Status::undetermined);
  CHECK(session.decide("network.tier").unknown == std::vector<std::string>{"configuration.intra_node"});
  CHECK(session.decide("network.verdict").unknown ==
        std::vector<std::string>{"configuration.intra_node", "configuration.inter_node.gbit_per_s_per_node"});
}

TEST_CASE("facts come in groups: shared ones, own ones, and ones that are added later") {
  const auto book = book_of(network);
  REQUIRE(book);
  Value common, own, link;
  common.set_path("model.params_b", 70);
  common.set_path("plan.tensor", 2);
  own.set_path("plan.tensor", 8);
  link.set_path("intra_node", "nvlink");
  Session session(*book.value);
  session.reset(own, std::make_shared<const Value>(common));
  CHECK(session.decide("network.csi").output.as_number() == 560);  // its own fact hides the shared one
  CHECK(session.decide("network.tier").unknown == std::vector<std::string>{"configuration.intra_node"});
  session.add("configuration", link);
  CHECK(session.decide("network.tier").status == Status::decided);
  CHECK(session.decide("network.csi").output.as_number() == 560);
  link.set_path("intra_node", "pcie");
  session.add("configuration", link);  // instead of the group before
  CHECK(session.decide("network.tier").hits[0].rule == "network.tier.both");
  session.reset(own);
  CHECK(session.decide("network.csi").unknown == std::vector<std::string>{"model.params_b"});
}

TEST_CASE("a session that starts over with the same shared facts knows them, and no others") {
  const auto book = book_of(network);
  REQUIRE(book);
  const auto shared = [](double params) {
    Value common;
    common.set_path("model.params_b", params);
    common.set_path("plan.tensor", 2);
    return std::make_shared<const Value>(common);
  };
  Value other, own;
  other.set_path("configuration.intra_node", "pcie");
  own.set_path("plan.tensor", 8);
  const auto seventy = shared(70);
  const auto csi = [](Session& session) { return session.decide("network.csi").output; };
  SessionPool pool(*book.value);
  for (int round = 0; round < 2; ++round) {  // the second time with a session that has been used
    const auto session = pool.lend();
    session->reset(other, seventy);
    CHECK(csi(*session).as_number() == 140);
    session->reset(other, seventy);
    CHECK(csi(*session).as_number() == 140);
    session->reset(own, seventy);
    CHECK(csi(*session).as_number() == 560);
    session->reset(other, shared(7));
    CHECK(csi(*session).as_number() == 14);
    session->reset(other);
    CHECK(csi(*session).is_null());
  }
  const auto one = pool.lend(), two = pool.lend();
  CHECK(one.get() != two.get());
}

TEST_CASE("a brief outcome says what applies; the full one can still be had") {
  const auto book = book_of(network);
  REQUIRE(book);
  Session session(*book.value, facts(1000, "pcie", 1600));
  const DecisionId tier = *book.value->decision("network.tier");
  const Outcome brief = session.decide_briefly(tier);
  CHECK(brief.near.empty());
  CHECK(brief.inputs.is_null());
  const Outcome full = session.decide(tier);
  CHECK(full.near.size() == 2);
  CHECK(session.decide_briefly(tier).near.size() == 2);
  CHECK(brief.status == full.status);
  CHECK(brief.output == full.output);
  REQUIRE(brief.hits.size() == full.hits.size());
  CHECK(brief.hits[0].rule == full.hits[0].rule);
  CHECK(brief.hits[0].because == full.hits[0].because);
  REQUIRE(session.set("configuration.intra_node", "nvlink"));
  CHECK(session.decide_briefly(tier).near.empty());
}

TEST_CASE("results by id need no outcome") {
  const auto book = book_of(network);
  REQUIRE(book);
  Session session(*book.value, facts(70, "nvlink", 1600));
  const DecisionId tier = *book.value->decision("network.tier");
  CHECK(session.text(tier, "tier") == "nvlink");
  CHECK(session.number(tier, "need") == 1120);
  CHECK(session.hit(tier) == 1);
  session.set(*book.value->fact("configuration.intra_node"), std::string_view("pcie"));
  CHECK(session.text(tier, "tier") == "both");
  session.set_unknown(*book.value->fact("model.params_b"));
  CHECK(session.status(tier) == Status::undetermined);
  CHECK(!session.text(tier, "tier"));
}

TEST_CASE("the test rows of a book run") {
  const auto book = book_of(network);
  REQUIRE(book);
  const TestReport report = run_tests(*book.value);
  INFO(issues_of(report.issues));
  CHECK(report.passed == 5);
  CHECK(report.failed == 0);
}

TEST_CASE("near misses say what failed and by how much") {
  const auto book = book_of(network);
  REQUIRE(book);
  Session session(*book.value, facts(1000, "pcie", 1600));
  const Outcome& tier = session.decide("network.tier");
  CHECK(tier.output.find("tier")->as_string() == "both");
  REQUIRE(tier.near.size() == 2);
  CHECK(tier.near[1].rule == "network.tier.nvlink");
  CHECK(tier.near[1].failed[0].gap == 3000);
  CHECK(tier.near[1].failed[1].actual == Value("pcie"));
}

TEST_CASE("faults come with place, rule and the nearest name") {
  const std::string head = "facts:\n  - {name: configuration.nodes, type: number}\n  - {name: link, type: string, values: [nvlink, pcie]}\n";
  CHECK(first_issue(head + "id: a\nvalue: configuration.node * 2\nbecause: '{a}'\n") ==
        "rules/test/2_network/x.yaml:5:8: decision a: value: unknown name 'configuration.node'\n | value: configuration.node * 2\n | .......^\nfix: "
        "did you mean configuration.nodes?");
  const std::string table = head + "id: a\nhit_policy: first\nrules:\n  - {id: r, then: 1, because: '1', when: ";
  CHECK(first_issue(table + "link == \"nvlnk\"}\n").find("x.yaml:7:50: rule r: when: 'nvlnk' is none of the values of link") != std::string::npos);
  CHECK(first_issue(table + "configuration.nodes > \"x\"}\n").find("no order between a number and a string") != std::string::npos);
  CHECK(first_issue(table + "configuration.nodes >}\n").find("rule r: when: expected a value, found the end") != std::string::npos);
  CHECK(first_issue(table + "{link: '\"nvlink\"', nodes: 1}}\n").find("unknown name 'nodes'") != std::string::npos);
  CHECK(first_issue("decisions:\n  - {id: a, value: b + 1, because: '1'}\n  - {id: b, value: a + 1, because: '1'}\n")
            .find("decisions need each other: a -> b -> a") != std::string::npos);
}

// Outputs of many tools and versions, written after their formats: facts, completeness, class and the line that shows it.
#include "support/samples.hpp"

#include <cmath>
#include <steelyard/evidence.hpp>

#include "support/catch.hpp"

using namespace steelyard;

namespace {

bool same(const Value& one, const Value& other) {
  if (one.is_number() && other.is_number()) return std::abs(one.as_number() - other.as_number()) <= 1e-9 * std::abs(one.as_number());
  if (one.is_map()) {
    return std::all_of(one.as_map().begin(), one.as_map().end(),
                       [&](const auto& entry) { return other.find(entry.first) && same(entry.second, *other.find(entry.first)); });
  }
  if (!one.is_list() || !other.is_list()) return one == other;
  return std::equal(one.as_list().begin(), one.as_list().end(), other.as_list().begin(), other.as_list().end(), same);
}

std::string text_or_empty(const Value* value) { return value && value->is_string() ? value->as_string() : ""; }

void compare(const Value& expected, const ToolRecord& record) {
  INFO(record.tool << " " << record.subject);
  CHECK(record.tool == expected.find("tool")->as_string());
  CHECK(record.tool_version == text_or_empty(expected.find("tool_version")));
  CHECK(record.subject == text_or_empty(expected.find("subject")));
  CHECK(record.complete == expected.find("complete")->as_bool());
  for (const auto& [key, value] : expected.find("facts")->as_map()) {
    INFO(key << " expected " << to_json(value));
    const Value* came = record.facts.find(key);
    CHECK((came && same(value, *came)));
  }
}

}  // namespace

TEST_CASE("samples of many tools give their facts, class and line") {
  const std::string file = (test::own_samples_folder() / "expected.json").string();
  const Value expected = value_or_throw(parse_value(test::read_all(file), file));
  const Evidence evidence = Evidence::embedded();
  REQUIRE(expected.as_list().size() >= 100);
  CHECK(expected.as_list().size() == test::own_samples().size());
  for (const Value& sample : expected.as_list()) {
    INFO(sample.find("file")->as_string());
    const PasteReading reading = evidence.read(test::read_all(test::own_samples_folder() / sample.find("file")->as_string()));
    CHECK(reading.verdict.verdict_class == sample.find("class")->as_string());
    const Value* line = sample.find("line");
    CHECK(reading.verdict.line == (line->is_null() ? 0 : line->as_int()));
    CHECK((reading.verdict.verdict_class != "no_verdict" || !reading.verdict.ask.empty()));
    const Value::List& records = sample.find("records")->as_list();
    CHECK(reading.records.size() == records.size());
    for (std::size_t at = 0; at < std::min(records.size(), reading.records.size()); ++at) compare(records[at], reading.records[at]);
  }
}

TEST_CASE("the quoted line holds no identities") {
  const PasteReading reading =
      Evidence::embedded().read("n-17:12:12 [0] NCCL INFO NET/Socket : Using [0]eth0:10.1.2.3<0>\nn-17:12:12 [0] NCCL INFO Using network Socket\n");
  CHECK(reading.verdict.verdict_class == "not_rdma");
  CHECK(reading.verdict.line == 1);
  CHECK(reading.verdict.quote == "<host>:12:12 [0] NCCL INFO NET/Socket : Using [0]eth0:<address><0>");
}

TEST_CASE("a PCIe card is known by any of its names, not by a number that looks like one") {
  const char* const complaint =
      "+-----  Integration  -------+------------------------------------------------+\n"
      "| PCIe                      | Fail - All                                     |\n"
      "| Warning                   | GPU 0's NvLink link 0 is currently down        |\n"
      "+---------------------------+------------------------------------------------+\n";
  const Evidence evidence = Evidence::embedded();
  for (const char* card :
       {"4x NVIDIA A100-PCIE-40GB\n", "NVIDIA H100 PCIe\n", "8 x L40S\n", "A100 80GB PCIe, no bridge\n", "NVIDIA GeForce RTX 4090\n"}) {
    CHECK(evidence.read(card + std::string(complaint)).verdict.verdict_class == "false_alarm");
  }
  for (const char* other : {"8x A100-SXM4-40GB\n", "pid 4090, A100\n", ""})
    CHECK(evidence.read(other + std::string(complaint)).verdict.verdict_class == "degraded");
}
TEST_CASE("copies of a card without a published figure are held against its PCIe link") {
  const Evidence evidence = Evidence::embedded();
  const auto class_of = [&](const std::string& card, const std::string& test, const std::string& arrow, const std::string& row) {
    const std::string head =
        "nvbandwidth Version: v0.8\nBuilt from Git version: v0.8\n\nCUDA Runtime Version: 13000\nCUDA Driver Version: 13000\nDriver Version: "
        "580.95.05\n\n";
    const std::string devices = "Device 0: NVIDIA " + card + " (00000000:01:00)\nDevice 1: NVIDIA " + card + " (00000000:25:00)\n\n";
    const std::string table = "Running " + test + ".\nmemcpy CE " + arrow + " bandwidth (GB/s)\n           0         1\n" + row + "\n";
    return evidence.read(head + devices + table + "SUM " + test + " 50.00\n").verdict.verdict_class;
  };
  const auto host = [&](const std::string& card, const std::string& row) {
    return class_of(card, "host_to_device_memcpy_ce", "CPU(row) -> GPU(column)", row);
  };
  CHECK(host("GeForce RTX 4090", " 0     25.00     25.00") == "healthy");
  CHECK(host("GeForce RTX 4090", " 0      6.20      6.20") == "degraded");
  CHECK(host("A16", " 0      6.42      6.42") == "healthy");  // four GPUs share the lanes of the card
  CHECK(host("L40S", " 0     13.20     13.20") == "info");    // half a link, or a virtual machine
  CHECK(host("RTX PRO 6000 Blackwell Server Edition", " 0     13.20     13.20") == "degraded");
  const auto peers = [&](const std::string& card, const std::string& rate) {
    return class_of(card, "device_to_device_memcpy_read_ce", "GPU(row) -> GPU(column)",
                    " 0       N/A     " + rate + "\n 1     " + rate + "       N/A");
  };
  CHECK(peers("RTX A6000", "25.00") == "pcie_only");
  CHECK(peers("RTX A6000", " 3.05") == "degraded");
  CHECK(peers("RTX A6000", "50.00") == "healthy");  // a bridge
}

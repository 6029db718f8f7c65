// The canonical text of rule files.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <steelyard/rule_tools.hpp>

#include "load/node.hpp"
#include "support/catch.hpp"

using namespace steelyard;
namespace fs = std::filesystem;

namespace {

std::string formatted(const std::string& text) {
  const auto result = format_rule_file(text, "x.yaml");
  return result ? *result.value : to_string(result.issues.front());
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("keys get their order, quotes and lines their form, comments stay") {
  CHECK(formatted("# network\n\ndecisions:\n- hit_policy: first   # the first one counts\n"
                  "  id: network.tier\n"
                  "  rules:\n"
                  "  # the small ones\n"
                  "  - because: \"csi {csi} < 500\"\n"
                  "    id: network.tier.pcie\n"
                  "    then:   pcie\n"
                  "    when: 'csi < 500'\n"
                  "  - {id: network.tier.both, when: true, then: {tier: both,need: 1}, because: 'csi {csi}, \"large\"'} # the rest\n"
                  "  inputs: {csi:   network.csi}\n"
                  "# the end\n") ==
        "# network\n\ndecisions:\n  - id: network.tier\n    inputs: {csi: network.csi}\n    hit_policy: first  # the first one counts\n"
        "    rules:\n"
        "      # the small ones\n"
        "      - {id: network.tier.pcie, when: \"csi < 500\", then: pcie, because: \"csi {csi} < 500\"}\n"
        "      - {id: network.tier.both, when: true, then: {tier: both, need: 1}, because: 'csi {csi}, \"large\"'}  # the rest\n"
        "# the end\n");
}

TEST_CASE("long texts are folded, long rules get a line a key") {
  std::string condition = "a > 1";
  while (condition.size() < 200) condition += " && a > 1";
  const std::string text = formatted("id: d\nhit_policy: first\nrules:\n  - {id: r, when: " + condition + ", then: 1, because: \"1\"}\n");
  CHECK(text.find("    when: >-\n") != std::string::npos);
  CHECK(formatted(text) == text);
}

TEST_CASE("shipped books, examples and broken-but-readable files keep their meaning and are stable") {
  int files = 0;
  for (const char* folder : {"rules", "examples/procurement", "data/schema/facts", "test/golden/rules_broken"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(STEELYARD_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      const auto once = format_rule_file(read(entry.path()), entry.path().filename().string());
      if (!once) {
        INFO(entry.path() << "\n" << to_string(once.issues.front()));
        CHECK(once.issues.front().message.find("can't be formatted") == std::string::npos);
        continue;
      }
      ++files;
      const auto twice = format_rule_file(*once.value, "x.yaml");
      INFO(entry.path());
      REQUIRE(twice);
      CHECK(*once.value == *twice.value);
    }
  }
  CHECK(files > 100);
}

#include "evidence/read/paste.hpp"

#include "evidence/read/lenient_json.hpp"
#include "evidence/read/scan.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::evidence;

namespace {

std::string only(std::string_view text) {
  const Paste paste = clean(text);
  return paste.lines.empty() ? "" : paste.lines.front().text;
}

}  // namespace

TEST_CASE("prefixes of launchers, mail and terminals are taken off") {
  CHECK(only("0: # size") == "# size");
  CHECK(only("  12:   1048576 float") == "  1048576 float");
  CHECK(only("[1,0]<stdout>:# Avg bus bandwidth : 5") == "# Avg bus bandwidth : 5");
  CHECK(only("   [1,13]<stderr>:x") == "x");
  CHECK(only("> >  Mtu : 4096[B]") == " Mtu : 4096[B]");
  CHECK(only("2026-02-03T10:11:12.123Z CA 'mlx5_0'") == "CA 'mlx5_0'");
  CHECK(only("[2026-02-03 10:11:12] CA 'mlx5_0'") == "CA 'mlx5_0'");
  CHECK(only("(worker pid=12, ip=10.0.0.1) step 1") == "step 1");
  CHECK(only("[0]  8  2 float sum -1[0] 1.0 2.0") == "  8  2 float sum -1  1.0 2.0");
  CHECK(only("\x1b[31mfail\x1b[0m") == "fail");
  CHECK(only("\xef\xbb\xbf"
             "driver") == "driver");
}

TEST_CASE("what only looks like a prefix stays") {
  CHECK(only("[    8.387515] mlx5_core 0001:43:00.0: x") == "[    8.387515] mlx5_core 0001:43:00.0: x");
  CHECK(only(">>> torch.zeros(1)") == ">>> torch.zeros(1)");
  CHECK(only("GPU 0: NVIDIA A10") == "GPU 0: NVIDIA A10");
  CHECK(only("0000:9b:00.0 bridge") == "0000:9b:00.0 bridge");
}

TEST_CASE("a host name goes only where every line has one") {
  CHECK(clean("node-a: one\nnode-b: two\nnode-a: three\nnode-a: four\nnode-b: five\nnode-a: six\n").lines[1].text == "two");
  CHECK(clean("node-a: one\nplain\nnode-a: three\n").lines[0].text == "node-a: one");
}

TEST_CASE("carriage returns split lines and keep the number") {
  const Paste paste = clean("10.0%  proc'd: 1\r20.0%  proc'd: 2\r\nend\r\n");
  REQUIRE(paste.lines.size() == 3);
  CHECK(paste.lines[1].text == "20.0%  proc'd: 2");
  CHECK(paste.lines[1].number == 1);
  CHECK(paste.lines[2].number == 2);
}

TEST_CASE("text that was left out is known") {
  for (const char* mark : {"...", "   [...]", "[===== SNIP 12 similar lines =====]", "<truncated>", "-- 40 lines omitted --"})
    CHECK(clean(mark).lines.at(0).elided);
  for (const char* line : {"GPU0  X  NV12", "# ", "Results are 5 bytes", "----------"}) CHECK_FALSE(clean(line).lines.at(0).elided);
}

TEST_CASE("UTF-16 of a Windows console is read") {
  std::string text = "\xff\xfe";
  for (const char c : std::string("CA 'mlx5_0'\n")) text += std::string{c, '\0'};
  CHECK(only(text) == "CA 'mlx5_0'");
}

TEST_CASE("numbers: whole words only, a decimal comma only where it can't be a thousand") {
  CHECK(number("235.26") == 235.26);
  CHECK(number("98,02") == 98.02);
  CHECK(number("1709360,800") == 1709360.8);
  CHECK(number("0,187") == 0.187);
  CHECK_FALSE(number("1,000"));
  CHECK_FALSE(number("12us"));
  CHECK_FALSE(number("N/A"));
  CHECK_FALSE(number("1.2.3"));
  CHECK_FALSE(number("."));
  CHECK_FALSE(number("99999999999999999999999999999999999999999999"));
  CHECK(leading_number(" 700W") == 700);
  CHECK(integer("-1") == -1);
  CHECK_FALSE(integer("1.0"));
  CHECK_FALSE(integer("9999999999999999999"));
}

TEST_CASE("versions come in codes") {
  CHECK(cuda_version(12040) == "12.4");
  CHECK(nccl_version(22606) == "2.26.6");
  CHECK(nccl_version(2804) == "2.8.4");
  CHECK(version_prefix("2.26.6+cuda12.2") == "2.26.6");
}

TEST_CASE("cut JSON keeps what was whole") {
  const LenientJson json = read_lenient_json(R"({"a": 1, "b": {"c": [1, 2, 34)");
  CHECK_FALSE(json.complete);
  CHECK(json.value.at_path("a")->as_int() == 1);
  CHECK(json.value.at_path("b.c")->as_list().size() == 2);  // 34 may have lost digits
  CHECK(read_lenient_json(R"({"a": "x\"y"} tail)").complete);
  CHECK_FALSE(read_lenient_json(std::string(100000, '[')).complete);
}

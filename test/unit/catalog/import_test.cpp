// The pieces of the importers, and the messages for rows that can't be used.
#include <cstdio>
#include <fstream>
#include <steelyard/catalog.hpp>

#include "catalog/import/board_of_row.hpp"
#include "catalog/import/csv.hpp"
#include "catalog/import/formats.hpp"
#include "catalog/import/gpu_info.hpp"
#include "catalog/import/places.hpp"
#include "catalog/machines.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::catalog;

namespace {

std::vector<std::vector<std::string>> records(std::string_view text) {
  std::vector<std::vector<std::string>> all;
  CsvReader csv(text);
  while (csv.next()) {
    auto& record = all.emplace_back();
    for (std::size_t index = 0; index < csv.size(); ++index) record.emplace_back(csv[index]);
  }
  return all;
}

using Records = std::vector<std::vector<std::string>>;

Imported import_csv(const std::string& text, const std::string& stem = "cloud") {
  Imported out;
  import_text({text, stem + ".csv", stem}, "auto", Catalog::embedded(), out);
  return out;
}

const char* header = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n";

/// The only issue of a catalog with this one row.
std::string fault(const std::string& row) {
  const Imported out = import_csv(header + row + "\n");
  REQUIRE(out.issues.size() == 1);
  return to_string(out.issues[0].where) + ": " + out.issues[0].message;
}

}  // namespace

TEST_CASE("CSV: plain, quoted, doubled quotes, line ends, empty fields") {
  CHECK(records("a,b\nc,d") == Records{{"a", "b"}, {"c", "d"}});
  CHECK(records("a,b\r\nc,d\r\n") == Records{{"a", "b"}, {"c", "d"}});
  CHECK(records("\xEF\xBB\xBF"
                "a,b\n") == Records{{"a", "b"}});
  CHECK(records("a,,\n,\n") == Records{{"a", "", ""}, {"", ""}});
  CHECK(records("\n\n a\n\n") == Records{{" a"}});
  CHECK(records("\"a,b\",c\n") == Records{{"a,b", "c"}});
  CHECK(records("\"a\"\"b\",\"\"\n") == Records{{"a\"b", ""}});
  CHECK(records("\"a\nb\",c\nd,e\n") == Records{{"a\nb", "c"}, {"d", "e"}});
  CHECK(records("") == Records{});
  CHECK(records("\"{\"\"Gpus\"\":[1,2]}\",x") == Records{{"{\"Gpus\":[1,2]}", "x"}});
}

TEST_CASE("CSV: places are those of the text; an open quote is seen") {
  CsvReader csv("a,b\n\"x\ny\",second\nc,d\n");
  REQUIRE(csv.next());
  CHECK(csv.line() == 1);
  CHECK(csv.column(1) == 3);
  REQUIRE(csv.next());
  CHECK(csv.line() == 2);
  REQUIRE(csv.next());
  CHECK(csv.line() == 4);
  CHECK(csv[0] == "c");
  CHECK(csv[7].empty());
  CHECK_FALSE(csv.next());
  CsvReader open("a,\"b\nc,d\n");
  REQUIRE(open.next());
  CHECK(open.unclosed());
}

TEST_CASE("GpuInfo in its five spellings") {
  const GpuInfo python = parse_gpu_info(
      "{'Gpus': [{'Name': 'A100', 'Manufacturer': 'NVIDIA', 'Count': '8.0', 'MemoryInfo': {'SizeInMiB': 40960}}], 'TotalGpuMemoryInMiB': 327680}");
  CHECK(python.name == "A100");
  CHECK(python.count == 8);
  CHECK(python.device_memory == 40960);
  CHECK(python.total_memory == 327680);
  const GpuInfo json = parse_gpu_info(R"({"Gpus":[{"Name":"B300","Count":1,"MemoryInfo":{"SizeInMiB":268288}}]})");
  CHECK(json.name == "B300");
  CHECK(json.device_memory == 268288);
  const GpuInfo nameless = parse_gpu_info("{'Gpus': [{'MemoryInfo': {'SizeInMiB': 81920}}]}");
  CHECK(nameless.name.empty());
  CHECK(nameless.device_memory == 81920);
  CHECK(parse_gpu_info("A100-80GB").name == "A100-80GB");
  CHECK(memory_in_prose("RTX 5880 2GB") == 2);
  CHECK(memory_in_prose("T4 x1, family GN7") == std::nullopt);
}

TEST_CASE("regions of zones, machine patterns, form factors in names") {
  CHECK(region_of_place("use1-az1") == "us-east-1");
  CHECK(region_of_place("use1-atl2-az1") == "us-east-1");
  CHECK(region_of_place("apne1-az4") == "ap-northeast-1");
  CHECK(region_of_place("us-east-1a") == "us-east-1");
  CHECK(region_of_place("us-central1-a") == "us-central1");
  CHECK(region_of_place("EU-STOCKHOLM-1-AD-1") == "eu-stockholm-1");
  CHECK(region_of_place("norway_4_eu") == "norway_4_eu");
  CHECK(fits_pattern("8x_A100-80GB_SECURE", "*x_A100-80GB_*"));
  CHECK_FALSE(fits_pattern("8x_A100-80GB-SXM_SECURE", "*x_A100-80GB_*"));
  CHECK(fits_pattern("g5.xlarge", "g5.*"));
  CHECK_FALSE(fits_pattern("g5g.xlarge", "g5.*"));
  CHECK(provider_of_stem("alicloud_fork_v8") == "alicloud");
  CHECK(provider_of_stem("my_company") == "my_company");
  CHECK(form_in_name("n3-H100-SXM5x8") == "sxm");
  CHECK(form_in_name("n3-H100x8").empty());
  CHECK(form_in_name("h100-nvlink-8x").empty());
  CHECK(names_a_part("A10*1/12"));
  CHECK_FALSE(names_a_part("A100"));
}

TEST_CASE("rows that can't be used are named with line, column and reason") {
  CHECK(fault("k80.x1,K80,1,r7") == "cloud.csv:2:14: expected 10 columns, found 4");
  CHECK(fault("k80.x1,K80,1,4,61,K80,n/a,,r1,") == "cloud.csv:2:23: Price: expected a price, found 'n/a'");
  CHECK(fault("k80.x1,K80,1,4,61,K80,-1.5,,r1,") == "cloud.csv:2:23: Price: expected a price, found '-1.5'");
  CHECK(fault("k80.x1,K80,1,4,61,K80,nan,,r1,") == "cloud.csv:2:23: Price: expected a price, found 'nan'");
  CHECK(fault("k80.x1,K80,1,4,61,K80,0.0,,r1,") == "cloud.csv:2:23: Price: 0 is no price");
  CHECK(fault("tpu,K80,1,4,61,K80,700.0,,r1,") == "cloud.csv:2:20: Price: 700.0 stands for \"no price\"");
  CHECK(fault("k80.x1,K80,1,4,61,K80,,,r1,") == "cloud.csv:2:1: neither an on-demand nor a spot price");
  CHECK(fault("k80.x1,K80,,4,61,K80,1,,r1,") == "cloud.csv:2:12: the number of GPUs is missing");
  CHECK(fault("k80.x1,K80,two,4,61,K80,1,,r1,") == "cloud.csv:2:12: expected a number of GPUs, found 'two'");
  CHECK(fault("k80.x1,\"K80,1,4,61,K80,1,,r1,") == "cloud.csv:2:1: a quote is opened and never closed");
  CHECK(
      to_string(import_csv("a,b\n1,2\n").issues.at(0)) ==
      "cloud.csv:1:1: the file is no price list of a known format\nfix: known formats: skypilot (columns InstanceType, AcceleratorName ...), gpuhunt "
      "(columns instance_name, location ...), aws (columns instance_type, gpu_model ...), azure (columns sku, usd_per_hour ...), steelyard (a map "
      "with offers:)");
}

TEST_CASE("a bad spot price leaves the on-demand offer, with a warning") {
  const Imported out = import_csv(std::string(header) + "k80.x1,K80,1,4,61,K80,0.9,99999999,r1,\n");
  CHECK(out.offers.size() == 1);
  REQUIRE(out.issues.size() == 1);
  CHECK(out.issues[0].severity == Severity::warning);
}

TEST_CASE("zones merge, the lowest price counts; ids hold provider, region and type") {
  const Imported out =
      import_csv(std::string(header) + "k80.x1,K80,1,4,61,K80,0.9,0.3,r1,a\nk80.x1,K80,1,4,61,K80,0.9,0.2,r1,b\nk80.x1,K80,1,4,61,K80,0.8,,r2,a\n");
  REQUIRE(out.offers.size() == 3);
  CHECK(out.used == 2);
  CHECK(out.merged == 1);
  CHECK(out.offers[0].id == "cloud/r1/k80.x1");
  CHECK(out.offers[0].warnings.empty());
  CHECK(out.offers[1].id == "cloud/r1/k80.x1/spot");
  CHECK(out.offers[1].configuration.price->amount == 0.2);
  CHECK(out.offers[1].warnings.at(0).starts_with("zone_prices"));
  CHECK(out.offers[2].id == "cloud/r2/k80.x1");
}

TEST_CASE("names that fit several boards stay open and say which") {
  const Imported out = import_csv(
      std::string(header) + "box,A100-80GB,8,4,61,A100-80GB,9,,r1,\nbox-sxm4,A100-80GB,8,4,61,A100-80GB,9,,r1,\nother,Quantum9000,8,4,61,,9,,r1,\n");
  REQUIRE(out.offers.size() == 3);
  CHECK(out.offers[0].configuration.board == nullptr);
  CHECK(out.offers[0].configuration.gpu == "A100-80GB");
  CHECK(out.offers[0].warnings.at(0) == "name_ambiguous: 'A100-80GB' fits A100-SXM4-80GB, A100-PCIe-80GB");
  CHECK(out.offers[1].configuration.board->id == "A100-SXM4-80GB");
  CHECK(out.offers[2].warnings.at(0) == "name_ambiguous: no board is known as 'Quantum9000'");
}

TEST_CASE("own offer files: messages") {
  const auto import_own = [](const std::string& text) {
    Imported out;
    import_text({text, "own.yaml", "own"}, "auto", Catalog::embedded(), out);
    return out;
  };
  const Imported good = import_own(
      "sources: {list: {text: price list, date: 2026-11-01}}\noffers:\n  - {provider: x, region: eu, type: box, "
      "configuration: {gpu: L40S, gpus_per_node: 4}, price: {amount: 4, currency: EUR, date: 2026-11-01}, sources: [list]}\n");
  REQUIRE(good.offers.size() == 1);
  CHECK(good.issues.empty());
  CHECK(good.offers[0].id == "x/eu/box");
  const Imported bad =
      import_own("offers:\n  - {provider: x, region: eu, type: box, configuration: {gpu: L40S}, price: {amount: 4}, sorces: [list]}\n");
  CHECK(bad.offers.empty());
  REQUIRE(bad.issues.size() == 2);
  CHECK(bad.issues[0].message == "sources is missing");
  CHECK(bad.issues[1].message == "offer: unknown key 'sorces'");
  CHECK(bad.issues[1].fix == "did you mean sources?");
}

// Each finding on a row of its own, and the row beside it that has none.
#include <algorithm>
#include <steelyard/lint.hpp>

#include "support/catch.hpp"

using namespace steelyard;

namespace {

const Date today{2026, 8, 1};

std::string codes(const std::string& text, const std::string& name = "cloud.csv") {
  std::string all;
  for (const Finding& finding : lint_text(text, name, today, Catalog::embedded())) {
    all += (all.empty() ? "" : " ") + std::to_string(finding.where.line) + ":" + finding.code;
    CHECK_FALSE(finding.message.empty());
  }
  return all;
}

const std::string header = "InstanceType,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region\n";

std::string info(const std::string& name, int device, int total) {
  return "\"{'Gpus': [{'Name': '" + name + "', 'MemoryInfo': {'SizeInMiB': " + std::to_string(device) +
         "}}], 'TotalGpuMemoryInMiB': " + std::to_string(total) + "}\"";
}

std::string sky(const std::string& rows) { return codes(header + rows); }

}  // namespace

TEST_CASE("lint: memory") {
  CHECK(sky("a,L40S,8," + info("L40S", 49152, 393216) + ",9,,r\n").empty());
  CHECK(sky("a,L4,1," + info("L4", 22888, 22888) + ",9,,r\n").empty());
  CHECK(sky("a,RTX3080,1," + info("RTX3080", 12288, 12288) + ",9,,r\n").empty());
  CHECK(sky("a,L40S,8," + info("L40S", 48, 384) + ",9,,r\n") == "2:memory_unit");
  CHECK(sky("a,L40S,8," + info("L40S", 393216, 3145728) + ",9,,r\n") == "2:memory_total_in_device");
  CHECK(sky("a,L40S,8," + info("L40S", 49152, 49152) + ",9,,r\n") == "2:memory_total_wrong");
  CHECK(sky("a,B200,8," + info("B200", 81920, 655360) + ",9,,r\n") == "2:memory_mismatch");
  CHECK(sky("a,L40S,1," + info("L40S", 2048, 2048) + ",9,,r\n") == "2:gpu_fraction");
  CHECK(sky("a,L40S,1,\"{'Gpus': [{'MemoryInfo': {'SizeInMiB': 51539607552}}]}\",9,,r\n") == "2:memory_unit");  // bytes
  const std::string hunt = "instance_name,location,price,gpu_count,gpu_name,gpu_memory,spot\n";
  CHECK(codes(hunt + "a,r,9,8,L40S,49152,False\nb,r,9,8,L40S,48,False\n") == "2:memory_unit");  // MiB in a column of GB
  CHECK(codes("instance_type,gpu_model,gpu_count,gpu_memory_total_gib,ondemand_usd_us_east_1_2026_07_20\n"
              "x1,L40S,4,48,9\nx2,L40S,4,192,9\n") == "2:memory_total_wrong");
  CHECK(codes("GPU,MemoryGB,Manufacturer\nH200,80,nvidia\nH200,141,nvidia\nMI325X,288,amd\nL4,24,nvidia\n") == "2:memory_mismatch 4:memory_mismatch");
}

TEST_CASE("lint: counts, capabilities, parts, names, accelerators") {
  CHECK(sky("a,L40S,,L40S,9,,r\na,L40S,0,L40S,8,,r\na,L40S,1,L40S,7,,r\n") == "2:gpu_count_missing 3:gpu_count_missing");
  CHECK(sky("p4d.24xlarge,A100,6,A100,9,,r\np4d.24xlarge,A100,8,A100,9,,s\n") == "2:gpu_count_implausible");
  CHECK(sky("a,A10*1/12,1,A10*1/12 2GB,9,,r\na,L4,0.5,L4,7,,r\n") == "2:gpu_fraction 3:gpu_fraction");
  CHECK(sky("a,H100 3g.40gb,1,,9,,r\na,A100-SXM4-80GB MIG,1,,9,,s\na,A10-4Q,1,,9,,t\na,1/2 A100,1,,9,,u\n") ==
        "2:gpu_fraction 3:gpu_fraction 4:gpu_fraction 5:gpu_fraction");
  CHECK(sky("a,RTX 6000 Ada,1,,9,,r\na,Radeon Pro V620,1,,9,,s\n").empty());
  CHECK(sky("gpu_4x_l40s,L40S,8,,9,,r\n8xL40S-PCIe,L40S,8,,9,,s\nr7-8x16,L40S,1,,9,,t\nm2x16xlarge,L40S,1,,9,,u\n") == "2:gpu_count_implausible");
  CHECK(sky("a,L40S,x8,,9,,r\na,L40S,-8,,9,,s\n") == "2:gpu_count_missing 3:gpu_count_missing");
  CHECK(sky("a,A6000,1,A6000,9,,r\na,RTXA6000,1,RTXA6000,8,,r\na,RTXA6000,2,RTXA6000,7,,r\n") == "3:gpu_name_alias");
  CHECK(sky("a-sxm5,H100,8,H100,9,,r\na,H100,8,H100,9,,r\na,L40S,8,L40S,9,,r\n") == "2:form_factor_in_name");
  CHECK(sky("a,tpu-v4-8,1,tpu-v4-8,9,,r\na,Trainium,1,,9,,r\n") == "2:not_a_gpu 3:not_a_gpu");
  CHECK(sky("a,TPU-V5P-8,1,,9,,r\na,Gaudi 2,8,,9,,s\na,Alveo U250,1,,9,,t\na,v5litepod-16,1,,9,,u\n") ==
        "2:not_a_gpu 3:not_a_gpu 4:not_a_gpu 5:not_a_gpu");
  const std::string aws =
      "instance_type,gpu_model,compute_capability,gpu_count,gpu_memory_total_gib,network_mbps,ondemand_usd_us_east_1_2026_07_20\n";
  CHECK(codes(aws + "x1,NVIDIA L4,10.0,1,24,5000,1\nx2,NVIDIA L4,8.9,1,24,5000,1\n") == "2:compute_capability_wrong");
  CHECK(codes(aws + "x1,NVIDIA L4,8.9,1,24,399000,1\nx2,NVIDIA L4,8.9,1,24,400000,2\n") == "3:network_headline");
}

TEST_CASE("lint: prices") {
  CHECK(sky("a,L4,1,L4,0.0,,r\n") == "2:price_zero");
  CHECK(sky("a,L4,1,L4,,,r\na,L4,1,L4,,0.1,r\n") == "2:price_missing");
  CHECK(sky("a,L4,1,L4,N/A,,r\na,L4,1,L4,null,0.1,s\na,L4,1,L4,$1,,t\na,L4,1,L4,1,-,u\n") == "2:price_missing 4:price_unreadable");
  CHECK(sky("a,L4,1,L4,-1,,r\na,L4,1,L4,2,-1,s\na,L4,1,L4,1234.5,,t\na,L4,1,L4,0,0,u\na,L4,1,L4,1,0.0,v\n") ==
        "2:price_sentinel 3:price_sentinel 4:price_sentinel 5:price_zero 6:price_zero");
  CHECK(sky("a,L4,1,L4,99999999,,r\na,L4,1,L4,1,99999999,s\na,L4,8,L4,700,,t\n") == "2:price_sentinel 3:price_sentinel 3:spot_above_on_demand");
  CHECK(sky("a,L4,1,L4,1,1,r\na,L4,1,L4,1,2,s\na,L4,1,L4,1,0.9,t\n") == "2:spot_equals_on_demand 3:spot_above_on_demand");
  CHECK(sky("a,H100,8,H100,8.0,8.0,r\nb,H100,8,H100,8.1,8.1,r\n") == "2:spot_equals_on_demand 2:price_bid_floor 3:spot_equals_on_demand");
  CHECK(codes("region,sku,usd_per_hour\nr,Standard_NC4as_T4_v3,1\n", "prices_2026-02-02.csv").empty());             // 180 days
  CHECK(codes("region,sku,usd_per_hour\nr,Standard_NC4as_T4_v3,1\n", "prices_2026-02-01.csv") == "1:price_stale");  // 181 days
  const std::string hunt = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot\n";
  CHECK(codes(hunt + "a,z1,1,4,16,1,L4,24,False\na,z1,2,4,16,1,L4,24,True\na,z2,2,4,16,1,L4,24,True\n") == "3:spot_above_on_demand");
}

TEST_CASE("lint: rows") {
  CHECK(sky("a,L4,1,L4,1,,r\na,L4,1,L4,1,,s\na,L4,1,L4,1,,r\n") == "4:duplicate_row");
  CHECK(sky("a,L4,1\n") == "2:row_unreadable");
  CHECK(sky("a2-highgpu-8g,,,,5,,r\n,A100,8,A100,20,,r\n") == "2:split_price");
  CHECK(codes("region,sku,usd_per_hour\nr,Standard_ND96ams_A100_v4,40\nr,Standard_ND96amsr_A100_v4,40\nr,Standard_NC4as_T4_v3,1\n") ==
        "2:dominated_offer");
}

TEST_CASE("lint: files of our own kinds") {
  const auto findings = lint_text("task: lora\noptimzer: adamw\n", "job.yaml", today, Catalog::embedded());
  REQUIRE(findings.size() == 1);
  CHECK(to_string(findings[0]) == "job.yaml:2:1: input: workload: unknown key 'optimzer'");
  CHECK(findings[0].fix == "did you mean optimizer?");
  CHECK(
      codes(
          "boards:\n  - {id: X, vendor: v, chip: c, peaks: [{format: bf16, tflops: 100}], sources: [s]}\nsources: {s: {text: t, date: 2026-01-01}}\n",
          "b.yaml") == "2:input");
  CHECK(codes("", "empty.yaml") == "1:input");
  CHECK(codes("- 1\n- 2\n", "list.yaml") == "1:input");
  CHECK(to_json(to_value(findings[0])).find("\"severity\":\"error\"") != std::string::npos);
}

TEST_CASE("lint: severities come with the codes") {
  const auto findings = lint_text(header + "a-sxm5,H100,8,H100,9,9,r\n", "x.csv", today, Catalog::embedded());
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].severity == "note");
  CHECK(findings[1].severity == "warning");
}

TEST_CASE("lint: rows that say the same, however they are written") {
  CHECK(sky("a,L4,1,L4,1.5,,r\n\"a\",L4,1,L4,\"1.50\",,r\n a,L4,1.0,L4,1.5,,r \na,L4,1,L4,1.51,,r\n") == "3:duplicate_row 4:duplicate_row");
}

TEST_CASE("lint: dates in names") {
  for (const char* name : {"p-20250501.csv", "p_2025.05.01.csv", "2025_05_01.csv", "p2025-05-01.csv"}) {
    CAPTURE(name);
    CHECK(codes(header + "a,L4,1,L4,1,,r\n", name) == "1:price_stale");
  }
  for (const char* name : {"p-20260501.csv", "p-12345678.csv", "p-202505011.csv", "p-2025-05_01.csv"}) {
    CAPTURE(name);
    CHECK(codes(header + "a,L4,1,L4,1,,r\n", name).empty());
  }
}

TEST_CASE("lint: tables that can't be read say why") {
  const auto said = [](const std::string& text) {
    const auto findings = lint_text(text, "x.csv", today, Catalog::embedded());
    REQUIRE(findings.size() == 1);
    return findings.front().code + ": " + findings.front().message;
  };
  std::string semicolons = header + "a,L4,1,L4,1,,r\n";
  std::replace(semicolons.begin(), semicolons.end(), ',', ';');
  CHECK(said(semicolons) == "format_unknown: columns parted by ';', expected commas");
  CHECK(said("instancetype,acceleratorname,price\na,b,1\n") == "format_unknown: the columns of skypilot in another spelling");
  CHECK(said("\xFF\xFEI\0n\0") == "format_unknown: expected a price list, found UTF-16 text, as Windows PowerShell writes it");
  CHECK(said("\x1F\x8B\x08") == "format_unknown: expected a price list, found gzip data");
  CHECK(said("") == "format_unknown: the file is empty");
  CHECK(said(header) == "no_rows: a header and no row below it");
  CHECK(said(header + "\"a,L4\n") == "row_unreadable: a quote is opened and never closed");
}

// Every real price list: each row is used, merged or reported, and what the traps of these files hide comes out right.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <steelyard/catalog.hpp>

#include "support/catch.hpp"

using namespace steelyard;
namespace fs = std::filesystem;

namespace {

const fs::path folder = fs::path(STEELYARD_SHARED_DATA) / "catalogs";

bool absent() {
  if (fs::exists(folder)) return false;
  std::cout << "skipped: no catalogs at " << folder << "\n";
  return true;
}

std::size_t rows_of(const fs::path& path) {
  std::ifstream stream(path);
  std::size_t lines = 0;
  for (std::string line; std::getline(stream, line);) lines += !line.empty();
  return lines - 1;
}

std::optional<Offer> offer(const Imported& imported, const std::string& id) {
  const auto found = imported.offers.find(id);
  return found ? std::optional(imported.offers[*found]) : std::nullopt;
}

Imported read(const std::string& name) { return import_offers(folder / name, "auto", Catalog::embedded()); }

}  // namespace

TEST_CASE("every row of every price list is accounted for") {
  if (absent()) return;
  for (const char* sub : {"skypilot", "skypilot/v8v9_excerpts", "gpuhunt", "aws", "azure"}) {
    for (const auto& entry : fs::directory_iterator(folder / sub)) {
      if (entry.path().extension() != ".csv" || entry.path().stem() == "common_metadata_v7") continue;
      const Imported imported = import_offers(entry.path(), "auto", Catalog::embedded());
      INFO(entry.path());
      CHECK(imported.used + imported.merged + imported.unusable + imported.without_gpu == rows_of(entry.path()));
      CHECK_FALSE(imported.offers.empty());
      std::set<std::string> ids;
      std::size_t unclear = 0;
      for (const Offer& each : imported.offers) {
        INFO(each.id);
        CHECK(ids.insert(each.id).second);
        CHECK(each.configuration.price.value().amount > 0);
        CHECK(each.where.line > 1);
        unclear += each.configuration.board == nullptr;
        if (!each.configuration.board) CHECK_FALSE(each.warnings.empty());
      }
      std::cout << entry.path().parent_path().filename().string() << "/" << entry.path().filename().string() << ": " << imported.offers.size()
                << " offers (" << unclear << " without a board) from " << imported.used << " rows, " << imported.merged << " merged, "
                << imported.unusable << " unusable, " << imported.without_gpu << " without GPU\n";
    }
  }
}

TEST_CASE("machine types tell form factors apart, and bring links and networks") {
  if (absent()) return;
  const Imported aws = read("skypilot/v8v9_excerpts/aws_v9.csv");
  const auto p4d = offer(aws, "aws_v9/us-east-1/p4d.24xlarge");
  REQUIRE(p4d);
  CHECK(p4d->configuration.board->id == "A100-SXM4-40GB");
  CHECK(p4d->configuration.intra_node == "nvlink");
  CHECK(p4d->configuration.inter_node.kind == "efa");
  CHECK(p4d->configuration.inter_node.gbit_per_s_per_node == 400);
  CHECK(p4d->configuration.host_memory_gib == 1152);
  const auto spot = offer(aws, "aws_v9/us-east-1/p4d.24xlarge/spot");
  REQUIRE(spot);
  CHECK(spot->configuration.price->purchase == "spot");
  CHECK(spot->configuration.price->amount == Approx(6.5323));  // the lowest of the zones
  const auto h200 = offer(aws, "aws_v9/us-east-2/p5e.48xlarge/spot");
  REQUIRE(h200);  // no on-demand price is listed
  CHECK(h200->configuration.board->memory_gb_nominal == 141);
  CHECK_FALSE(offer(aws, "aws_v9/us-east-2/p5e.48xlarge"));
  const Imported azure = read("skypilot/azure.csv");
  CHECK(offer(azure, "azure/northcentralus/Standard_ND96isr_H100_v5")->configuration.gpus_per_node == 8);  // 12 are listed
  CHECK_FALSE(offer(azure, "azure/eastus/Standard_NC40ads_H100_v5"));                                      // price 0
  const Imported runpod = read("skypilot/runpod.csv");
  CHECK(offer(runpod, "runpod/CA/8x_A100-80GB_SECURE")->configuration.board->id == "A100-PCIe-80GB");
  CHECK(offer(runpod, "runpod/CA/8x_A100-80GB-SXM_SECURE")->configuration.board->id == "A100-SXM4-80GB");
}

TEST_CASE("GCP: host and GPU rows are summed, GPUs without a host are reported") {
  if (absent()) return;
  const Imported gcp = read("skypilot/gcp.csv");
  const auto a2 = offer(gcp, "gcp/us-central1/a2-highgpu-8g");
  REQUIRE(a2);
  CHECK(a2->configuration.price->amount == Approx(5.91582 + 23.47126));
  CHECK(a2->configuration.board->id == "A100-SXM4-40GB");
  CHECK(a2->configuration.gpus_per_node == 8);
  CHECK(offer(gcp, "gcp/us-central1/a2-megagpu-16g")->configuration.gpus_per_node == 16);
  CHECK(offer(gcp, "gcp/us-central1/g2-standard-24")->configuration.gpus_per_node == 2);
  std::size_t tpus = 0, alone = 0;
  for (const Offer& each : gcp.offers) tpus += each.machine_type.starts_with("tpu-");
  for (const Issue& issue : gcp.issues) alone += issue.message.find("alone") != std::string::npos;
  CHECK(tpus > 50);
  CHECK(alone > 100);
  const auto slice = offer(gcp, "gcp/us-central2/tpu-v4-16");
  REQUIRE(slice);
  CHECK(slice->configuration.board->vendor == "google");
  CHECK(slice->configuration.gpus_per_node == 8);
}

TEST_CASE("wrong units, totals in the field of one device, parts of GPUs, several spellings") {
  if (absent()) return;
  const Imported shadeform = read("skypilot/v8v9_excerpts/shadeform_v8.csv");  // GiB in SizeInMiB
  CHECK(offer(shadeform, "shadeform_v8/calgary-canada-1/denvr_A100-sxm4x8")->configuration.board->id == "A100-SXM4-40GB");
  CHECK(offer(shadeform, "shadeform_v8/culpeper-usa-1/crusoe_A100-80GBx2")->configuration.board == nullptr);
  const Imported prime = read("skypilot/v8v9_excerpts/primeintellect_v8.csv");  // the node's total, and multiplied again
  const auto h200 = offer(prime, "primeintellect_v8/FI/datacrunch__8xH200_141GB__176__1450");
  REQUIRE(h200);
  CHECK(h200->configuration.board->id == "H200-SXM-141GB");
  const auto a100 = offer(prime, "primeintellect_v8/DE/latitude__8xA100_80GB__128__1536");
  REQUIRE(a100);
  CHECK(a100->configuration.board == nullptr);  // PCIe or SXM: nothing says which
  CHECK(a100->warnings.at(0).find("A100-SXM4-80GB, A100-PCIe-80GB") != std::string::npos);
  const Imported alibaba = read("skypilot/v8v9_excerpts/alicloud_fork_v8.csv");
  CHECK(offer(alibaba, "alicloud_fork_v8/ap-northeast-1/ecs.sgn7i-vws-m2.xlarge")->configuration.board == nullptr);      // A10*1/12
  CHECK(offer(alibaba, "alicloud_fork_v8/ap-northeast-1/ecs.sgn8ga-wy-12g-m2.3large")->configuration.board == nullptr);  // 2 of 48 GB
  CHECK(offer(alibaba, "alicloud_fork_v8/ap-southeast-1/ecs.sgn8ga-wy-384g-x4-ne.24xlarge")->configuration.board->id == "RTX5880Ada-48GB");
  const Imported mithril = read("skypilot/v8v9_excerpts/mithril_v8.csv");
  const auto bid = offer(mithril, "mithril_v8/us-central2-a/h100-80gb.sxm.8x");
  REQUIRE(bid);
  CHECK(bid->configuration.board->id == "H100-SXM5-80GB");
  CHECK(bid->warnings.at(0).starts_with("price_implausible"));
  const Imported cudo = read("skypilot/cudo.csv");  // count as text, RTX 3080 of 12 GB
  CHECK(cudo.unusable == 0);
  CHECK(offer(cudo, "cudo/ca-montreal-1/intel-broadwell-rtx-3080_4x1v2gb")->configuration.board->id == "RTX3080-12GB");
  const Imported lambda = read("skypilot/lambda.csv");
  CHECK(offer(lambda, "lambda/us-east-1/gpu_1x_rtx6000")->configuration.board->id == "RTX6000-Turing-24GB");
}

TEST_CASE("gpuhunt, AWS and Azure files") {
  if (absent()) return;
  const Imported hunt = read("gpuhunt/aws.csv");
  CHECK(hunt.format == "gpuhunt");
  const auto g5 = offer(hunt, "aws/us-east-1/g5.xlarge");
  REQUIRE(g5);
  CHECK(g5->configuration.board->id == "A10G-24GB");
  CHECK(offer(hunt, "aws/us-east-1/g5.xlarge/spot"));
  const Imported oci = read("gpuhunt/oci.csv");
  CHECK(offer(oci, "oci/eu-stockholm-1/BM.GPU4.8")->configuration.board->id == "A100-SXM4-40GB");
  const Imported types = read("aws/gpu_instance_types.csv");
  CHECK(types.format == "aws");
  const auto p5 = offer(types, "aws/us-east-1/p5.48xlarge");
  REQUIRE(p5);
  CHECK(to_string(p5->configuration.price->date.value()) == "2026-07-20");
  CHECK(offer(types, "aws/us-east-1/g7e.48xlarge")->configuration.board->id == "RTXPRO6000-Server-96GB");
  CHECK(offer(types, "aws/us-east-1/g6f.xlarge")->configuration.board == nullptr);  // an eighth of an L4
  const Imported nseries = read("azure/nseries_ondemand_2026-06-18.csv");
  CHECK(nseries.format == "azure");
  CHECK(offer(nseries, "azure/eastus/Standard_NC96ads_A100_v4")->configuration.intra_node == "nvlink_pairs");
  CHECK(to_string(offer(nseries, "azure/eastus/Standard_NC96ads_A100_v4")->configuration.price->date.value()) == "2026-06-18");
}

TEST_CASE("a folder of price lists") {
  if (absent()) return;
  const Imported all = load_offers({folder / "skypilot"}, Catalog::embedded());
  CHECK(all.offers.size() > 1500);
  std::set<std::string> providers;
  for (const Offer& each : all.offers) providers.insert(each.provider);
  CHECK(providers.size() == 13);
}

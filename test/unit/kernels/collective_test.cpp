#include <cmath>
#include <steelyard/catalog.hpp>
#include <steelyard/kernels.hpp>

#include "estimate/collective/efficiency.hpp"
#include "load/embedded.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::estimate;

namespace {

Configuration node(const char* name, int gpus, const char* link = "nvlink") {
  Configuration out;
  out.gpu = name;
  out.board = Catalog::embedded().find_board(name).resolved();
  REQUIRE(out.board);
  out.gpus_per_node = gpus;
  out.intra_node = link;
  return out;
}

Configuration two_nodes(const char* kind, double gbit_per_s) {
  Configuration out = node("H100-SXM5-80GB", 8);
  out.nodes = 2;
  out.inter_node.kind = kind;
  out.inter_node.gbit_per_s_per_node = gbit_per_s;
  return out;
}

}  // namespace

TEST_CASE("bus bandwidth counts what nccl-tests counts") {
  CHECK(wire_bytes("all_reduce", 800, 8) == Approx(1400));
  CHECK(wire_bytes("all_gather", 800, 8) == Approx(700));
  CHECK(wire_bytes("reduce_scatter", 800, 4) == Approx(600));
  CHECK(wire_bytes("alltoall", 800, 2) == Approx(400));
  CHECK(wire_bytes("send_recv", 800, 2) == Approx(800));
  CHECK(wire_bytes("all_reduce", 800, 1) == 0);
  CHECK(wire_bytes("gossip", 800, 8) == 0);
}

TEST_CASE("a link's law: start-up alone, rate alone") {
  const LinkLaw law{10, 100, 0.6};
  CHECK(link_time_us(0, law) == Approx(10));
  CHECK(link_time_us(1e12, law) == Approx(1e7).epsilon(0.01));
  CHECK(link_time_us(1e6, law) > 20);  // at the knee slower than the sum
}

TEST_CASE("links: board facts, pairs, lanes, peer access") {
  std::vector<std::string> missing;
  CHECK(intra_link(node("A800-SXM4-80GB", 8), 8, missing).key == "nvlink3");
  CHECK(intra_link(node("A800-SXM4-80GB", 8), 8, missing).scale == Approx(400.0 / 600));
  CHECK(intra_link(node("A100-PCIe-80GB", 4, "nvlink_pairs"), 2, missing).key == "nvlink3");
  CHECK(intra_link(node("A100-PCIe-80GB", 4, "nvlink_pairs"), 4, missing).key == "pcie4");
  CHECK(intra_link(node("RTX4090", 4, "pcie"), 4, missing).key == "pcie4_staged");
  Configuration patched = node("RTX4090", 4, "pcie");
  patched.gpu_peer_access = true;
  CHECK(intra_link(patched, 4, missing).key == "pcie4");
  CHECK(intra_link(node("H100-SXM5-80GB", 8, ""), 8, missing).certain == false);
  CHECK(missing.empty());
  CHECK(intra_link(node("RTX4090", 4, "nvlink"), 4, missing).key.empty());
  CHECK(missing == std::vector<std::string>{"board.nvlink_generation"});
  CHECK(nominal_gb_per_s("nvlink4") == 450);
  CHECK(nominal_gb_per_s("pcie5_staged") == 64);
  CHECK(nominal_gb_per_s("pcie3") == 16);
}

TEST_CASE("published rates: eight boards of one node, large buffers") {
  // NVIDIA/nccl-tests#212 and microsoft/superbenchmark: H100 about 480 with NVLink SHARP, 370 by ring; A100 about 230 GB/s.
  const double gib8 = 8589934592;
  CHECK(*estimate_collective("all_reduce", gib8, node("H100-SXM5-80GB", 8)).busbw_gb_per_s == Approx(480).epsilon(0.1));
  CHECK(*estimate_collective("all_reduce", gib8, node("H100-SXM5-80GB", 8), "ring").busbw_gb_per_s == Approx(370).epsilon(0.1));
  CHECK(*estimate_collective("all_gather", gib8, node("A100-SXM4-80GB", 8)).busbw_gb_per_s == Approx(230).epsilon(0.12));
  CHECK(*estimate_collective("all_reduce", gib8, node("A100-PCIe-80GB", 2, "nvlink_pairs")).busbw_gb_per_s == Approx(208).epsilon(0.2));
}

TEST_CASE("time grows with the buffer, and peer access matters") {
  double before = 0;
  for (int octave = 9; octave <= 33; ++octave) {
    const double now = *estimate_collective("all_gather", std::exp2(octave), node("H200-SXM-141GB", 8)).time_us;
    CHECK(now > 0.85 * before);  // protocol changes make small steps back
    before = now;
  }
  Configuration patched = node("RTX4090", 4, "pcie");
  patched.gpu_peer_access = true;
  CHECK(*estimate_collective("all_reduce", 1 << 28, node("RTX4090", 4, "pcie")).time_us >
        2 * *estimate_collective("all_reduce", 1 << 28, patched).time_us);
}

TEST_CASE("between nodes: published two-node runs") {
  const double gib = 1 << 30;
  CHECK(*estimate_collective("all_reduce", gib, two_nodes("infiniband", 3200)).busbw_gb_per_s == Approx(446).epsilon(0.15));
  CHECK(*estimate_collective("all_reduce", gib, two_nodes("tcpx", 800)).busbw_gb_per_s == Approx(66).epsilon(0.6));
  CHECK(*estimate_collective("all_reduce", gib, two_nodes("ethernet", 100)).busbw_gb_per_s == Approx(6).epsilon(0.6));
  const CollectiveEstimate efa = estimate_collective("all_reduce", gib, two_nodes("efa", 3200));
  CHECK(efa.confidence == "extrapolated");
  CHECK(efa.link == "network:efa");
  Configuration staged = two_nodes("infiniband", 1600);
  staged.inter_node.gpudirect = false;
  CHECK(*estimate_collective("all_reduce", gib, staged).time_us >
        1.8 * *estimate_collective("all_reduce", gib, two_nodes("infiniband", 1600)).time_us);
  CHECK(*estimate_collective("alltoall", gib, two_nodes("infiniband", 3200)).time_us >
        *estimate_collective("all_gather", gib, two_nodes("infiniband", 3200)).time_us);
}

TEST_CASE("a rack-wide NVLink domain is one node") {
  Configuration rack = node("GB200", 4);
  rack.nodes = 8;
  rack.nvlink_domain_gpus = 72;
  const CollectiveEstimate found = estimate_collective("all_gather", 1 << 28, rack);
  REQUIRE(found.time_us);
  CHECK(found.link == "nvlink5");
  rack.nodes = 32;
  CHECK(estimate_collective("all_gather", 1 << 28, rack).missing ==
        std::vector<std::string>{"configuration.inter_node.kind", "configuration.inter_node.gbit_per_s_per_node"});
}

TEST_CASE("confidence, intervals and unknowns") {
  const CollectiveEstimate seen = estimate_collective("all_gather", 1 << 24, node("H100-SXM5-80GB", 8));
  CHECK(seen.confidence == "same_gpu");
  const CollectiveEstimate guessed = estimate_collective("all_gather", 1 << 24, node("V100-SXM2-32GB", 8));
  REQUIRE(guessed.time_us);
  CHECK(guessed.confidence == "extrapolated");
  CHECK(guessed.interval->high / *guessed.time_us > seen.interval->high / *seen.time_us);
  CHECK_FALSE(estimate_collective("all_gather", 1 << 24, node("H100-SXM5-80GB", 1)).time_us);
  CHECK_FALSE(estimate_collective("gossip", 1 << 24, node("H100-SXM5-80GB", 8)).time_us);
  CHECK_FALSE(estimate_collective("all_gather", 1 << 24, node("H100-SXM5-80GB", 4, "none")).time_us);
  Configuration unknown = node("H100-SXM5-80GB", 4, "");
  unknown.board = nullptr;
  CHECK(estimate_collective("all_gather", 1 << 24, unknown).missing == std::vector<std::string>{"configuration.intra_node"});
}

TEST_CASE("the shipped file is read whole; a broken one gives issues") {
  Issues issues;
  const CollectiveEfficiency shipped = read_collectives(load::embedded_document("data/efficiency/collectives.yaml"), issues);
  CHECK(issues.empty());
  CHECK(shipped.residuals.size() >= 45);
  CHECK(shipped.residual("nvlink4", "reduce_scatter", 1 << 20, 4).seen);
  CHECK_FALSE(shipped.residual("nvlink2", "reduce_scatter", 1 << 20, 4).seen);
  const auto broken =
      load::parse_document("residuals:\n  - {link: nvlink4, kind: all_gather, gpus: 4, first_octave: 9, offsets: [1, 2], spreads: [1]}\n", "x.yaml");
  REQUIRE(broken.value);
  CHECK(read_collectives(*broken.value, issues).residuals.empty());
  REQUIRE(issues.size() == 1);
  CHECK(issues[0].where.line == 2);
}

// Promise against evidence: what passes, what fails and what proves nothing.
#include <map>
#include <steelyard/evidence.hpp>
#include <steelyard/requests.hpp>

#include "support/catch.hpp"

using namespace steelyard;

namespace {

Configuration promise(const std::string& more = "inter_node: {kind: infiniband, gbit_per_s_per_node: 400, ports_per_node: 2}") {
  return value_or_throw(parse_configuration("gpu: A100-SXM4-80GB\ngpus_per_node: 8\nnodes: 2\n" + more + "\n", "promise.yaml", Catalog::embedded()));
}

VerifyReport verify(const Configuration& configuration, const std::vector<EvidenceFile>& files) {
  return Evidence::embedded().verify(configuration, files);
}

VerifyStep step(const VerifyReport& report, char number) {
  for (const VerifyStep& one : report.steps) {
    if (one.step[0] == number) return one;
  }
  FAIL("step " << number << " is not listed");
  return {};
}

std::string port(int number, const std::string& state = "Active", const std::string& physical = "LinkUp", int rate = 200,
                 const std::string& layer = "InfiniBand") {
  return "CA 'mlx5_" + std::to_string(number) + "'\n\tNumber of ports: 1\n\tPort 1:\n\t\tState: " + state + "\n\t\tPhysical state: " + physical +
         "\n\t\tRate: " + std::to_string(rate) + "\n\t\tLink layer: " + layer + "\n";
}

std::string write_bw(double gbit_per_s, const std::string& mtu, const std::string& device = "mlx5_0") {
  char row[120];
  std::snprintf(row, sizeof row, " 65536      5000             %.2f             %.2f               0.37\n", gbit_per_s + 0.1, gbit_per_s);
  const std::string rule(90, '-');
  return rule + "\n                    RDMA_Write BW Test\n Dual-port       : OFF\t\tDevice         : " + device + "\n" +
         (mtu.empty() ? "" : " Mtu             : " + mtu + "[B]\n") + " Link type       : IB\n" + rule +
         "\n #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n" + row + rule + "\n";
}

std::string two_nodes(double busbw, const std::string& wrong = "0") {
  std::string text =
      "# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0\n# Using "
      "devices\n";
  for (int rank = 0; rank < 16; ++rank) {
    text += "#  Rank " + std::to_string(rank) + " Group  0 Pid " + std::to_string(900 + rank) + " on node-" + (rank < 8 ? "a" : "b") + " device " +
            std::to_string(rank % 8) + " [0000:" + std::to_string(10 + rank % 8) + ":00] NVIDIA A100-SXM4-80GB\n";
  }
  char row[160];
  std::snprintf(row, sizeof row,
                "  8589934592    2147483648     float     sum      -1   100000   %.2f   %.2f      %s   100000   %.2f   %.2f      %s\n", busbw / 1.875,
                busbw, wrong.c_str(), busbw / 1.875, busbw, wrong.c_str());
  return text + "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n" + row +
         "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 50\n";
}

const char* const ib_log =
    "n1:1:1 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>\nn1:1:1 [0] NCCL INFO Using network IB\n";

std::string table(int gpus, const std::string& name = "NVIDIA A100-SXM4-80GB") {
  std::string text = "| NVIDIA-SMI 550.90.07   Driver Version: 550.90.07   CUDA Version: 12.4 |\n";
  for (int at = 0; at < gpus; ++at) {
    text += "|   " + std::to_string(at) + "  " + name + "          On |   00000000:1" + std::to_string(at) +
            ":00.0 Off |                    0 |\n| N/A   33C    P0   62W / 400W |   0MiB / 81920MiB |   0%   Default |\n+----+\n";
  }
  return text;
}

/// nvidia-smi topo -m of two GPUs.
std::string two_gpus(const std::string& link) {
  return "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \t" + link + "\t0-31\t0\nGPU1\t" + link +
         "\t X \t0-31\t0\n\nLegend:\n\n  X    = Self\n";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

/// Result of step 0 and the rule that gave it, without the prefix that all share.
std::string identity(const std::string& promised, const std::string& text) {
  const Configuration configuration = value_or_throw(parse_configuration(promised, "promise.yaml", Catalog::embedded()));
  const VerifyStep found = step(verify(configuration, {{"file.txt", text}}), '0');
  const std::string prefix = "verify.step.identity.";
  return found.result + " " + (found.rule.rfind(prefix, 0) == 0 ? found.rule.substr(prefix.size()) : found.rule);
}

std::string burn(int gpus, const std::string& errors, const std::string& table_line) {
  std::string rates, zeros, temperatures, names, results;
  for (int at = 0; at < gpus; ++at) {
    const std::string dash = at > 0 ? " - " : "";
    rates += dash + "9000 (17000 Gflop/s)";
    zeros += dash + (at == gpus - 1 ? errors : "0");
    temperatures += dash + "60 C";
    names += "GPU " + std::to_string(at) + ": NVIDIA A100-SXM4-80GB (UUID: GPU-0000000" + std::to_string(at) + "-1111-2222-3333-444455556666)\n";
    results += "\tGPU " + std::to_string(at) + ": " + (at == gpus - 1 ? table_line : "OK") + "\n";
  }
  return names + "100.0%  proc'd: " + rates + "   errors: " + zeros + "   temps: " + temperatures + "\nTested " + std::to_string(gpus) + " GPUs:\n" +
         results;
}

std::vector<EvidenceFile> everything() {
  return {{"smi.txt", table(8)},
          {"ibstat.txt", port(0) + port(1)},
          {"bw.txt", write_bw(196, "4096")},
          {"nccl.txt", ib_log + two_nodes(75)},
          {"burn.txt", burn(8, "0", "OK")}};
}

std::vector<EvidenceFile> with(const std::string& name, const std::string& text) {
  std::vector<EvidenceFile> files = everything();
  for (EvidenceFile& file : files) {
    if (file.name == name) file.text = text;
  }
  return files;
}

}  // namespace

TEST_CASE("all evidence of a kept promise passes, and every step names its file") {
  const VerifyReport report = verify(promise(), everything());
  CAPTURE(to_json(to_value(report)));
  CHECK(report.result == "pass");
  REQUIRE(report.steps.size() == 6);
  CHECK(step(report, '0').evidence == "smi.txt:1");
  CHECK(step(report, '1').evidence == "ibstat.txt:1");
  CHECK(step(report, '2').evidence == "bw.txt:2");
  CHECK(step(report, '4').evidence == "burn.txt:1");
  CHECK(step(report, '5').result == "not_proven");
  CHECK(step(report, '5').evidence.empty());
}

TEST_CASE("no evidence proves nothing: six steps, none passed, none failed") {
  for (const auto& files : {std::vector<EvidenceFile>{}, std::vector<EvidenceFile>{{"chat.txt", "it all works, trust us"}}}) {
    const VerifyReport report = verify(promise(), files);
    CHECK(report.result == "not_proven");
    REQUIRE(report.steps.size() == 6);
    for (const VerifyStep& one : report.steps) CHECK(one.result == "not_proven");
  }
}

TEST_CASE("each missing piece leaves the whole unproven, each broken piece fails it") {
  for (const char* name : {"ibstat.txt", "bw.txt", "nccl.txt", "burn.txt"}) {
    INFO(name);
    CHECK(verify(promise(), with(name, "")).result == "not_proven");
  }
  const std::pair<std::string, std::string> broken[] = {
      {"smi.txt", table(7)},
      {"smi.txt", table(8, "NVIDIA A100-SXM4-40GB")},
      {"ibstat.txt", port(0) + port(1, "Down", "Polling", 10)},
      {"ibstat.txt", port(0) + port(1, "Down", "LinkUp")},
      {"ibstat.txt", port(0, "Active", "LinkUp", 200, "Ethernet") + port(1, "Active", "LinkUp", 200, "Ethernet")},
      {"bw.txt", write_bw(150, "4096")},
      {"nccl.txt", ib_log + two_nodes(75, "3")},
      {"nccl.txt", ib_log + two_nodes(20)},
      {"nccl.txt", "n1:1:1 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>\nn1:1:1 [0] NCCL INFO Using network Socket\n" + two_nodes(75)},
      {"burn.txt", burn(8, "17 (WARNING!)", "FAULTY")}};
  for (const auto& [name, text] : broken) {
    const VerifyReport report = verify(promise(), with(name, text));
    INFO(name << "\n" << text << "\n" << to_json(to_value(report)));
    CHECK(report.result == "fail");
  }
}

TEST_CASE("the boards are compared in all that was promised of them; nothing that was kept is accused") {
  const std::string eight = "gpu: A100-SXM4-80GB\ngpus_per_node: 8\n";
  CHECK(identity(eight, table(8)) == "pass all");
  CHECK(identity(eight + "driver: '550.54.15'\n", table(8)) == "pass all");
  CHECK(identity(eight + "driver: '550.90'\n", table(8)) == "pass all");
  CHECK(identity(eight + "driver: '535.183.01'\n", table(8)) == "pass all");
  CHECK(identity(eight + "driver: '570.86.15'\n", table(8)) == "fail older_driver");
  CHECK(identity(eight + "driver: '550.127.08'\n", table(8)) == "fail older_driver");
  CHECK(identity(eight, table(8, "NVIDIA A100 80GB PCIe")) == "fail other_board");
  CHECK(identity("gpu: H100-SXM5-80GB\ngpus_per_node: 8\n", table(8)) == "fail other_board");
  CHECK(identity(eight, table(4)) == "fail few");
  CHECK(identity("gpu: A100-SXM4-80GB\n", replaced(table(1, "GRID A100DX-40C"), "81920MiB", "40960MiB")) == "fail virtual_share");
  CHECK(identity("gpu: A100-SXM4-80GB\n", replaced(table(1, "NVIDIA A100-SXM..."), "81920MiB", "40960MiB")) == "fail less_memory");
}

TEST_CASE("links between GPUs are compared with the promise, and with what the board has") {
  const std::string two = "gpu: A100-SXM4-80GB\ngpus_per_node: 2\n";
  CHECK(identity(two, two_gpus("NV12")) == "not_proven open");
  CHECK(identity(two, two_gpus("NV8")) == "fail fewer_links");
  CHECK(identity(two, two_gpus("PHB")) == "fail no_nvlink");
  CHECK(identity(two + "intra_node: pcie\n", two_gpus("PHB")) == "not_proven open");
  const std::string cards = "gpu: A100-PCIe-80GB\ngpus_per_node: 2\n";
  CHECK(identity(cards, two_gpus("SYS")) == "not_proven open");
  CHECK(identity(cards + "intra_node: nvlink_pairs\n", two_gpus("SYS")) == "fail no_nvlink");
  CHECK(identity(cards + "intra_node: nvlink_pairs\n", two_gpus("NV12")) == "not_proven open");
}

TEST_CASE("write bandwidth: what the MTU allows is due") {
  const std::map<std::string, double> due{{"1024", 0.90}, {"2048", 0.93}, {"4096", 0.96}};
  for (const auto& [mtu, share] : due) {
    INFO(mtu);
    CHECK(step(verify(promise(), {{"bw", write_bw(200 * share + 0.01, mtu)}}), '2').result == "pass");
    CHECK(step(verify(promise(), {{"bw", write_bw(200 * share - 0.01, mtu)}}), '2').result == "fail");
  }
  CHECK(step(verify(promise(), {{"bw", write_bw(191, "")}}), '2').result == "not_proven");
  CHECK(step(verify(promise(), {{"bw", write_bw(193, "")}}), '2').result == "pass");
  CHECK(step(verify(promise(), {{"bw", write_bw(199, "4096", "rxe0")}}), '2').result == "fail");
  CHECK(step(verify(promise(), {{"good", write_bw(199, "4096")}, {"bad", write_bw(120, "4096", "mlx5_1")}}), '2').evidence == "bad:2");
}

TEST_CASE("ports are counted: slower ones and those of the other layer are not the promised ones") {
  CHECK(step(verify(promise(), {{"p", port(0) + port(1)}}), '1').result == "pass");
  CHECK(step(verify(promise(), {{"p", port(0) + port(1) + port(2, "Down", "Disabled", 40, "Ethernet")}}), '1').result == "pass");
  CHECK(step(verify(promise(), {{"p", port(0)}}), '1').result == "fail");
  CHECK(step(verify(promise(), {{"p", port(0) + port(1, "Active", "LinkUp", 100)}}), '1').result == "fail");
  CHECK(step(verify(promise(), {{"p", port(0) + port(1, "Initializing")}}), '1').result == "fail");
  const std::string slower =
      port(0, "Active", "LinkUp", 100) + port(1, "Active", "LinkUp", 100) + port(2, "Active", "LinkUp", 100) + port(3, "Active", "LinkUp", 100);
  CHECK(step(verify(promise(), {{"p", slower}}), '1').result == "pass");
  CHECK(step(verify(promise("inter_node: {kind: infiniband, gbit_per_s_per_node: 400, gbit_per_s_per_port: 200}"), {{"p", slower}}), '1').result ==
        "fail");
  const Configuration qdr = promise("inter_node: {kind: infiniband, gbit_per_s_per_node: 40, ports_per_node: 1}");
  CHECK(step(verify(qdr, {{"p", port(0, "Active", "LinkUp", 40)}}), '1').result == "pass");
}

TEST_CASE("a collective counts only with a log that names the promised transport") {
  CHECK(step(verify(promise(), {{"run", two_nodes(75)}}), '3').result == "not_proven");
  CHECK(step(verify(promise(), {{"log", ib_log}}), '3').result == "not_proven");
  CHECK(step(verify(promise(), {{"log", ib_log}, {"run", two_nodes(75)}}), '3').result == "pass");
  const std::string roce =
      "n1:1:1 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.1<0>\nn1:1:1 [0] NCCL INFO Using network IB\n";
  CHECK(step(verify(promise(), {{"log", roce}, {"run", two_nodes(75)}}), '3').result == "not_proven");
  CHECK(step(verify(promise("inter_node: {kind: roce, gbit_per_s_per_node: 400, ports_per_node: 2}"), {{"log", roce}, {"run", two_nodes(75)}}), '3')
            .result == "pass");
  const std::string staged = std::string(ib_log) + "n1:1:1 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'\n";
  const Configuration direct = promise("inter_node: {kind: infiniband, gbit_per_s_per_node: 400, ports_per_node: 2, gpudirect: true}");
  CHECK(step(verify(direct, {{"log", staged}, {"run", two_nodes(75)}}), '3').result == "fail");
  const std::string failed =
      std::string(ib_log) + "n1:1:1 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.2<4> with error 12, opcode 0, len 0, vendor err 129\n";
  CHECK(step(verify(promise(), {{"log", failed}}), '3').result == "fail");
}

TEST_CASE("gpu-burn: its OK and its exit code prove nothing without work on every GPU") {
  CHECK(step(verify(promise(), {{"b", burn(8, "0", "OK")}}), '4').result == "pass");
  CHECK(step(verify(promise(), {{"b", burn(7, "0", "OK")}}), '4').result == "not_proven");
  CHECK(step(verify(promise(), {{"b", "Tested 8 GPUs:\n\tGPU 0: OK\n"}}), '4').result == "not_proven");
  CHECK(step(verify(promise(), {{"b", "100.0%  proc'd: 0 (0 Gflop/s)   errors: 0   temps: 31 C\nTested 1 GPUs:\n\tGPU 0: OK\n# exit code 0\n"}}), '4')
            .result == "not_proven");
  CHECK(step(verify(promise(), {{"b", burn(8, "5 (WARNING!)", "OK")}}), '4').result == "fail");
}

TEST_CASE("a stated throughput is checked, and a bad one fails an otherwise proven offer") {
  const std::string network = "inter_node: {kind: infiniband, gbit_per_s_per_node: 400, ports_per_node: 2}\nmeasured: {tokens_per_s: 1000}";
  std::vector<EvidenceFile> files = everything();
  files.push_back({"train.log", "step 10 tokens/s 912\n"});
  CHECK(verify(promise(network), files).result == "pass");
  files.back().text = "step 10 tokens/s 880\n";
  const VerifyReport report = verify(promise(network), files);
  CHECK(report.result == "fail");
  CHECK(step(report, '5').result == "fail");
}

TEST_CASE("the report names no host and no address") {
  const std::string json = to_json(to_value(verify(promise(), everything())));
  CHECK(json.find("node-a") == std::string::npos);
  CHECK(json.find("10.0.0.1") == std::string::npos);
  CHECK(json.find("host names") != std::string::npos);
}

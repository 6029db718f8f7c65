// Forms of outputs that are rare in manuals and common in threads: other loggers, other versions, broken machines. The texts are made up.
#include <algorithm>

#include "evidence/read/paste.hpp"
#include "records.hpp"

using namespace steelyard;

namespace {

std::string class_of(std::string_view text) { return Evidence::embedded().read(text).verdict.verdict_class; }

const std::string table_head =
    "| NVIDIA-SMI 525.105.17   Driver Version: 525.105.17   CUDA Version: 12.0     |\n"
    "|-------------------------------+----------------------+----------------------+\n";

std::string before_each_line(const std::string& prefix, const std::string& text) {
  std::string result = prefix;
  for (const char character : text) {
    result += character;
    if (character == '\n') result += prefix;
  }
  return result;
}

}  // namespace

TEST_CASE("loggers, the journal, torchrun and pagers write in front of lines") {
  const std::string listing =
      "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n\t Link 0: 26.562 GB/s\n\t Link 1: <inactive>\nGPU 1: NVIDIA H100 80GB HBM3\n\t Link 0: 26.562 "
      "GB/s";
  const ToolRecord plain = only(listing);
  CHECK(fact(plain, "links_inactive") == Value(1));
  for (const char* prefix : {"Mar  4 10:11:12 node-7 check[2334]: ", "[rank3]: ", "[default0]:", "2026-03-04 10:11:12,123 INFO ",
                             "2026-03-04 10:11:12,123 - INFO - ", "[2026-03-04 10:11:12] [INFO] ", "node-7: [1,0]<stdout>:", "12: [rank0]: "}) {
    INFO(prefix);
    CHECK(only(before_each_line(prefix, listing)).facts == plain.facts);
  }
  std::string numbered, escaped = listing;
  int number = 0;
  for (std::size_t at = 0; at < listing.size();) {
    const std::size_t end = std::min(listing.find('\n', at), listing.size());
    numbered += "     " + std::to_string(++number) + "\t" + listing.substr(at, end - at) + "\n";
    at = end + 1;
  }
  CHECK(only(numbered).facts == plain.facts);
  escaped.replace(escaped.find("<inactive>"), 10, "&lt;inactive&gt;");
  CHECK(only(escaped).facts == plain.facts);
}

TEST_CASE("what names the source of a message stays") {
  const char* const journal = "Mar  4 10:11:12 node-7 nv-fabricmanager[99]: version 550.1 doesn't match with driver version 550.2\n";
  CHECK(fact(only(journal), "status") == Value("version_mismatch"));
  CHECK(class_of(journal) == "config_fault");
  CHECK(evidence::clean("2026-03-04 10:11:12 ERROR: x\n").lines.at(0).text == "ERROR: x");
  CHECK(evidence::clean("1\tone\n2\ttwo\nthree\n").lines.at(0).text == "1\tone");
}

TEST_CASE("kernel messages without an Xid") {
  const char* const lost =
      "[ 10.1] NVRM: The NVIDIA GPU 0000:b3:00.0\n"
      "               NVRM: (PCI ID: 10de:26b5) installed in this system has\n"
      "               NVRM: fallen off the bus and is not responding to commands.\n";
  CHECK(fact(only(lost), "status") == Value("fallen_off_bus"));
  CHECK(fact(only(lost), "pci") == Value("0000:b3:00"));
  CHECK(class_of(lost) == "defective");
  CHECK(only("[1.2] NVRM: Xid (PCI:0000:b3:00): 79, pid=1, GPU has fallen off the bus.\n[1.2] NVRM: GPU 0000:b3:00.0: GPU has fallen off the bus.\n")
            .subject == "xid");
  CHECK(class_of("[1.2] NVRM: GPU 0000:09:00.0: RmInitAdapter failed! (0x22:0x56:894)\n") == "defective");
  CHECK(class_of("[1.2] NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:2330)\n[1.2] NVRM: installed in this system is not supported by the\n") ==
        "software_unfit");
  CHECK(class_of("[1.2] NVRM: API mismatch: the client has the version 535.1, but\nNVRM: this kernel module has the version 535.2.\n") ==
        "config_fault");
  const char* const bus = "[2.1] nvidia 0000:41:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)\n";
  CHECK(fact(only(bus), "corrected") == Value(1));
  CHECK(class_of(bus) == "degraded");
  CHECK(read_tool_output("[2.1] nvme 0000:41:00.0: PCIe Bus Error: severity=Corrected\n").empty());
}

TEST_CASE("an Xid that follows from another one, and one that is not fatal") {
  CHECK(class_of("NVRM: Xid (PCI:0000:dc:00): 45, pid=1, name=python3, Ch 00000001 caused by previous Xid 149\n") == "defective");
  CHECK(class_of("NVRM: Xid (PCI:0000:dc:00): 45, pid=1, name=python3, Ch 00000001 caused by previous Xid 43\n") == "info");
  CHECK(class_of("NVRM: Xid (PCI:0018:01:00): 145, RLW_RXPIPE Nonfatal XC0 i0 Link 13 (0x0409a0c2)\n") == "degraded");
  CHECK(class_of("NVRM: Xid (PCI:0018:01:00): 149, NETIR Fatal XC0 i0 Link -1 (0x000fe406)\n") == "defective");
}

TEST_CASE("dcgmi diag -j of DCGM 3 and 4") {
  const ToolRecord three = only(
      R"({"DCGM GPU Diagnostic": {"version": "3.3.1", "Driver Version Detected": "545.23.08", "GPU Device IDs": ["2330", "2330"], "test_categories": [
      {"category": "Integration", "tests": [{"name": "PCIe", "results": [{"gpu_ids": "0", "status": "Pass"}, {"gpu_ids": "1", "status": "Fail", "warnings": ["slow"]}]}]}]}})");
  CHECK(three.tool == "dcgmi-diag");
  CHECK(three.tool_version == "3.3.1");
  CHECK(three.complete);
  CHECK(fact(three, "gpus") == Value(2));
  CHECK(*fact(three, "tests").find("pcie") == Value("fail"));
  CHECK(fact(three, "failed_gpus") == Value(Value::List{Value(1)}));
  const std::string four =
      R"({"DCGM Diagnostic": {"test_categories": [{"category": "Deployment", "tests": [{"name": "software", "results": [{"entity_group": "GPU", "entity_id": 0,
      "status": "Fail", "warnings": [{"error_id": 29, "warning": "Persistence Mode: Persistence mode for GPU 0 is disabled."}]}], "test_summary": {"status": "Fail"}}]}]},
      "metadata": {"DCGM Version": "4.2.3", "Driver Version Detected": "570.1"}})";
  CHECK(only(four).tool_version == "4.2.3");
  CHECK(class_of(four) == "config_fault");
  CHECK_FALSE(only(four.substr(0, four.find("\"metadata\""))).complete);
}

TEST_CASE("gpu-burn: a counter that overflowed is no count, its warning counts") {
  const char* const burn = "40.0%  proc'd: 180 (6311 Gflop/s) - 120 (6440 Gflop/s)   errors: 0 - -524288000  (WARNING!)  temps: 51 C - 45 C\n";
  CHECK(fact(only(burn), "errors").is_null());
  CHECK(class_of(burn) == "defective");
}

TEST_CASE("nvbandwidth: the sum names a test whose first line is missing") {
  const ToolRecord record = only(
      "nvbandwidth Version: v0.8\n...\nmemcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n           0         1\n 0       N/A     26.34\n"
      " 1     21.80       N/A\n\nSUM device_to_device_memcpy_read_ce 48.14\n");
  CHECK(record.subject == "device_to_device_memcpy_read_ce");
  CHECK(fact(record, "min_gb_per_s").as_number() == 21.8);
  CHECK(fact(record, "sum_gb_per_s").as_number() == 48.14);
}

TEST_CASE("what is not there is no GPU and no version") {
  const ToolRecord laptop = only(
      "Collecting environment information...\nPyTorch version: 2.2.2\nCUDA used to build PyTorch: None\nIs CUDA available: False\n"
      "CUDA runtime version: No CUDA\nGPU models and configuration: No CUDA\nNvidia driver version: No CUDA\n");
  for (const char* key : {"gpu", "gpus", "driver", "cuda_runtime", "cuda_build"}) CHECK(fact(laptop, key).is_null());
  CHECK(fact(only("Driver Version                            : 580.1\nCUDA Version                              : Not Found\nAttached GPUs           "
                  "                  : 4\n"),
             "cuda")
            .is_null());
}

TEST_CASE("a GPU outside the NVLink net of the others, and a matrix that leaves NVLink out") {
  const std::string rows =
      "GPU0     X      NV18    NODE    NV18\nGPU1    NV18     X      NODE    NV18\nGPU2    NODE    NODE     X      NODE\nGPU3    NV18    NV18    "
      "NODE     X\n";
  const std::string lost = "        GPU0    GPU1    GPU2    GPU3\n" + rows;
  CHECK(fact(only(lost), "gpus_without_nvlink") == Value(Value::List{Value(2)}));
  CHECK(class_of(lost) == "degraded");
  const std::string pairs = "        GPU0    GPU1    GPU2\nGPU0     X      NV4     SYS\nGPU1    NV4      X      SYS\nGPU2    SYS     SYS      X\n";
  CHECK(fact(only(pairs), "gpus_without_nvlink").is_null());
  CHECK(class_of(pairs) == "info");
  const std::string bus = "        GPU0    GPU1\nGPU0     X      NODE\nGPU1    NODE     X\n";
  CHECK(class_of("$ nvidia-smi topo -mp\n" + bus) == "info");
  CHECK(class_of("$ nvidia-smi topo -m\n" + bus) == "pcie_only");
}

TEST_CASE("nccl-tests: a relative error is no count, a row without its last column is cut") {
  const ToolRecord old = only(
      "     1048576        262144     float     sum    406.8    0.32    0.62  7e-07    468.9    0.28    0.54  7e-07\n"
      "    33554432       8388608     float     sum    850.8    39.4    69.0  7e-07    868.9    38.6    67.6  7e-07\n");
  CHECK(fact(old, "rows") == Value(2));
  CHECK(fact(old, "wrong_values").is_null());
  const char* const cut =
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
      "     1048576          8192     float    none      -1   1456.6    0.72    0.70      0   1304.0    0.80    0.78      0\n"
      "     2097152         16384     float    none      -1    70248    0.03    0.03      0    73593    0.03    0.03\n";
  CHECK(fact(only(cut), "rows") == Value(1));
  const char* const footer = "# Errors with asterisks indicate errors that have exceeded the maximum threshold.\n# Out of bounds values : 0 OK\n";
  CHECK(only(std::string(cut) + footer).tool == "rccl-tests");
}

TEST_CASE("NCCL log: sockets of one node carry nothing, failures of CUDA are no network") {
  const std::string log =
      "n-1:7:9 [0] NCCL INFO NET/IB : No device found.\nn-1:7:9 [0] NCCL INFO NET/Socket : Using [0]eno1:10.0.0.1<0>\n"
      "n-1:7:9 [0] NCCL INFO Using network Socket\n";
  CHECK(class_of(log) == "not_rdma");
  CHECK(class_of(log + "n-1:7:9 [0] NCCL INFO comm 0x5 rank 0 nRanks 8 nNodes 1 localRanks 8 localRank 0 MNNVL 0\n") == "info");
  CHECK(class_of(log + "n-1:7:9 [0] NCCL INFO comm 0x5 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0\n") == "not_rdma");
  CHECK(class_of(log + "n-1:7:9 [0] p2p.cc:238 NCCL WARN failed to open CUDA IPC handle : 217 peer access is not supported\n") == "config_fault");
  CHECK(class_of("n-1:7:9 [0] enqueue.cc:1085 NCCL WARN Cuda failure 'out of memory'\n") == "config_fault");
}

TEST_CASE("nvidia-smi -q: health of the fabric, what the driver wants, SRAM beyond its limit") {
  const std::string fabric =
      "    Fabric\n        State                             : Completed\n        Status                            : Success\n"
      "        CliqueId                          : 2\n        Health\n            Summary                       : ";
  CHECK(class_of(fabric + "Unhealthy\n") == "degraded");
  CHECK(fact(only(fabric + "Healthy\n"), "fabric_health") == Value("Healthy"));
  CHECK(fact(only(fabric + "N/A\n"), "fabric_health").is_null());
  const std::string head = "==============NVSMI LOG==============\nAttached GPUs                             : 1\nGPU 00000000:42:00.0\n";
  CHECK(class_of(head + "    GPU Recovery Action                   : Reset\n") == "degraded");
  CHECK(class_of(head + "    ECC Errors\n        Aggregate\n            SRAM Threshold Exceeded       : Yes\n") == "defective");
  CHECK(class_of(head + "    ECC Errors\n        Volatile\n            Double Bit\n                Total                 : 3\n        Aggregate\n"
                        "            Double Bit\n                Total                 : 3\n") == "defective");
}

TEST_CASE("perftest: a counter that overflowed gives no bandwidth") {
  const ToolRecord record = only(
      " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n 65536      1571862312       0.00               -4.01  \t\t "
      "  -0.007657\n");
  CHECK(fact(record, "rows") == Value(0));
  CHECK(fact(record, "bandwidth_gbit_per_s").is_null());
}

TEST_CASE("an address that is glued to a word goes") {
  CHECK(redact("vendor err 129 (Recv) remoteGidsfd00:1148:9000:5000:4:200:3:ff1f").text == "vendor err 129 (Recv) remoteGids<address>");
}

TEST_CASE("a shortened device list is no count of ranks") {
  const std::string row = "  8589934592    2147483648     float     sum      -1    20299  423.16  834.57      0    20006  429.37  846.82      0\n";
  const std::string gap = "#  Rank 71 Group  0 Pid  14840 on n-18 device  3 [0x01] NVIDIA GB200\n" + row;
  CHECK(fact(only(gap), "ranks") == Value(72));
  CHECK(fact(only(gap), "ranks_from") == Value("ratio"));
  CHECK(fact(only(gap), "nodes").is_null());
  const std::string start =
      "#  Rank  0 Group  0 Pid  1 on n-1 device  0 [0x01] NVIDIA GB200\n#  Rank  1 Group  0 Pid  2 on n-1 device  1 [0x02] NVIDIA GB200\n" + row;
  CHECK(fact(only(start), "ranks") == Value(72));
  CHECK(fact(only(start), "nodes").is_null());
  const ToolRecord alone = only(
      "#  Rank  0 Pid  1 on n-1 device  0 [0x01] Tesla V100-SXM2-16GB\n"
      "  1310720000     327680000     float     sum   3420.1  383.24    0.00  0e+00     1.04  1.3e+06    0.00  0e+00\n");
  CHECK(fact(alone, "rows") == Value(1));
  CHECK(fact(alone, "ranks") == Value(1));
}

TEST_CASE("perftest that did not begin names its error") {
  const char* const text = "# ib_write_bw -d mlx5_0 10.1.2.3\nCouldn't connect to 10.1.2.3:18515\nUnable to init the socket connection\n";
  CHECK(only(text).subject == "write_bw");
  CHECK(fact(only(text), "error") == Value("Couldn't connect to <address>:18515"));
  CHECK(class_of(text) == "config_fault");
  CHECK(class_of("Unable to create QP.\nFailed to create QP.\n Couldn't create IB resources\n") == "config_fault");
}

TEST_CASE("an adapter without power or with a faulty cable") {
  const char* const power = "[1.1] mlx5_core 0000:5c:00.0: mlx5_pcie_event:299:(pid 2): Detected insufficient power on the PCIe slot (27W).\n";
  CHECK(fact(only(power), "status") == Value("insufficient_power"));
  CHECK(fact(only(power), "pci") == Value("0000:5c:00"));
  CHECK(class_of(power) == "degraded");
  CHECK(class_of("[1.1] mlx5_core 0000:1a:00.0: Port module event[error]: module 0, Cable error, High Temperature\n") == "degraded");
  CHECK(read_tool_output("[1.1] mlx5_core 0000:1a:00.0: Port module event: module 0, Cable plugged\n").empty());
}

TEST_CASE("a query repeats its columns, and OSU prints more columns than its heading") {
  const ToolRecord query =
      only("$ nvidia-smi -i 0 --query-gpu=pci.bus_id,mig.mode.current --format=csv\npci.bus_id, mig.mode.current\n00000000:01:00.0, Enabled\n");
  CHECK(fact(query, "gpus") == Value(1));
  CHECK(fact(query, "mig") == Value(true));
  const ToolRecord osu = only(
      "# OSU MPI-CUDA Reduce Latency Test v7.3\n# Size       Avg Latency(us)\n1                      50.89             18.27             89.23       "
      " 1000\n"
      "2                      50.20             18.24             88.37        1000\n4                      49.70             17.48\n");
  CHECK(fact(osu, "rows") == Value(2));
  CHECK(fact(osu, "latency_us").as_number() == 50.89);
  CHECK_FALSE(osu.complete);
}

TEST_CASE("error counters of NVLinks") {
  const std::string head = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n";
  const std::string sound = head + "\t Link 0: Replay Errors: 0\n\t Link 0: Recovery Errors: 0\n\t Link 0: CRC Errors: 0\n";
  CHECK(only(sound).tool == "nvidia-smi-nvlink-errors");
  CHECK(class_of(sound) == "healthy");
  const std::string bad = head + "\t Link 1: Replay Errors: 113\n\t Link 1: Recovery Errors: 4\n\t Link 1: CRC Errors: 81234\n";
  CHECK(fact(only(bad), "recovery_errors") == Value(4));
  CHECK(class_of(bad) == "degraded");
  CHECK(class_of(head + "\t Link 1: Replay Errors: 2\n\t Link 1: Recovery Errors: 0\n") == "info");
  const auto both = read_tool_output(head + "\t Link 0: 26.562 GB/s\n" + sound);
  REQUIRE(both.size() == 2);
  CHECK(both.front().complete);
}

TEST_CASE("counts with a power of ten are counts, and MIG of one GPU is MIG") {
  const ToolRecord damaged =
      only("   134217728      33554432     float     sum      -1    12463   10.77   10.77  1e+06    12457   10.77   10.77      0\n");
  CHECK(fact(damaged, "wrong_values") == Value(1'000'000));
  const std::string gpu =
      "|   0  NVIDIA A100 80G...  On   | 00000000:17:00.0 Off |                    0 |\n| N/A   29C    P0    43W / 300W |      0MiB / 81920MiB |     "
      " 0%      Default |\n";
  const ToolRecord mixed = only(table_head + gpu + "|                               |                      |             Disabled |\n" + gpu +
                                "|                               |                      |              Enabled |\n");
  CHECK(fact(mixed, "mig") == Value(true));
}

TEST_CASE("two directions at once tell the link too, and empty lines do not end a query") {
  CHECK(class_of("Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)\n   D\\D     0      1\n     0 919.56  41.38\n     1  41.38 923.19\n") ==
        "pcie_only");
  const char* const query = "index, name, pcie.link.width.current, pcie.link.width.max\n\n0, NVIDIA L40S, 16, 16\n\n1, NVIDIA L40S, 8, 16\n";
  CHECK(fact(only(query), "gpus") == Value(2));
  CHECK(class_of(query) == "degraded");
}

TEST_CASE("collect_env with padded keys, and GPUDirect that a plugin turns off") {
  const ToolRecord list = only(
      "Is CUDA available            : True\nGPU models and configuration : \nGPU 0: NVIDIA H20\nGPU 1: NVIDIA H20\n\nNvidia driver version        : "
      "535.161.08\n");
  CHECK(fact(list, "gpus") == Value(2));
  CHECK(fact(list, "gpu") == Value("NVIDIA H20"));
  CHECK(fact(list, "driver") == Value("535.161.08"));
  CHECK(fact(only("GPU models and configuration : GPU 0: NVIDIA GH200 144G HBM3e\nIs CUDA available : True\n"), "gpu") ==
        Value("NVIDIA GH200 144G HBM3e"));
  CHECK(
      fact(
          only(
              "PyTorch version              : 2.7.1+cu128\nCUDA used to build PyTorch   : 12.8\nGPU models and configuration :\nGPU 0: NVIDIA H20\n"),
          "torch") == Value("2.7.1+cu128"));
  const char* const log =
      "n-1:7:9 [0] NCCL INFO NET/OFI Could not disable CUDA API usage for HMEM, disabling GDR\nn-1:7:9 [0] NCCL INFO Using network Libfabric\n";
  CHECK(fact(only(log), "gpudirect") == Value(false));
  CHECK(class_of(log) == "degraded");
}

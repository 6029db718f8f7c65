// Readers of GPU and system tools. The texts are made up in the tools' own formats.
#include "records.hpp"

using namespace steelyard;

namespace {

const std::string table_head =
    "+-----------------------------------------------------------------------------+\n"
    "| NVIDIA-SMI 525.105.17   Driver Version: 525.105.17   CUDA Version: 12.0     |\n"
    "|-------------------------------+----------------------+----------------------+\n";

}  // namespace

TEST_CASE("nvidia-smi table: a cut name is no name, ERR! is a sensor fault") {
  const std::string rows =
      "|   0  NVIDIA A100-PCI...  Off  | 00000000:1F:00.0 Off |                    0 |\n"
      "|ERR!   35C    P0    48W / 250W |      3MiB / 40960MiB |      0%   E. Process |\n"
      "|                               |                      |             Disabled |\n";
  const ToolRecord record = only(table_head + rows + "+-------------------------------+----------------------+----------------------+\n");
  CHECK(record.tool == "nvidia-smi");
  CHECK(record.complete);
  CHECK(fact(record, "driver") == Value("525.105.17"));
  CHECK(fact(record, "gpu").is_null());
  CHECK(fact(record, "memory_mib") == Value(40960));
  CHECK(fact(record, "power_cap_w").as_number() == 250);
  CHECK(fact(record, "mig") == Value(false));
  CHECK(fact(record, "compute_mode") == Value("E. Process"));
  CHECK(fact(record, "sensor_errors") == Value(Value::List{Value("fan")}));
  CHECK_FALSE(only(table_head + rows).complete);
}

TEST_CASE("nvidia-smi: what it says instead of a table, and its list") {
  CHECK(fact(only("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"), "error").is_string());
  const ToolRecord list =
      only("GPU 0: NVIDIA L4 (UUID: GPU-a0000001-1111-2222-3333-000000000001)\nGPU 1: NVIDIA L4 (UUID: GPU-a0000002-1111-2222-3333-000000000002)\n");
  CHECK(fact(list, "gpus") == Value(2));
  CHECK(fact(list, "gpu") == Value("NVIDIA L4"));
}

TEST_CASE("nvidia-smi -q: keys by section, worst card counts") {
  const ToolRecord record = only(
      "==============NVSMI LOG==============\nDriver Version                            : 535.86.10\nCUDA Version                              : "
      "12.2\n\n"
      "Attached GPUs                             : 2\n"
      "GPU 00000000:53:00.0\n    Remapped Rows\n        Pending                           : No\n        Remapping Failure Occurred        : No\n"
      "    Clocks Throttle Reasons\n        HW Slowdown                       : Not Active\n        SW Thermal Slowdown               : Not Active\n"
      "GPU 00000000:54:00.0\n    Remapped Rows\n        Pending                           : Yes\n        Remapping Failure Occurred        : No\n"
      "    Clocks Throttle Reasons\n        HW Slowdown                       : Active\n            HW Thermal Slowdown           : Active\n        "
      "SW Thermal Slowdown               : Not Active\n");
  CHECK(record.tool == "nvidia-smi-q");
  CHECK(fact(record, "gpus") == Value(2));
  CHECK(fact(record, "attached_gpus") == Value(2));
  CHECK(fact(record, "remap_pending") == Value(true));
  CHECK(fact(record, "throttle_reasons") == Value(Value::List{Value("hw_slowdown"), Value("hw_thermal_slowdown")}));
  CHECK(record.complete);
}

TEST_CASE("nvidia-smi --query-gpu: columns from the heading or from the command") {
  const ToolRecord heading = only("index, name, pcie.link.gen.current, pcie.link.width.current\n0, NVIDIA L4, 4, 16\n1, NVIDIA L4, 4, 8\n");
  CHECK(fact(heading, "pcie_width") == Value(8));
  CHECK(fact(heading, "gpu") == Value("NVIDIA L4"));
  const ToolRecord command = only("$ nvidia-smi --query-gpu=index,pcie.link.gen.current,pcie.link.gen.max --format=csv\n0, 5, 5\n1, 3, 5\n");
  CHECK(fact(command, "pcie_gen") == Value(3));
  CHECK(fact(command, "pcie_gen_max") == Value(5));
}

TEST_CASE("nvidia-smi nvlink: inactive links are named") {
  const ToolRecord record = only(
      "GPU 2: NVIDIA A100-SXM4-40GB (UUID: GPU-a0000003-1111-2222-3333-000000000003)\n\t Link 0: 25 GB/s\n\t Link 1: <inactive>\nGPU 3: NVIDIA "
      "A100-SXM4-40GB (UUID: GPU-a0000004-1111-2222-3333-000000000003)\nNVML: Unable to retrieve NVLink information as all links are inactive\n");
  CHECK(fact(record, "links_active") == Value(1));
  CHECK(fact(record, "links_inactive") == Value(1));
  CHECK(fact(record, "inactive_links").as_list().at(0).find("gpu")->as_int() == 2);
  CHECK(fact(record, "gpus_without_links") == Value(Value::List{Value(3)}));
}

TEST_CASE("topology: a pair counts once, a missing row is filled by symmetry, Markdown is fine") {
  const ToolRecord record = only("\tGPU0\tGPU1\tNIC0\tCPU Affinity\nGPU0\t X \tNV4\tPIX\t0-15\n");
  CHECK(fact(record, "gpu_pairs").find("NV4")->as_int() == 1);
  CHECK(fact(record, "nics") == Value(1));
  CHECK(fact(record, "all_pairs_nvlink") == Value(true));
  CHECK_FALSE(record.complete);
  const ToolRecord markdown = only(" | GPU0 | GPU1 | CPU Affinity\n-- | -- | -- | --\nGPU0 | X | PHB | 0-3\nGPU1 | PHB | X | 0-3\n");
  CHECK(fact(markdown, "worst_gpu_link") == Value("PHB"));
  CHECK(markdown.complete);
}

TEST_CASE("topology of peer access") {
  const ToolRecord record = only("$ nvidia-smi topo -p2p w\n\tGPU0\tGPU1\n GPU0\tX\tCNS\n GPU1\tCNS\tX\n");
  CHECK(record.tool == "nvidia-smi-topo-p2p");
  CHECK(record.subject == "write");
  CHECK(fact(record, "all_ok") == Value(false));
}

TEST_CASE("nvbandwidth: a record a test; a cut number is left out") {
  const auto records = read_tool_output(
      "nvbandwidth Version: v0.6\nCUDA Driver Version: 12040\nDriver Version: 550.54.15\nDevice 0: NVIDIA H100 (00000000:01:00)\n"
      "Running host_to_device_memcpy_ce.\nmemcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n           0         1\n 0     55.10     50.20\n\nSUM "
      "host_to_device_memcpy_ce 105.30\n"
      "Running device_to_host_memcpy_ce.\nmemcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)\n           0         1\n 0     55.10     5");
  REQUIRE(records.size() == 2);
  CHECK(fact(records[0], "min_gb_per_s") == Value(50.2));
  CHECK(fact(records[0], "sum_gb_per_s") == Value(105.3));
  CHECK(records[0].complete);
  CHECK(fact(records[1], "min_gb_per_s") == Value(55.1));
  CHECK_FALSE(records[1].complete);
}

TEST_CASE("p2pBandwidthLatencyTest: off and on are not mixed up") {
  const ToolRecord record = only(
      "Device: 0, NVIDIA L4, pciBusID: 2, pciDeviceID: 0, pciDomainID:0\nDevice: 1, NVIDIA L4, pciBusID: 17, pciDeviceID: 0, pciDomainID:0\n"
      "Device=0 CANNOT Access Peer Device=1\nDevice=1 CANNOT Access Peer Device=0\n"
      "Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n   D\\D     0      1\n     0 200.00   6.30\n     1   6.40 201.00\n"
      "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n   D\\D     0      1\n     0 202.00  11.00\n     1  12.00 20");
  CHECK(fact(record, "peer_access") == Value("none"));
  CHECK(fact(record, "unidirectional_p2p_off_max_gb_per_s") == Value(6.4));
  CHECK(fact(record, "unidirectional_p2p_on_min_gb_per_s") == Value(11.0));
  CHECK(fact(record, "local_min_gb_per_s") == Value(200.0));
  CHECK_FALSE(record.complete);
}

TEST_CASE("gpu-burn: OK without work, garbage counters of a dead process") {
  const ToolRecord idle = only(
      "GPU 0: NVIDIA L4 (UUID: GPU-a0000001-1111-2222-3333-000000000001)\n100.0%  proc'd: 0 (0 Gflop/s)   errors: 0   temps: 31 C\nTested 1 "
      "GPUs:\n\tGPU 0: OK\n");
  CHECK(fact(idle, "ok") == Value(1));
  CHECK(fact(idle, "min_gflops").is_null());
  CHECK(fact(idle, "gpus_with_work") == Value(0));
  const ToolRecord dead = only("50.0%  proc'd: -1 (0 Gflop/s) - 10 (900 Gflop/s)   errors: 1641686072  (DIED!)- 0   temps: 33 C - 29 C\n");
  CHECK(fact(dead, "died") == Value(1));
  CHECK(fact(dead, "errors").is_null());
  const ToolRecord wrong = only("50.0%  proc'd: 10 (900 Gflop/s) - 10 (910 Gflop/s)   errors: 3  (WARNING!)- 4   temps: 33 C - 71 C\n");
  CHECK(fact(wrong, "errors") == Value(7));
  CHECK(fact(wrong, "max_temperature_c").as_number() == 71);
}

TEST_CASE("memory streams: three programs, three records") {
  const ToolRecord babel = only(
      "BabelStream\nVersion: 5.0\nImplementation: CUDA\nPrecision: double\nUsing CUDA device NVIDIA L4\nFunction    MBytes/sec  Min (sec)   Max      "
      "   Average\nTriad       250000.5 0.1 0.1 0.1\n");
  CHECK(babel.tool == "babelstream");
  CHECK(fact(babel, "triad_gb_per_s").as_number() == Approx(250.0005));
  CHECK_FALSE(babel.complete);
  const ToolRecord gpu = only(
      "Device 0: \"NVIDIA L4\"  58 SMs(8.9)  Memory: 6251MHz x 192-bit = 300 GB/s PEAK   ECC is "
      "ON\nSTREAM_TRIAD_double_gpu_0_buffer_4294967296_block_128    250.00 83.3\nSTREAM_TRIAD_double_gpu_0_buffer_4294967296_block_256    260.00 "
      "86.7\n");
  CHECK(gpu.tool == "gpu-stream");
  CHECK(fact(gpu, "triad_gb_per_s") == Value(260.0));
  CHECK(fact(gpu, "peak_gb_per_s").as_number() == 300);
  CHECK(only("STREAM version $Revision: 5.10 $\nNumber of Threads counted = 32\nFunction    Best Rate MB/s  Avg time     Min time     Max "
             "time\nTriad:          363208.7     0.026599     0.026431     0.026855\n")
            .subject == "host_memory");
}

TEST_CASE("dcgmi: cells cut inside words are joined, the worst result of a test counts") {
  const ToolRecord record = only(
      "|-----  Hardware  ----------+------------------------------------------------|\n"
      "| GPU Memory                | Pass - GPUs: 1, 2                              |\n"
      "|                           | Fail - GPUs: 0, 3                              |\n"
      "| Warning                   | GPU 0 Thermal violations totaling 13.3 second  |\n"
      "|                           | s started                                      |\n");
  CHECK(fact(record, "tests").find("gpu memory")->as_string() == "fail");
  CHECK(fact(record, "failed_gpus") == Value(Value::List{Value(0), Value(3)}));
  CHECK(fact(record, "warning").as_string().find("13.3 seconds started") != std::string::npos);
  const ToolRecord links = only(
      "|  NvLink Link Status  |\nGPUs:\n    gpuId 0:\n        U U D\n    gpuId 1:\n        U U U\nNvSwitches:\n    physicalId 8:\n        U D\n");
  CHECK(fact(links, "links_up") == Value(5));
  CHECK(fact(links, "links_down") == Value(1));
}

TEST_CASE("kernel log: Xid, PCIe limit, flapping link, fabric manager") {
  const ToolRecord xid = only("NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\nNVRM: Xid (PCI:0000:3b:00): 79, again\n");
  CHECK(fact(xid, "xid") == Value(79));
  CHECK(fact(xid, "count") == Value(2));
  const ToolRecord pcie = only(
      "[ 1.0] mlx5_core 0001:43:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at 0001:42:01.0 (capable of 126.016 "
      "Gb/s with 8.0 GT/s PCIe x16 link)\n");
  CHECK(fact(pcie, "driver") == Value("mlx5_core"));
  CHECK(fact(pcie, "limit_width") == Value(8));
  CHECK(read_tool_output(
            "mlx5_core 0000:19:00.0: 252.048 Gb/s available PCIe bandwidth (16.0 GT/s PCIe x16 link)\nmlx5_core 0000:19:00.0 ens1np0: Link up\n")
            .empty());
  CHECK(fact(only("Mar  3 02:11:07 n17 systemd-networkd[1]: ibs3: Lost carrier\n"), "device") == Value("ibs3"));
  CHECK(fact(only("nv-fabricmanager: fabric manager NVIDIA GPU driver interface version 535.161.08 don't match with driver version 535.183.01.\n"),
             "status") == Value("version_mismatch"));
}

TEST_CASE("lspci: width counts, a slow idle link is only noted") {
  const auto records = read_tool_output(
      "\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM L1\n\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x16\n\tACSCtl:\tSrcValid+ TransBlk- "
      "ReqRedir+ CmpltRedir+ UpstreamFwd+\n\tACSCtl:\tSrcValid- ReqRedir- CmpltRedir-\n");
  REQUIRE(records.size() == 2);
  CHECK(fact(records[0], "speed_downgraded") == Value(true));
  CHECK(fact(records[0], "width_downgraded") == Value(false));
  CHECK(fact(records[1], "bridges") == Value(2));
  CHECK(fact(records[1], "redirect_on") == Value(1));
}

TEST_CASE("collect_env: what could not be collected is absent") {
  const ToolRecord record = only(
      "PyTorch version: 2.3.0+cu121\nCUDA used to build PyTorch: 12.1\nROCM used to build PyTorch: N/A\nOS: Ubuntu 22.04\nLibc version: "
      "glibc-2.35\nPython version: 3.10.12 (main)\nIs CUDA available: True\nGPU models and configuration:\nGPU 0: NVIDIA L4\nGPU 1: NVIDIA "
      "L4\nNvidia driver version: Could not collect\n");
  CHECK(fact(record, "torch") == Value("2.3.0+cu121"));
  CHECK(fact(record, "glibc") == Value("2.35"));
  CHECK(fact(record, "gpus") == Value(2));
  CHECK(fact(record, "driver").is_null());
  CHECK(fact(record, "rocm_build").is_null());
  CHECK_FALSE(record.complete);
}

TEST_CASE("several tools in one paste, in the order of the text") {
  const auto records = read_tool_output(
      "GPU 0: NVIDIA A100 (UUID: GPU-a0000003-1111-2222-3333-000000000003)\n\t Link 0: 25 GB/s\nCA 'mlx5_0'\n\tPort 1:\n\t\tState: "
      "Active\n\t\tPhysical state: LinkUp\n\t\tRate: 200\n\t\tLink layer: InfiniBand\n");
  REQUIRE(records.size() == 2);
  CHECK(records[0].tool == "nvidia-smi-nvlink");
  CHECK(records[1].tool == "ibstat");
}

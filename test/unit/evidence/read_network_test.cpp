// Readers of collectives, RDMA and links. The texts are made up in the tools' own formats.
#include "records.hpp"

using namespace steelyard;

namespace {

const char* const devices =
    "#  Rank  0 Group  0 Pid 1 on n1 device  0 [0000:18:00] NVIDIA H100 80GB HBM3\n"
    "#  Rank  1 Group  0 Pid 2 on n2 device  0 [0000:18:00] NVIDIA H100 80GB HBM3\n";

}  // namespace

TEST_CASE("nccl-tests, table with reduction, root and #wrong") {
  const ToolRecord record =
      only(std::string("# nccl-tests version 2.17.6 nccl-headers=22703 nccl-library=22703\n# Collective test starting: all_reduce_perf\n"
                       "# nThread 1 nGpus 1 minBytes 8 maxBytes 1024 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1\n") +
           devices +
           "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
           "           8             2     float     sum      -1    20.00    0.00    0.00      0    21.00    0.00    0.00      0\n"
           "     1048576        262144     float     sum      -1    30.00   40.00   40.00      0    29.00   41.00   41.00      2\n"
           "     2097152        524288     float     sum      -1    300.0   10.00   10.00      0    290.0   11.00   11.00      0\n"
           "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 12.5\n");
  CHECK(record.tool == "nccl-tests");
  CHECK(record.tool_version == "2.17.6");
  CHECK(record.subject == "all_reduce");
  CHECK(record.complete);
  CHECK(fact(record, "ranks") == Value(2));
  CHECK(fact(record, "nodes") == Value(2));
  CHECK(fact(record, "shared_gpu") == Value(false));
  CHECK(fact(record, "nccl_version") == Value("2.27.3"));
  CHECK(fact(record, "iterations") == Value(20));
  CHECK(fact(record, "peak_busbw_gb_per_s") == Value(41.0));
  CHECK(fact(record, "peak_placement") == Value("in_place"));
  CHECK(fact(record, "wrong_values") == Value(2));
  CHECK(fact(record, "latency_us") == Value(20.0));
  CHECK(fact(record, "drop_at_bytes") == Value(2097152));
}

TEST_CASE("nccl-tests, other table shapes") {
  const char* const old =  // no reduction, no root, "error" instead of "#wrong"
      "#       size         count    type     time   algbw   busbw  error     time   algbw   busbw  error\n"
      "     1048576         32768   float    100.0   10.00    8.75  0e+00    100.0   10.00    8.80  0e+00\n";
  CHECK(fact(only(old), "rows") == Value(1));
  CHECK(fact(only(old), "wrong_values").is_null());
  CHECK(only(old).subject.empty());
  const char* const rooted =
      "#       size         count    type    root     time   algbw   busbw  error     time   algbw   busbw  error\n"
      "     1048576        262144   float       0    100.0   10.00   10.00    N/A    100.0   10.00   10.00    N/A\n";
  CHECK(only(rooted).subject == "broadcast");
  const char* const one_placement =
      "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
      "     1048576        262144     float    none      -1    100.0   10.00   10.00      0\n";
  CHECK(fact(only(one_placement), "peak_placement") == Value("out_of_place"));
  CHECK(fact(only("# rccl-tests version 2.14\n" + std::string(one_placement)), "rows") == Value(1));
}

TEST_CASE("nccl-tests: the ratio of the columns gives the ranks, a cut row is no row") {
  const ToolRecord record = only(
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
      "  1073741824     268435456     float     sum      -1    26217   40.96   76.80      0    26194   40.96   76.80      0\n"
      "  2147483648     536870912     float     sum      -1    51406   41.7");
  CHECK(record.subject == "all_reduce");
  CHECK(fact(record, "ranks") == Value(16));
  CHECK(fact(record, "ranks_from") == Value("ratio"));
  CHECK(fact(record, "rows") == Value(1));
  CHECK_FALSE(record.complete);
}

TEST_CASE("nccl-tests: two ranks on one card are seen") {
  const std::string line = " on n1 device  0 [0000:18:00] NVIDIA A10\n";
  CHECK(fact(only("#  Rank  0 Group  0 Pid 1" + line + "#  Rank  1 Group  0 Pid 2" + line), "shared_gpu") == Value(true));
}

TEST_CASE("nccl-tests: two runs in one paste are two records") {
  const std::string run =
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
      "     1048576        262144     float     sum      -1    100.0   10.00   19.00      0    100.0   10.00   19.00      0\n"
      "# Avg bus bandwidth    : 5\n";
  CHECK(read_tool_output(run + run).size() == 2);
}

TEST_CASE("perftest prints MiB/s where it says MB/sec") {
  const char* const text =
      "---------------------------------------------------------------------------------------\n"
      "                    RDMA_Write Bidirectional BW Test\n"
      " Dual-port       : OFF\t\tDevice         : mlx5_0\n Number of qps   : 4\t\tTransport type : IB\n Connection type : RC\t\tUsing SRQ      : "
      "OFF\n"
      " Mtu             : 1024[B]\n Link type       : Ethernet\n GID index       : 3\n rdma_cm QPs\t : ON\n"
      " local address: LID 0000 QPN 0x008a PSN 0xfffb6d\n GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:01\n"
      " remote address: LID 0000 QPN 0x008b PSN 0xaa095c\n GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:01\n"
      "---------------------------------------------------------------------------------------\n"
      " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
      " 65536      5000             0.00             11728.47             0.187656\n"
      "---------------------------------------------------------------------------------------\n";
  const ToolRecord record = only(text);
  CHECK(record.subject == "write_bw");
  CHECK(record.complete);
  CHECK(fact(record, "bandwidth_gbit_per_s").as_number() == Approx(98.385).epsilon(1e-4));
  CHECK(fact(record, "peak_gbit_per_s").is_null());
  CHECK(fact(record, "bidirectional") == Value(true));
  CHECK(fact(record, "rdma_cm") == Value(true));
  CHECK(fact(record, "loopback") == Value(true));
  CHECK(fact(record, "mtu_bytes") == Value(1024));
  CHECK(fact(record, "gid_index") == Value(3));
}

TEST_CASE("perftest latency is that of the smallest size, and a lost title leaves the kind") {
  const ToolRecord record = only(
      " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% "
      "percentile[usec]\n"
      " 2       1000          1.42           1.93         1.47                1.48             0.00            1.57                    1.93\n"
      " 64      1000          2.42           2.93         2.47                2.48             0.00            2.57                    2.93\n"
      " 128     1000          2.4");
  CHECK(record.subject == "lat");
  CHECK_FALSE(record.complete);
  CHECK(fact(record, "latency_typical_us") == Value(1.47));
  CHECK(fact(record, "latency_p99_us") == Value(1.57));
  CHECK(fact(record, "rows") == Value(2));
}

TEST_CASE("ibstat: LinkUp alone is no active port; a cut block does not count") {
  const std::string down = "CA 'mlx5_0'\n\tPort 1:\n\t\tState: Down\n\t\tPhysical state: LinkUp\n\t\tRate: 200\n\t\tLink layer: InfiniBand\n";
  const std::string up = "CA 'mlx5_1'\n\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 400\n\t\tLink layer: Ethernet\n";
  const ToolRecord record = only(down + up + "CA 'mlx5_2'\n\tPort 1:\n\t\tState: Act");
  CHECK(fact(record, "ports").as_list().size() == 2);
  CHECK(fact(record, "ports_active") == Value(1));
  CHECK(fact(record, "ports_down") == Value(1));
  CHECK(fact(record, "active_ethernet") == Value(1));
  CHECK_FALSE(record.complete);
  CHECK(only(down + up).complete);
}

TEST_CASE("ibstatus, ibv_devinfo and iblinkinfo give nominal rates, or none") {
  const ToolRecord status = only(
      "Infiniband device 'mlx5_8' port 1 status:\n\tstate:\t\t 4: ACTIVE\n\tphys state:\t 5: LinkUp\n\trate:\t\t 25 Gb/sec (1X EDR)\n\tlink_layer:\t "
      "Ethernet\n");
  CHECK(fact(status, "ports").as_list()[0].find("rate_gbit_per_s")->as_number() == 25);
  const ToolRecord info =
      only("hca_id:\tmlx5_0\n\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tactive_mtu:\t\t4096 (5)\n\t\t\tlink_layer:\t\tInfiniBand\n");
  CHECK(fact(info, "ports_active") == Value(1));
  CHECK(fact(info, "mtu_bytes") == Value(4096));
  CHECK(fact(info, "ports").as_list()[0].find("rate_gbit_per_s") == nullptr);
  const ToolRecord links = only(
      "  3    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       1    1[  ] \"n HCA-1\" ( )\n  3    2[  ] ==(                Down/ "
      "Polling)==>             [  ] \"\" ( )\n");
  CHECK(fact(links, "links_up") == Value(1));
  CHECK(fact(links, "links_down") == Value(1));
  CHECK(fact(links, "max_rate_gbit_per_s").as_number() == 100);
}

TEST_CASE("NCCL log: what carries the data, and what failed") {
  const ToolRecord sockets = only(
      "n:1:2 [0] NCCL INFO NET/IB : No device found.\nn:1:2 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0> [1]eth1:10.0.0.2<0>\nn:1:2 [0] NCCL "
      "INFO Using network Socket\n");
  CHECK(fact(sockets, "network") == Value("Socket"));
  CHECK(fact(sockets, "ib_device_found") == Value(false));
  CHECK(fact(sockets, "socket_interfaces") == Value(2));
  const ToolRecord broken = only(
      "n:1:2 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.1<0>\n"
      "n:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.2<33092> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0) reqSize=0 "
      "vendor_err=129 req_type=Send\n");
  CHECK(fact(broken, "network") == Value("IB"));
  CHECK(fact(broken, "hcas") == Value(2));
  CHECK(fact(broken, "completion_error") == Value(12));
  CHECK(fact(broken, "vendor_error") == Value(129));
  CHECK(fact(broken, "error").as_string().find("10.0.0.2") == std::string::npos);
  CHECK(fact(only("NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA\nNCCL INFO Using network IB\n"), "gpudirect") == Value(true));
  CHECK(fact(only("NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'\n"), "gpudirect") == Value(false));
}

TEST_CASE("OSU: MB/s are 1e6, an outlier is named, a cut row is left out") {
  const ToolRecord record = only("# OSU MPI Latency Test v7.2\n# Size          Latency (us)\n0   1.00\n1   1.10\n2   50.00\n4   1.20\n8   1.3");
  CHECK(record.subject == "latency");
  CHECK(record.tool_version == "7.2");
  CHECK(fact(record, "latency_us") == Value(1.1));
  CHECK(fact(record, "outlier_bytes") == Value(Value::List{Value(2)}));
  CHECK(fact(record, "rows") == Value(4));
  CHECK_FALSE(record.complete);
  CHECK(fact(only("# OSU MPI-CUDA Bandwidth Test v7.2\n# Size      Bandwidth (MB/s)\n1  1.01\n1048576  24000.00\n"), "bandwidth_gb_per_s") ==
        Value(24.0));
}

TEST_CASE("foreign text gives no record") {
  for (const char* text : {"", "\n\n", "Hi, is this network any good?", "{\"a\": 1}", "step 1200 | loss 2.3", "0 1 2 3\n1 2 3 4\n"})
    CHECK(read_tool_output(text).empty());
}

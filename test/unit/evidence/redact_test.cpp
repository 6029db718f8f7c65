#include <steelyard/evidence.hpp>

#include "support/catch.hpp"

using steelyard::redact;

TEST_CASE("identities go, each kind by its own mark") {
  CHECK(redact("OOB eth0:10.20.0.1<0>").text == "OOB eth0:<address><0>");
  CHECK(redact("Node GUID: 0x0200000000aa0001").text == "Node GUID: <guid>");
  CHECK(redact("node_guid: 0200:0000:00aa:0001").text == "node_guid: <guid>");
  CHECK(redact("gid: fe80:0000:0000:0000:0200:00ff:fe00:0001").text == "gid: <gid>");
  CHECK(redact("GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:01").text == "GID: <gid>");
  CHECK(redact("(UUID: GPU-a0000001-1111-2222-3333-000000000001)").text == "(UUID: <uuid>)");
  CHECK(redact("link/ether 02:00:5e:10:00:01").text == "link/ether <mac>");
  CHECK(redact("inet6 fe80::1 scope").text == "inet6 <address> scope");
  CHECK(redact("    Serial Number   : 1650000000001\nseen 1650000000001").text == "    Serial Number   : <serial>\nseen <serial>");
}

TEST_CASE("host and user names are learned where tools print them and go everywhere") {
  CHECK(redact("05-06-76-001:7839:7839 [0] NCCL INFO x\nlost 05-06-76-001").text == "<host>:7839:7839 [0] NCCL INFO x\nlost <host>");
  CHECK(redact("[alice@node-a ~]$ ls\non Node-A by alice").text == "[<user>@<host> ~]$ ls\non <host> by <user>");
  CHECK(redact("#  Rank  0 Group  0 Pid 4100 on   gpu-17 device  0 [0000:18:00] NVIDIA H100").text ==
        "#  Rank  0 Group  0 Pid 4100 on   <host> device  0 [0000:18:00] NVIDIA H100");
  CHECK(redact("Aug 17 00:00:24 n17 systemd[1]: ok").text == "Aug 17 00:00:24 <host> systemd[1]: ok");
  CHECK(redact("node-a$ ib_read_bw -d mlx5_0 --report_gbits node-b\nnode-b").text == "<host>$ ib_read_bw -d mlx5_0 --report_gbits <host>\n<host>");
  CHECK(redact("SECRET_TOKEN=abc123\nabc123").text == "SECRET_TOKEN=<value>\n<value>");
}

TEST_CASE("what is no identity stays") {
  for (const char* text : {"PCI 0000:9b:00.0 and 00000000:19:00.0", "driver 550.54.14, NCCL 2.26.6", "mlx5_0:1/RoCE at 10:20:30",
                           "NVIDIA A100-SXM4-80GB", "0x00799b96ceb000", "NCCL_IB_HCA=mlx5_0"}) {
    CHECK(redact(text).text == text);
    CHECK(redact(text).kinds.empty());
  }
}

TEST_CASE("kinds are named in words") { CHECK(redact("a@bb-1: 10.0.0.1").kinds == std::vector<std::string>{"IP addresses", "host names"}); }

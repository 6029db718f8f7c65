#include "network.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "csv.hpp"
#include "estimate/collective/efficiency.hpp"
#include "mixed.hpp"
#include "yaml_out.hpp"

namespace steelyard::fit {

namespace {

/// What the table says in words, as rates: nominal gbit/s of a node and the kind of the network (machine types' documents).
struct Platform {
  const char* instance;
  const char* fabric;
  const char* kind;
  double gbit_per_s;
  const char* intra;
};
constexpr Platform platforms[] = {{"p4d.24xlarge", "EFA (4 interfaces)", "efa", 400, "nvlink3"},
                                  {"p4d.24xlarge", "EFA x4", "efa", 400, "nvlink3"},
                                  {"p4d.24xlarge", "EFA x1", "efa", 100, "nvlink3"},
                                  {"p4d.24xlarge", "TCP", "ethernet", 400, "nvlink3"},
                                  {"p4d.24xlarge", "TCP 1 ENI", "ethernet", 100, "nvlink3"},
                                  {"a3-highgpu-8g", "GPUDirect-TCPX", "tcpx", 800, "nvlink4"},
                                  {"a3-highgpu-8g", "TCP", "ethernet", 800, "nvlink4"},
                                  {"a3-megagpu-8g", "GPUDirect-TCPXO", "tcpx", 1600, "nvlink4"},
                                  {"gpu-h100-sxm_8gpu", "InfiniBand", "infiniband", 3200, "nvlink4"},
                                  {"H200:8 node", "InfiniBand", "infiniband", 3200, "nvlink4"},
                                  {"H200:8 node", "TCP", "ethernet", 100, "nvlink4"},
                                  {"H100:8", "InfiniBand", "infiniband", 3200, "nvlink4"},
                                  {"H100:8 node", "InfiniBand", "infiniband", 3200, "nvlink4"},
                                  {"B200:8 node", "InfiniBand", "infiniband", 3200, "nvlink5"},
                                  {"a3-ultragpu-8g", "GPUDirect-RDMA (RoCE)", "roce", 3200, "nvlink4"},
                                  {"a4-highgpu-8g (B200:8)", "RoCE", "roce", 3200, "nvlink5"}};

const Platform* platform_of(const Record& record) {
  for (const Platform& platform : platforms)
    if (record.text("instance") == platform.instance && record.text("fabric") == platform.fabric) return &platform;
  return nullptr;
}

struct Run {
  const Platform* platform;
  std::string kind;
  double bytes;
};

struct Runs {
  std::vector<Run> runs;
  Problem problem;
};

void read_runs(const Request& request, Runs& out) {
  Table table;
  read_csv(request.data + "/../reference", "multinode_nccl_published", table);
  int line = 0;
  for (const Record& record : table.records) {
    ++line;
    const Platform* platform = platform_of(record);
    const double bytes = record.number("bytes").value_or(0), rate = record.number("busbw_gbs").value_or(0);
    const bool one_node = record.text("platform") == "nebius (k8s)";  // its configuration asks for one node
    if (!platform || one_node || bytes < 65536 || rate < 0.05) continue;
    const std::string run = fmt::format("{} {} {}", record.text("platform"), record.text("instance"), record.text("fabric"));
    const double time_us = estimate::wire_bytes(record.text("collective"), bytes, 16) / (rate * 1e3);
    out.runs.push_back({platform, record.text("collective"), bytes});
    out.problem.rows.push_back(
        {std::to_string(line), time_us, 0.15, {{run, 0.3}, {fmt::format("{} {}", run, std::ilogb(bytes) / 3), 0.1}}, {{"platform", run}}, "network"});
  }
}

std::vector<Parameter> priors() {
  std::vector<Parameter> out{{"network.knee", 0.6, 0.2}, {"network.sockets_gb_per_s", 8, 0.7}};
  for (const auto& [kind, alpha, share] :
       {std::tuple{"infiniband", 30., 0.85}, {"roce", 40., 0.8}, {"efa", 150., 0.8}, {"tcpx", 500., 0.5}, {"ethernet", 300., 0.9}}) {
    out.push_back({std::string("network.alpha_us@") + kind, alpha, 0.7});
    // A TCP line itself reaches its rate; what the copies cost is the sockets' own parameter.
    out.push_back({std::string("network.share@") + kind, share, std::string_view(kind) == "ethernet" ? 0.05 : 0.2});
  }
  return out;
}

/// Two nodes of eight: the library's laws, joined as lib/estimate/collective does.
void set_law(Runs& out) {
  auto shipped = std::make_shared<estimate::CollectiveEfficiency>(estimate::CollectiveEfficiency::embedded());
  out.problem.law = [&out, shipped](std::span<const double> theta, std::size_t row) {
    for (std::size_t i = 0; i < theta.size(); ++i) shipped->fitted.parameters[out.problem.parameters[i].name] = theta[i];
    const Run& run = out.runs[row];
    const double leaving = (run.kind == "all_reduce" ? 1.0 : 0.5) * run.bytes;
    const double net_us = estimate::link_time_us(leaving, shipped->network({run.platform->kind, run.platform->gbit_per_s / 8, true}, run.kind, 2));
    const double inside_us =
        estimate::link_time_us(estimate::wire_bytes(run.kind, run.bytes, 8), shipped->link({run.platform->intra, 1, true}, run.kind, 8));
    return std::cbrt(std::pow(net_us, 3) + std::pow(inside_us, 3));
  };
}

}  // namespace

NetworkFit fit_network(const Request& request) {
  Runs all;
  read_runs(request, all);
  all.problem.parameters = priors();
  set_law(all);
  const Fit fitted = fit(all.problem, {2, 2, 10, 1e-4});
  const Errors left_out = errors(all.problem, cross_validate(all.problem, "platform", fitted, {1, 2, 4, 1e-3}), 1.645);
  NetworkFit out;
  out.report = fmt::format("network     {:16} {}\nnetwork     {:16} {}\n", "fitted",
                           to_text(errors(all.problem, predict_all(all.problem, fitted), 1.645)), "platform", to_text(left_out));
  out.errors = errors_yaml("network", "platform", left_out);
  const std::string list = parameters_yaml(all.problem, fitted);
  // Not in the table: NIC copies staged in host memory reach 33 of 93 GB/s (NVIDIA/nccl#1412); an alltoall can't gather its NICs for one pair
  // (NVIDIA/nccl-tests#267); tree depth grows with the log of the nodes.
  out.parameters =
      list.substr(list.find('\n') + 1) +
      "  - {name: network.without_gpudirect, value: 0.36}\n  - {name: network.alltoall, value: 0.6}\n"
      "  - {name: network.alpha_per_doubling, value: 1.35}\n  - {name: network.noise, value: 0.4}\n"
      "  - {name: network.noise@infiniband, value: 0.25}\n  - {name: network.noise@roce, value: 0.25}\n  - {name: network.noise@efa, value: 0.3}\n";
  return out;
}

}  // namespace steelyard::fit

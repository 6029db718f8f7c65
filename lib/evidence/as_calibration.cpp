// Measured outputs as a calibration: curves and rates with their method, without identities. What the text does not say is not filled in.
#include <algorithm>
#include <steelyard/calibrate.hpp>
#include <steelyard/evidence.hpp>

#include "evidence/fact_values.hpp"
#include "evidence/judge.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard {

namespace {

using evidence::number_of;
using evidence::text_of;

TimeStatistics time_of(double seconds, std::optional<double> iterations) {
  TimeStatistics time;
  time.median_s = time.min_s = time.p05_s = time.p95_s = seconds;
  time.samples = static_cast<int>(std::max(1.0, iterations.value_or(1)));
  return time;
}

class Builder {
 public:
  void add(const ToolRecord& record) {
    const bool other_board = !note_machine(record);
    const std::size_t before = calibration_.measurements.size();
    if (!other_board) add_measurements(record);
    const bool measured = calibration_.measurements.size() > before;
    std::string because = other_board ? "it was measured on another GPU than the first output" : measured ? "" : why_not(record);
    calibration_.probes.push_back({"read." + record.tool, measured ? "measured" : "not_available", std::move(because)});
  }

  Value finish() {
    const Board* board = calibration_.machine.board.empty() ? nullptr : Catalog::embedded().find_board(calibration_.machine.board).resolved();
    derive_coefficients(calibration_, board);
    return to_value(calibration_);
  }

 private:
  /// Names the machine after the first record that names a GPU; false where another one was named before.
  bool note_machine(const ToolRecord& record) {
    CalibratedMachine& machine = calibration_.machine;
    const std::string gpu = text_of(record.facts, "gpu");
    const Board* board = evidence::board_of(record, Catalog::embedded());
    const std::string id = board ? board->id : "";
    const bool same = machine.gpu == gpu || (!id.empty() && machine.board == id);
    if (!gpu.empty() && !machine.gpu.empty() && !same) return false;
    if (!gpu.empty() && machine.gpu.empty()) machine.gpu = gpu, machine.board = id;
    for (const char* name : {"driver", "cuda"}) {
      if (const std::string version = text_of(record.facts, name); !version.empty()) calibration_.software.emplace(name, version);
    }
    if (const std::string version = text_of(record.facts, "nccl_version"); !version.empty()) calibration_.software.emplace("nccl", version);
    return true;
  }

  void add_measurements(const ToolRecord& record) {
    if (record.tool == "nccl-tests" || record.tool == "rccl-tests") add_collective(record);
    if (record.tool == "nvbandwidth") add_copy(record);
    if (record.tool == "babelstream" || record.tool == "gpu-stream") add_stream(record, "cuda");
    if (record.tool == "stream") add_stream(record, "host");
    if (record.tool == "gpu-burn") add_product(record);
  }

  static std::string why_not(const ToolRecord& record) {
    const bool collective = record.tool == "nccl-tests" || record.tool == "rccl-tests";
    if (collective) return "the text does not say which collective ran, over how many ranks and nodes, or has no whole rows";
    return "a calibration holds no figure of this output";
  }

  Measurement begin(const ToolRecord& record, std::string metric, std::string backend, const std::string& how) const {
    Measurement one;
    one.metric = std::move(metric);
    one.backend = std::move(backend);
    one.method = record.tool + (record.tool_version.empty() ? "" : " " + record.tool_version) + ", " + how + ", read from its output";
    return one;
  }

  void add_rate(const ToolRecord& record, const std::string& metric, const std::string& backend, const char* fact) {
    const auto rate = number_of(record.facts, fact);
    if (!rate || *rate <= 0) return;
    Measurement one = begin(record, metric, backend, "time of 1e9 bytes");
    one.value = *rate;
    one.unit = "gb_per_s";
    one.time = time_of(1 / *rate, std::nullopt);
    calibration_.measurements.push_back(std::move(one));
  }

  void add_collective(const ToolRecord& record) {
    const auto ranks = number_of(record.facts, "ranks"), nodes = number_of(record.facts, "nodes");
    const Value* curve = record.facts.find("curve");
    const std::string kind = record.subject == "sendrecv" ? "send_recv" : record.subject;
    const bool known = kind == "all_reduce" || kind == "all_gather" || kind == "reduce_scatter" || kind == "alltoall" || kind == "send_recv";
    if (!ranks || !nodes || *ranks < 2 || !known || curve == nullptr) return;
    calibration_.machine.ranks = std::max(calibration_.machine.ranks, static_cast<int>(*ranks));
    calibration_.machine.nodes = std::max(calibration_.machine.nodes, static_cast<int>(*nodes));
    if (static_cast<int>(*ranks) % static_cast<int>(*nodes) == 0) calibration_.machine.gpus_per_node = static_cast<int>(*ranks / *nodes);
    const auto iterations = number_of(record.facts, "iterations");
    for (const Value& point : curve->as_list()) {
      const double bytes = point.as_list()[0].as_number(), time_us = point.as_list()[1].as_number(), bus = point.as_list()[2].as_number();
      if (bytes <= 0 || time_us <= 0 || bus <= 0) continue;
      Measurement one = begin(record, "collective." + kind, "nccl", "mean over its iterations, faster placement");
      one.at = {{"bytes", bytes}, {"nodes", *nodes}, {"ranks", *ranks}};
      one.value = bus;
      one.unit = "gb_per_s";
      one.time = time_of(time_us * 1e-6, iterations);
      calibration_.measurements.push_back(std::move(one));
    }
  }

  void add_copy(const ToolRecord& record) {
    static const std::pair<std::string_view, std::string_view> tests[] = {{"host_to_device_memcpy_ce", "transfer.h2d"},
                                                                          {"device_to_host_memcpy_ce", "transfer.d2h"},
                                                                          {"device_to_device_memcpy_read_ce", "peer.uni"},
                                                                          {"device_to_device_memcpy_write_ce", "peer.uni"}};
    for (const auto& [test, metric] : tests) {
      if (record.subject == test) add_rate(record, std::string(metric), "cuda", "min_gb_per_s");
    }
  }

  void add_stream(const ToolRecord& record, const std::string& backend) {
    add_rate(record, "memory.copy", backend, "copy_gb_per_s");
    add_rate(record, "memory.triad", backend, "triad_gb_per_s");
  }

  /// gpu-burn multiplies square matrices whose size its output gives away; the slowest GPU counts.
  void add_product(const ToolRecord& record) {
    const auto rows = number_of(record.facts, "matrix_rows"), rate = number_of(record.facts, "min_gflops");
    const std::string format = text_of(record.facts, "format");
    if (!rows || !rate || *rate <= 0 || format.empty()) return;
    Measurement one = begin(record, "gemm", "cuda", "last progress line, slowest GPU");
    one.format = format;
    one.state = "steady";
    one.at = {{"m", *rows}, {"n", *rows}, {"k", *rows}};
    one.value = *rate / 1000;
    one.unit = "tflops";
    one.time = time_of(2 * *rows * *rows * *rows / (*rate * 1e9), std::nullopt);
    calibration_.measurements.push_back(std::move(one));
  }

  Calibration calibration_;
};

}  // namespace

Value as_calibration(const std::vector<ToolRecord>& records) {
  Builder builder;
  for (const ToolRecord& record : records) builder.add(record);
  return builder.finish();
}

}  // namespace steelyard

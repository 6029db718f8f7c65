#include "decide/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <steelyard/kernels.hpp>

#include "calibrate/class_references.hpp"
#include "calibrate/factors.hpp"
#include "calibrate/rates.hpp"
#include "calibrate/statistics.hpp"
#include "estimate/collective/links.hpp"
#include "words/phrases.hpp"

namespace steelyard::decide {

namespace {

using calibration::ClassReference;

constexpr double link_bytes = 1 << 28;  // a gradient bucket or two: rate, not latency

struct Expected {
  double value = 0;
  std::string from;
};

// What the board's class reaches; where nobody published it, the board's peak times the median share that other boards reach of theirs.
template <class Peak>
std::optional<Expected> expected(const std::string& metric, const Board& board, const Catalog& catalog, Peak peak_of) {
  std::vector<double> shares;
  for (const ClassReference& reference : calibration::class_references()) {
    if (reference.metric != metric || reference.kind != "measured") continue;
    if (reference.board == board.id) return Expected{reference.value, "of its class: " + reference.source};
    const Board* other = catalog.find_board(reference.board).resolved();
    const std::optional<double> peak = other ? peak_of(*other) : std::nullopt;
    if (peak) shares.push_back(reference.value / *peak);
  }
  const std::optional<double> peak = peak_of(board);
  if (shares.empty() || !peak) return std::nullopt;
  return Expected{calibration::median(shares) * *peak, "from the peak and the median share that " + std::to_string(shares.size()) + " boards reach"};
}

const Coefficient* find(const Calibration& calibration, const std::string& name) {
  const auto found =
      std::find_if(calibration.coefficients.begin(), calibration.coefficients.end(), [&](const Coefficient& one) { return one.name == name; });
  return found == calibration.coefficients.end() || found->value <= 0 ? nullptr : &*found;
}

std::optional<MeasuredFigure> figure(const Calibration& calibration, const std::string& name, const std::optional<Expected>& expected) {
  const Coefficient* one = find(calibration, name);
  if (!one || !expected) return std::nullopt;
  return MeasuredFigure{name, one->value, expected->value, one->unit, expected->from, one->spread, calibration.file};
}

// bf16 and fp16 have one peak and, where only one of them was published, one reference.
std::optional<Expected> expected_product(const std::string& format, const Board& board, const Catalog& catalog) {
  const auto peak = [&](const Board& one) { return dense_peak_tflops(one, format); };
  auto out = expected("gemm." + format, board, catalog, peak);
  if (!out && format == "fp16") out = expected("gemm.bf16", board, catalog, peak);
  return out;
}

// All-reduce over all GPUs of one node against the estimate of the same without this file.
void read_link(const Calibration& calibration, const Board& board, MeasuredBoard& out) {
  const MeasuredMachine machine(calibration);
  int gpus = 0;
  for (const Measurement& one : calibration.measurements) {
    if (one.metric == "collective.all_reduce" && one.backend == "nccl" && one.condition("nodes") == 1)
      gpus = std::max(gpus, static_cast<int>(*one.condition("ranks")));
  }
  const auto measured = gpus > 1 ? machine.collective_s("all_reduce", gpus, 1, link_bytes) : std::nullopt;
  if (!measured) return;
  const double rate = calibration::bus_gb_per_s("all_reduce", gpus, link_bytes, measured->value);
  const auto peak = calibration::link_peak_gb_per_s(board, rate);
  Configuration box;
  box.board = &board;
  box.gpus_per_node = out.link_gpus = gpus;
  out.link_is_nvlink = peak && board.nvlink_gb_per_s_bidirectional && *peak == *board.nvlink_gb_per_s_bidirectional / 2;
  box.intra_node = out.link_is_nvlink ? "nvlink" : "pcie";
  if (const auto expected = estimate_collective("all_reduce", link_bytes, box).busbw_gb_per_s) {
    out.link = MeasuredFigure{
        "collective.all_reduce.bus_bandwidth", rate, *expected, "gb_per_s", "from the fitted law of the link", measured->spread, calibration.file};
  }
}

MeasuredBoard read(const Calibration& calibration, const Board& board, const Catalog& catalog) {
  MeasuredBoard out;
  for (const char* format : {"bf16", "fp16", "fp8", "fp64"}) {
    if (auto found = figure(calibration, std::string("gemm.") + format, expected_product(format, board, catalog)))
      out.products.emplace(format, std::move(*found));
  }
  out.memory =
      figure(calibration, "memory.triad", expected("memory.triad", board, catalog, [](const Board& one) { return one.memory_bandwidth_gb_per_s; }));
  read_link(calibration, board, out);
  const auto peers = MeasuredMachine(calibration).peer_access_share();
  if (peers == 0 || peers == 1) out.peer_access = *peers == 1;
  return out;
}

}  // namespace

std::string MeasuredFigure::sentence(Language language) const {
  const auto& phrases = words::Phrases::of(language);
  return phrases.say("{} measured at {} {} ({}), {} of the {} expected {}", coefficient, fmt::format("{:.4g}", measured), unit,
                     file.empty() ? phrases.say("calibration") : file, fmt::format("{:.3g}", share()), fmt::format("{:.4g}", expected),
                     phrases.say(expected_from));
}

MeasuredBoards::MeasuredBoards(const std::vector<Calibration>& calibrations, const Catalog& catalog) {
  for (const Calibration& one : calibrations) {
    const Board* board = one.machine.board.empty() ? nullptr : catalog.find_board(one.machine.board).resolved();
    if (board) by_id_.insert_or_assign(board->id, read(one, *board, catalog));
  }
}

const MeasuredBoard* MeasuredBoards::find(const Board* board) const {
  const auto found = board ? by_id_.find(board->id) : by_id_.end();
  return found == by_id_.end() ? nullptr : &found->second;
}

Calibrated::Calibrated(const Workload& workload, const Configuration& configuration, const MeasuredBoards* measured) : configuration_(configuration) {
  const MeasuredBoard* found = measured ? measured->find(configuration.board) : nullptr;
  if (!found) return;
  board_ = *configuration.board;
  configuration_.board = &board_;
  scale_products(*found, workload.precision);
  if (found->memory && board_.memory_bandwidth_gb_per_s) {
    *board_.memory_bandwidth_gb_per_s *= found->memory->share();
    used_.push_back(*found->memory);
  }
  scale_link(*found);
  if (found->peer_access && !configuration_.gpu_peer_access) configuration_.gpu_peer_access = found->peer_access;
}

// Formats whose operands are multiplied by the same units share a figure: 16-bit ones.
void Calibrated::scale_products(const MeasuredBoard& measured, const std::string& precision) {
  const auto figure_of = [&](const std::string& format) -> const MeasuredFigure* {
    for (const std::string& one : {format, std::string(format == "bf16" ? "fp16" : format == "fp16" ? "bf16" : format == "mxfp8" ? "fp8" : format)}) {
      if (const auto found = measured.products.find(one); found != measured.products.end()) return &found->second;
    }
    return nullptr;
  };
  for (auto& [format, tflops] : board_.dense_tflops) {
    if (const MeasuredFigure* found = figure_of(format == "fp64_tensor" ? "fp64" : format)) tflops *= found->share();
  }
  for (auto* rate : {&board_.fp16_accumulate_tflops, &board_.measured_bf16_tflops}) {
    if (const MeasuredFigure* found = figure_of("fp16"); found && *rate) **rate *= found->share();
  }
  const bool wide = precision == "fp32" || precision == "tf32" || precision == "fp64";
  const MeasuredFigure* own = figure_of(precision.empty() ? "bf16" : precision);
  if (!own && !wide) own = figure_of("bf16");  // a board without that format multiplies in 16 bits
  if (!own) return;
  product_share_ = own->share();
  used_.push_back(*own);
}

// A link counts for machines with as many GPUs a node as were measured, over the kind of link that was measured. A slot's rate hangs on whole
// lanes, so that only NVLink is scaled; whether GPUs reach each other over the slots is taken from the file.
void Calibrated::scale_link(const MeasuredBoard& measured) {
  if (!measured.link || !measured.link_is_nvlink || configuration_.gpus_per_node != measured.link_gpus || !board_.nvlink_gb_per_s_bidirectional)
    return;
  std::vector<std::string> missing;
  if (!estimate::intra_link(configuration_, measured.link_gpus, missing).key.starts_with("nvlink")) return;
  *board_.nvlink_gb_per_s_bidirectional *= measured.link->share();
  used_.push_back(*measured.link);
}

void Calibrated::finish(TimeEstimate& time) const {
  // A link or a memory alone makes the whole no surer.
  if (!product_share_ || time.confidence.empty()) return;
  if (time.mfu) *time.mfu *= *product_share_;
  if (time.software) time.software = std::min(1.0, *time.software * *product_share_);
  time.confidence = "calibrated";
}

}  // namespace steelyard::decide

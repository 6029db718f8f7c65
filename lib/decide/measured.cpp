#include "decide/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <steelyard/kernels.hpp>

#include "calibrate/class_references.hpp"
#include "calibrate/factors.hpp"
#include "calibrate/rates.hpp"
#include "calibrate/statistics.hpp"
#include "decide/measured_network.hpp"
#include "estimate/collective/links.hpp"
#include "estimate/efficiencies.hpp"
#include "estimate/train/machine.hpp"
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

// The most GPUs and nodes that an all_reduce was measured over: on one node, or over several.
struct Reach {
  int gpus = 0, nodes = 0;
};

Reach reach_of(const Calibration& calibration, bool several_nodes) {
  Reach out;
  for (const Measurement& one : calibration.measurements) {
    const int nodes = static_cast<int>(one.condition("nodes").value_or(1)), gpus = static_cast<int>(one.condition("ranks").value_or(0));
    if (one.metric == "collective.all_reduce" && one.backend == "nccl" && (nodes > 1) == several_nodes && gpus > out.gpus) out = {gpus, nodes};
  }
  return out;
}

// All-reduce over all GPUs of one node against the estimate of the same without this file.
std::optional<MeasuredLink> read_link(const Calibration& calibration, const Board& board, const MeasuredBoard& found) {
  const int gpus = reach_of(calibration, false).gpus;
  const auto measured = gpus > 1 ? found.machine->collective_s("all_reduce", gpus, 1, link_bytes) : std::nullopt;
  if (!measured) return std::nullopt;
  const double rate = calibration::bus_gb_per_s("all_reduce", gpus, link_bytes, measured->value);
  const auto peak = calibration::link_peak_gb_per_s(board, rate);
  const bool nvlink = peak && board.nvlink_gb_per_s_bidirectional && *peak == *board.nvlink_gb_per_s_bidirectional / 2;
  Configuration box;
  box.board = &board;
  box.gpus_per_node = gpus;
  box.intra_node = nvlink ? "nvlink" : "pcie";
  box.gpu_peer_access = found.peer_access;
  std::vector<std::string> missing;
  const auto expected = estimate_collective("all_reduce", link_bytes, box).busbw_gb_per_s;
  if (!expected) return std::nullopt;
  return MeasuredLink{
      {"collective.all_reduce.bus_bandwidth", rate, *expected, "gb_per_s", "from the fitted law of the link", measured->spread, calibration.file},
      estimate::intra_link(box, gpus, missing).key,
      gpus};
}

// Copies between a GPU and its host against what the estimate takes of the slot's peak.
std::optional<MeasuredFigure> read_transfer(const Calibration& calibration, const Board& board, const std::string& metric) {
  const auto index = static_cast<std::size_t>(estimate::StepParameter::host_link_share);
  const double share = estimate::Efficiencies::embedded().train.parameters.values()[index];
  return figure(calibration, metric,
                Expected{share * estimate::slot_bytes_per_s(board) / 1e9, fmt::format("of a slot at {:.2g} of its peak", share)});
}

MeasuredBoard read(const Calibration& calibration, const Board& board, const Catalog& catalog) {
  MeasuredBoard out;
  out.machine = std::make_shared<const MeasuredMachine>(calibration);
  for (const char* format : {"bf16", "fp16", "fp8", "fp64"}) {
    if (auto found = figure(calibration, std::string("gemm.") + format, expected_product(format, board, catalog)))
      out.products.emplace(format, std::move(*found));
  }
  out.memory =
      figure(calibration, "memory.triad", expected("memory.triad", board, catalog, [](const Board& one) { return one.memory_bandwidth_gb_per_s; }));
  out.to_gpu = read_transfer(calibration, board, "transfer.h2d");
  out.to_host = read_transfer(calibration, board, "transfer.d2h");
  const auto peers = out.machine->peer_access_share();
  if (peers == 0 || peers == 1) out.peer_access = *peers == 1;
  out.link = read_link(calibration, board, out);
  const Reach reach = reach_of(calibration, true);
  if (reach.gpus > 0) out.network = read_network(calibration, board, out, reach.gpus, reach.nodes);
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

}  // namespace steelyard::decide

// Calibration files against what is expected of their boards, and configurations seen through them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <steelyard/calibrate.hpp>
#include <steelyard/catalog.hpp>
#include <steelyard/decision.hpp>
#include <steelyard/language.hpp>
#include <string>
#include <vector>

namespace steelyard::decide {

/// A measured figure that replaces a default one. Rates in the coefficient's unit.
struct MeasuredFigure {
  std::string coefficient;            // "gemm.bf16"
  double measured = 0, expected = 0;  // expected: what the class of the board reaches, or the estimate without the file
  std::string unit, expected_from;    // "class reference" ...
  double spread = 0;
  std::string file;

  double share() const { return measured / expected; }
  /// "gemm.bf16 measured at 745 tflops, 0.938 of the expected 794.5 (…)"
  std::string sentence(Language language = Language::english) const;
};

/// The link inside a node, as all_reduce over its GPUs found it.
struct MeasuredLink {
  MeasuredFigure rate;
  std::string key;  // of the link as the estimate names it: "nvlink4" "pcie4_staged"
  int gpus = 0;     // of one node
};

/// The network between nodes, as all_reduce over all GPUs found it: what is left of its time when that inside the nodes is taken off.
struct MeasuredNetwork {
  std::optional<MeasuredFigure> rate, latency;  // 1e9 bytes/s that leave a node; microseconds
  std::string kind;                             // as the file names it
  double gbit_per_s_per_node = 0;               // the line's rate, as the file names it
  int gpus_per_node = 0;
};

/// What one board's calibration says.
struct MeasuredBoard {
  std::map<std::string, MeasuredFigure> products;  // by number format
  std::optional<MeasuredFigure> memory, to_gpu, to_host;
  std::optional<MeasuredLink> link;
  std::optional<MeasuredNetwork> network;
  std::optional<bool> peer_access;                 // all pairs have it, or none
  std::shared_ptr<const MeasuredMachine> machine;  // for single products and collectives
};

/// All calibrations of an advisor, by board.
class MeasuredBoards {
 public:
  MeasuredBoards() = default;
  MeasuredBoards(const std::vector<Calibration>& calibrations, const Catalog& catalog);

  /// Null where this board was not measured.
  const MeasuredBoard* find(const Board* board) const;

 private:
  std::map<std::string, MeasuredBoard> by_id_;
};

/// A configuration as its calibration shows it: peaks and rates scaled by measured over expected, so that every law of the estimate works with
/// what this machine delivers. The same as before where its board was not measured.
class Calibrated {
 public:
  /// For a job.
  Calibrated(const Workload& workload, const Configuration& configuration, const MeasuredBoards* measured);
  /// For one collective.
  Calibrated(const Configuration& configuration, const MeasuredBoards* measured);
  Calibrated(const Calibrated&) = delete;
  Calibrated& operator=(const Calibrated&) = delete;

  const Configuration& configuration() const { return configuration_; }
  /// Was the link inside a node, or the network between nodes, measured on such a machine?
  bool link_is_measured() const { return link_is_measured_; }
  bool network_is_measured() const { return network_is_measured_; }
  /// Figures in use, for the answer.
  const std::vector<MeasuredFigure>& used() const { return used_; }
  /// Shares of the peak in a time that was computed with scaled peaks become shares of the board's own; says what the time rests on.
  void finish(TimeEstimate& time) const;

 private:
  const MeasuredBoard* take(const MeasuredBoards* measured);
  void scale_products(const MeasuredBoard& measured, const std::string& precision);
  void scale_link(const MeasuredLink& link);
  void scale_host(const MeasuredBoard& measured, bool offloads);
  void scale_network(const MeasuredNetwork& network);

  Configuration configuration_;
  Board board_;
  std::optional<double> product_share_;  // of the format that the job is computed in
  bool link_is_measured_ = false, network_is_measured_ = false;
  std::vector<MeasuredFigure> used_;
};

}  // namespace steelyard::decide

// Calibration: what was measured on a machine, as a file that every verb accepts, and the figures the estimate takes from it.
// How each figure is measured and derived: docs/reference/calibration.md.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <steelyard/board.hpp>
#include <steelyard/issue.hpp>
#include <steelyard/value.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

/// Times of one operation in seconds, over the blocks that followed the warm-up. Outliers are counted, not removed.
struct TimeStatistics {
  double median_s = 0, mad_s = 0;  // mad: median absolute deviation
  double min_s = 0, p05_s = 0, p95_s = 0;
  int samples = 0;     // blocks
  int outliers = 0;    // blocks farther than 3 robust standard deviations from the median
  int throttled = 0;   // blocks during which the device reported a throttle reason
  bool stable = true;  // false: the warm-up ended by its limit, not because the times had settled

  friend bool operator==(const TimeStatistics&, const TimeStatistics&) = default;
};

/// One measured point: a metric under conditions. `value` is a rate or a time in `unit`, computed from the median time.
struct Measurement {
  std::string metric;                // "memory.copy" "memory.triad" "memory.latency" "gemm" "transfer.h2d" "transfer.d2h" "peer.uni"
                                     // "peer.bi" "peer.latency" "collective.all_reduce" ... "launch.latency" "launch.processes" "stress"
  std::string backend;               // "host" "cuda" "nccl"
  std::map<std::string, double> at;  // conditions: bytes, ranks, nodes, m, n, k, threads, device, from, to, processes
  std::string format;                // of a matrix product: "fp64" "fp32" "tf32" "bf16" "fp16" "fp8"; else empty
  std::string state;                 // "cold" or "steady" (after a time under load); else empty
  double value = 0;
  std::string unit;  // "gb_per_s" (1e9 bytes/s; bus bandwidth for collectives), "tflops" (1e12 op/s), "us"
  TimeStatistics time;
  std::string method;      // the probe, its version, how the data was verified
  double node_spread = 0;  // (largest - smallest) / median over merged files; 0 for one file

  std::optional<double> condition(std::string_view name) const;
  friend bool operator==(const Measurement&, const Measurement&) = default;
};

/// A state or a fact read from the machine, no time measured: clocks, power, throttle reasons, link width, transports.
struct Reading {
  std::string name;   // "sm_clock" "power" "throttle_reason" "pcie_width" "nvlink_links" "nccl_transport" ...
  std::string value;  // as text; a number where `unit` is given
  std::string unit;   // may be empty
  std::optional<int> device;

  friend bool operator==(const Reading&, const Reading&) = default;
};

/// What became of one probe.
struct ProbeOutcome {
  std::string probe;    // "cuda.gemm"
  std::string outcome;  // "measured" "not_available" "failed" "timed_out"
  std::string because;  // reason of anything but "measured"; may hold a warning of a measured one

  friend bool operator==(const ProbeOutcome&, const ProbeOutcome&) = default;
};

/// A figure derived from the measurements.
struct Coefficient {
  std::string name;                  // "collective.all_reduce.alpha", "gemm.bf16", "factor.software" ...
  std::map<std::string, double> at;  // ranks, nodes where it depends on them
  double value = 0;
  std::string unit;   // "us" "gb_per_s" "tflops" "share"
  double spread = 0;  // relative, one robust standard deviation
  int samples = 0;
  std::optional<double> fit_error_median, fit_error_max;  // relative; of fitted figures only
  std::string confidence;                                 // "high" "medium" "low" (data/evidence/calibration_method.yaml)
  double node_spread = 0;                                 // as in Measurement

  friend bool operator==(const Coefficient&, const Coefficient&) = default;
};

/// The measured machine. No host names, serial numbers or addresses.
struct CalibratedMachine {
  std::string gpu;    // as the driver names it; empty: no GPU was measured
  std::string board;  // id of the board in the catalog; empty: not resolved
  std::optional<double> gpu_memory_gib;
  std::optional<int> gpus_per_node;
  int ranks = 1;  // processes that measured together
  int nodes = 1;
  std::string cpu;  // model name
  std::optional<int> cpu_threads;
  std::optional<double> host_memory_gib;
  /// Between nodes, where several measured together: the kind as in a configuration ("infiniband" "roce" "efa" "ethernet" ...), one direction's
  /// rate of all ports of a node. Empty: not known.
  std::string network;
  std::optional<double> network_gbit_per_s_per_node;

  friend bool operator==(const CalibratedMachine&, const CalibratedMachine&) = default;
};

/// A calibration file (`steelyard.calibration/1`), or several merged into medians.
struct Calibration {
  std::string file;  // where it was read from; empty: never written
  std::string date;  // ISO 8601
  CalibratedMachine machine;
  std::map<std::string, std::string> software;  // "driver" "cuda" "nccl" "mpi" -> version
  std::vector<ProbeOutcome> probes;
  std::vector<Measurement> measurements;
  std::vector<Reading> readings;
  std::vector<Coefficient> coefficients;
  int files = 1;  // how many were merged
};

/// Reads one file; unknown keys, wrong units and the like are issues with their place.
Loaded<Calibration> load_calibration(const std::filesystem::path& file);
Loaded<Calibration> read_calibration(std::string text, const std::string& file);
/// Reads several files of one kind of machine (same GPU, or all without) and merges them. Different GPUs are an issue.
Loaded<Calibration> load_calibrations(const std::vector<std::filesystem::path>& files);
/// From a request: the path of a file, a calibration in the form of `to_value`, or a list of these.
Loaded<std::vector<Calibration>> calibrations_from_value(const Value& value, const std::string& source);
/// Medians over the files, and their spread over the nodes. `several` must not be empty.
Calibration merge_calibrations(const std::vector<Calibration>& several);
/// The text of a calibration file; `read_calibration` gives the same back.
std::string to_yaml(const Calibration& calibration);
/// The same as a value, as `--format json` prints it.
Value to_value(const Calibration& calibration);

/// Fills `coefficients` from `measurements`. `board` (may be null) gives the peaks that the factors of the guide need.
void derive_coefficients(Calibration& calibration, const Board* board);

/// A figure taken from a calibration.
struct Measured {
  double value = 0;   // seconds for times, else in the unit that the function names
  double spread = 0;  // relative, one robust standard deviation; grows with the distance of an extrapolation
  std::string how;    // "measured" "interpolated" "extrapolated"
  std::string what;   // for a trace: "all_reduce over 8 ranks measured with nccl on 2026-11-30"
};

/// The guide's three factors as shares in 0..1 of the board's peaks; empty where nothing was measured or no peak is known.
struct MeasuredFactors {
  std::optional<Measured> interconnect, memory, software;
};

/// Answers questions from a calibration; built once, cheap to ask, immutable. Empty answers mean "not measured here".
class MeasuredMachine {
 public:
  explicit MeasuredMachine(const Calibration& calibration);
  ~MeasuredMachine();
  MeasuredMachine(MeasuredMachine&&) noexcept;
  MeasuredMachine& operator=(MeasuredMachine&&) noexcept;

  /// Was this board measured? GPU figures hold for no other.
  bool describes(const Board& board) const;

  /// Seconds of a collective ("all_reduce" "all_gather" "reduce_scatter" "alltoall" "send_recv") of `bytes` as nccl-tests counts them
  /// between GPUs. Log-log between measured sizes; beyond them by the fitted law; other rank counts by the laws of the measured ones.
  /// `nodes` 1 is never answered from a curve over several nodes, nor the other way round.
  std::optional<Measured> collective_s(std::string_view kind, int ranks, int nodes, double bytes) const;
  /// The same between processes on CPUs.
  std::optional<Measured> host_collective_s(std::string_view kind, int ranks, int nodes, double bytes) const;
  /// Seconds of a matrix product of 2 m n k operations on a GPU, after a time under load where that was measured.
  std::optional<Measured> gemm_s(std::string_view format, double m, double n, double k) const;
  /// Best rate of any measured shape, in 1e12 op/s.
  std::optional<Measured> gemm_tflops(std::string_view format) const;
  /// Rate of GPU memory past the caches in 1e9 bytes/s, reads plus writes; "copy" or "triad".
  std::optional<Measured> memory_gb_per_s(std::string_view kind = "triad") const;
  std::optional<Measured> host_memory_gb_per_s(std::string_view kind = "triad") const;
  std::optional<Measured> host_gemm_tflops(std::string_view format) const;
  /// Pinned copies between host and GPU in 1e9 bytes/s; "h2d" or "d2h".
  std::optional<Measured> transfer_gb_per_s(std::string_view direction) const;
  /// Median over pairs of GPUs of the one-way copy rate in 1e9 bytes/s, and the share of pairs with direct access.
  std::optional<Measured> peer_gb_per_s() const;
  std::optional<double> peer_access_share() const;
  /// Seconds from the launch of an empty kernel to its end.
  std::optional<Measured> launch_s() const;
  MeasuredFactors factors(const Board& board) const;

  /// Every coefficient with unit, spread and origin, for a trace: [{name, value, unit, spread, confidence, from}].
  Value coefficients() const;

 private:
  struct Tables;
  std::unique_ptr<const Tables> tables_;
};

/// How a measured figure compares with what the class of machine reaches elsewhere.
struct ClassComparison {
  std::string metric;  // "all_reduce bus bandwidth"
  double measured = 0, reference = 0;
  std::string unit;
  double share = 0;          // measured / reference
  std::string reference_of;  // "8x A100-SXM4-40GB"
  std::string source;
  std::string sentence;  // "this A100-SXM4-80GB reaches 0.86 of its class (…)"
};
/// Comparisons with data/evidence/class_references.yaml; empty where the board was never seen there.
std::vector<ClassComparison> compare_with_class(const Calibration& calibration);

/// State of a running calibration, for a progress display.
struct CalibrationProgress {
  std::string probe;          // "host.gemm"
  int number = 0, count = 0;  // 1-based
  std::string state;          // "running" (again after each result), or an outcome, or "resumed" (taken from an interrupted run)
  std::string because;
  int measurements = 0;  // of this probe, so far
};

struct CalibrateOptions {
  std::string backend = "auto";      // "auto" (all that can run) "host" "cuda" "nccl"
  double budget_s = 60;              // seconds for everything; sizes and repeats follow
  double most_bytes = 8589934592.0;  // largest buffer (8 GiB), further limited by memory
  double start_allowance_s = 20;     // beyond twice its share of the budget: what a probe may take to load libraries and to make contexts
  std::string date;                  // ISO 8601, written into the file
  std::string network;               // kind of the network between nodes; empty: as the system names its ports
  std::optional<double> network_gbit_per_s_per_node;
  /// File in which finished probes are kept, and from which an interrupted run goes on; `calibration_state` gives the usual one. To be removed
  /// once the result is written. Empty: nothing is kept.
  std::filesystem::path state;
  /// Folders in which the helper program and the plugins are looked for before the usual places.
  std::vector<std::filesystem::path> folders;
  std::function<void(const CalibrationProgress&)> progress;  // may be empty
  std::function<bool()> cancelled;                           // may be empty; asked at least every 0.2 s
};

struct CalibrationRun {
  Calibration calibration;  // coefficients derived; empty measurements where nothing could be measured
  int rank = 0;             // of this process among those that a launcher started; only rank 0 has the measurements
  bool cancelled = false;
  bool failed = false;                      // a probe failed or timed out
  std::string not_kept;                     // why finished probes could not be kept in `state`; empty: they were
  std::vector<std::string> tried;           // files that could not be used, each with the reason
  std::map<std::string, std::string> logs;  // probe -> the end of what a failed one printed
};

/// Where finished probes of a run that writes `out` are kept: in $XDG_STATE_HOME/steelyard or ~/.local/state/steelyard, under a name made from the
/// absolute path of `out` and the backend. Empty where the user has no such folder.
std::filesystem::path calibration_state(const std::filesystem::path& out, std::string_view backend);
/// The rank of this process among those that mpirun, srun or torchrun started; 0 for a single process.
int calibration_rank();
/// Measures this machine, each probe in a process of its own. Under mpirun, srun or torchrun all ranks must call it alike.
CalibrationRun calibrate(const CalibrateOptions& options);

/// Writes the file whole or not at all (a new file takes the place of the old one). Empty: written; else the reason.
std::optional<std::string> write_calibration(const Calibration& calibration, const std::filesystem::path& file);

}  // namespace steelyard

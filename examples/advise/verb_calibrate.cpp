// advise calibrate: measures the machine it runs on and writes a calibration file that every verb accepts.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <steelyard/calibrate.hpp>

#include "common.hpp"
#include "files.hpp"

namespace advise {

using namespace steelyard;

namespace {

volatile std::sig_atomic_t stopped = 0;

// The first signal ends the running probe; what is finished stays in the user's state folder.
void stop_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, [](int) { stopped = 1; });
}

// "60s", "2min", "90" -> seconds.
double read_budget(const std::string& text) {
  const auto digits = text.find_first_not_of("0123456789.");
  const std::string number = text.substr(0, digits), unit = digits == std::string::npos ? "s" : text.substr(digits);
  const double scale = unit == "s" ? 1 : unit == "min" || unit == "m" ? 60 : 0;
  const double seconds = std::atof(number.c_str()) * scale;
  if (seconds >= 1 && seconds <= 86400) return seconds;
  throw UsageError("--budget '" + text + "': expected a time from 1s to 24 h, such as 60s or 5min");
}

std::string words_of(std::string outcome) {
  std::replace(outcome.begin(), outcome.end(), '_', ' ');
  return outcome;
}

// One line on a terminal that changes; lines of their own elsewhere.
class Progress {
 public:
  explicit Progress(bool show) : show_(show), terminal_(isatty(STDERR_FILENO) != 0) {}
  ~Progress() { clear(); }

  void operator()(const CalibrationProgress& now) {
    if (!show_) return;
    const std::string head = now.number > 0 ? "[" + std::to_string(now.number) + "/" + std::to_string(now.count) + "] " + now.probe : now.probe;
    if (now.state == "running") {
      if (terminal_) std::cerr << "\r\033[K" << head << " ... " << now.measurements << " points" << std::flush;
      if (!terminal_ && head != last_) std::cerr << head << " ...\n";
      last_ = head;
      return;
    }
    clear();
    std::cerr << head << ": " << words_of(now.state);
    if (now.state == "measured") std::cerr << ", " << now.measurements << " points";
    if (!now.because.empty()) std::cerr << ": " << now.because;
    std::cerr << "\n";
  }

 private:
  void clear() {
    if (terminal_ && show_) std::cerr << "\r\033[K" << std::flush;
  }

  bool show_, terminal_;
  std::string last_;
};

std::string padded(const std::string& text, std::size_t width) { return text.size() < width ? text + std::string(width - text.size(), ' ') : text; }

std::string rounded(double value) {
  char text[32] = "";
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string unit_text(const std::string& unit) {
  if (unit == "gb_per_s") return " GB/s";
  if (unit == "tflops") return " TFLOPS";
  return unit == "share" ? "" : " " + unit;
}

std::string conditions(const Coefficient& one) {
  std::string out;
  if (const auto ranks = one.at.find("ranks"); ranks != one.at.end()) out += ", " + rounded(ranks->second) + " ranks";
  if (const auto nodes = one.at.find("nodes"); nodes != one.at.end() && nodes->second > 1) out += ", " + rounded(nodes->second) + " nodes";
  return out;
}

std::string coefficient_line(const Coefficient& one) {
  return "  " + padded(one.name + conditions(one), 54) + " " + padded(rounded(one.value) + unit_text(one.unit), 15) + " +/- " +
         rounded(std::round(one.spread * 1000) / 10) + " %, " + one.confidence + "\n";
}

std::string summary(const Calibration& calibration) {
  const CalibratedMachine& machine = calibration.machine;
  std::string out = machine.gpu.empty() ? "No GPU was measured" : "GPU: " + machine.gpu + (machine.board.empty() ? "" : " (" + machine.board + ")");
  out += machine.cpu.empty() ? "\n" : "; CPU: " + machine.cpu + "\n";
  for (const Coefficient& one : calibration.coefficients) {
    if (one.name.find("asymptotic") == std::string::npos) out += coefficient_line(one);  // of use to programs; the file has it
  }
  for (const ProbeOutcome& one : calibration.probes) {
    if (one.outcome != "measured") out += "  " + one.probe + ": " + words_of(one.outcome) + ": " + one.because + "\n";
  }
  if (machine.nodes > 1 && (machine.network.empty() || !machine.network_gbit_per_s_per_node)) {
    out += "  The network between the nodes is not named, so that no estimate takes its rates: add --network KIND --network-gbit RATE\n";
  }
  for (const ClassComparison& one : compare_with_class(calibration)) out += "  " + one.sentence + "\n";
  return out;
}

void print_faults(const CalibrationRun& run) {
  constexpr std::size_t most = 4000;
  for (const std::string& file : run.tried) std::cerr << "tried " << file << "\n";
  for (const auto& [probe, log] : run.logs) {
    std::cerr << "--- the end of what " << probe << " printed\n" << log.substr(log.size() > most ? log.size() - most : 0) << "\n";
  }
}

// Before a minute of measuring, not after it.
void check_folder_of(const std::string& out) {
  std::error_code error;
  if (std::filesystem::is_directory(out, error)) throw UsageError("--out " + out + ": expected a file, found a folder; name a file in it");
  const std::filesystem::path parent = std::filesystem::path(out).parent_path();
  if (access(parent.empty() ? "." : parent.c_str(), W_OK | X_OK) != 0) throw UsageError("--out " + out + ": " + std::strerror(errno));
}

CalibrateOptions read_options(const CommandLine& line) {
  CalibrateOptions out;
  out.backend = line.text("backend", "auto");
  const std::vector<std::string> known{"auto", "host", "cuda", "nccl"};
  if (std::find(known.begin(), known.end(), out.backend) == known.end()) {
    throw UsageError("--backend '" + out.backend + "': expected auto, host, cuda or nccl");
  }
  const std::vector<std::string> networks{"", "infiniband", "roce", "efa", "tcpx", "omnipath", "ethernet"};
  if (std::find(networks.begin(), networks.end(), line.text("network")) == networks.end()) {
    throw UsageError("--network '" + line.text("network") + "': expected infiniband, roce, efa, tcpx, omnipath or ethernet");
  }
  out.budget_s = read_budget(line.text("budget", "60s"));
  out.most_bytes = line.number("largest-mib", 8192, 1, 1e6) * 1048576;
  out.date = to_string(today(line));
  out.network = line.text("network");
  if (line.has("network-gbit")) out.network_gbit_per_s_per_node = line.number("network-gbit", 0, 0.001, 1e6);
  if (line.has("out")) check_folder_of(line.text("out"));
  if (line.has("out")) out.state = calibration_state(line.text("out"), out.backend);
  out.cancelled = [] { return stopped != 0; };
  return out;
}

// Writes the file and says what is in it; without --out the file itself is the output. What was kept for a later run has done its service then.
void print_result(const CommandLine& line, const CalibrateOptions& options, const Calibration& calibration) {
  const std::string file = line.text("out");
  if (!file.empty()) {
    if (const auto fault = write_calibration(calibration, file)) throw UsageError("--out " + *fault);
    std::error_code none;
    std::filesystem::remove(options.state, none);
  }
  if (line.format() == "json") {
    write_output("", to_json(to_value(calibration), 2) + "\n");
  } else if (file.empty()) {
    write_output("", to_yaml(calibration));
  } else {
    write_output("", summary(calibration) + "Written to " + file + "; every verb takes it with --calibration " + file + "\n");
  }
}

int interrupted_run(const CalibrateOptions& options, const CalibrationRun& run) {
  std::error_code none;
  std::cerr << "advise: interrupted";
  if (!run.not_kept.empty()) {
    std::cerr << "; finished probes could not be kept: " << run.not_kept;
  } else if (!options.state.empty() && std::filesystem::exists(options.state, none)) {
    std::cerr << "; finished probes are kept in " << options.state.string() << ", the next run to that file goes on from there today";
  }
  std::cerr << "\n";
  return interrupted;
}

int report(const CommandLine& line, const CalibrateOptions& options, const CalibrationRun& run) {
  const bool nothing = run.calibration.measurements.empty() && run.calibration.readings.empty();
  if (run.failed || nothing) print_faults(run);
  if (run.rank != 0) return run.failed ? probe_failed : answered;  // rank 0 writes
  if (!run.not_kept.empty()) std::cerr << "advise: finished probes could not be kept for a run that is interrupted: " << run.not_kept << "\n";
  if (!nothing) print_result(line, options, run.calibration);
  if (nothing) {
    for (const ProbeOutcome& one : run.calibration.probes)
      std::cerr << "advise: " << one.probe << ": " << words_of(one.outcome) << ": " << one.because << "\n";
  }
  return run.failed || nothing ? probe_failed : answered;
}

}  // namespace

int run_calibrate(const Words& words) {
  CommandLine line("calibrate [--backend auto|host|cuda|nccl] [--out FILE] [--budget 60s]",
                   "Measures this machine: memory, matrix products, copies, collectives. Every verb takes the file with --calibration.",
                   {"advise calibrate --out here.yaml", "advise calibrate --backend host --budget 20s --out here.yaml",
                    "mpirun -n 2 advise calibrate --backend host --out pair.yaml",
                    "srun -N 2 --ntasks-per-node 8 advise calibrate --backend nccl --out two.yaml"});
  line.common()
      .value("backend", "auto (all that can run), host, cuda or nccl")
      .value("budget", "time for everything, 60s or 5min; sizes and repeats follow from it")
      .value("largest-mib", "largest buffer in MiB (8192)")
      .value("network", "network between nodes: infiniband, roce, efa, tcpx, omnipath or ethernet; without it as the system names its ports")
      .value("network-gbit", "rate of all its ports of a node together, one direction, in gbit/s")
      .value("today", "the date that goes into the file");
  if (!line.parse(words)) return answered;
  if (!line.files().empty()) throw UsageError("calibrate takes no file, found '" + line.files().front() + "'; the result goes to --out");
  CalibrateOptions options = read_options(line);
  if (line.has("out") && options.state.empty()) {
    std::cerr << "advise: neither XDG_STATE_HOME nor HOME names a folder for finished probes; an interrupted run would start afresh\n";
  }
  stop_on_signals();
  const auto progress = std::make_shared<Progress>(calibration_rank() == 0);
  options.progress = [progress](const CalibrationProgress& now) { (*progress)(now); };
  const CalibrationRun run = calibrate(options);
  return run.cancelled ? interrupted_run(options, run) : report(line, options, run);
}

}  // namespace advise

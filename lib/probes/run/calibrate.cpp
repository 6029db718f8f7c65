// The runner: which probes, in which order, with how much time; each in a child process.
#include <steelyard/probe_abi.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <steelyard/calibrate.hpp>
#include <steelyard/catalog.hpp>

#include "core/text.hpp"
#include "probes/host/system.hpp"
#include "probes/host/threads.hpp"
#include "probes/probe.hpp"
#include "probes/run/atomic_file.hpp"
#include "probes/run/child.hpp"
#include "probes/run/kept.hpp"
#include "probes/run/lines.hpp"
#include "probes/run/nccl_log.hpp"
#include "probes/run/places.hpp"
#include "probes/run/time_plan.hpp"

namespace steelyard {

namespace {

using namespace probes;
namespace fs = std::filesystem;

std::string last_line(const std::string& log) {
  std::string last;
  for (const std::string& line : split(log, '\n')) {
    if (const auto text = trim(line); !text.empty()) last = text;
  }
  return last;
}

class Runner {
 public:
  explicit Runner(const CalibrateOptions& options)
      : options_(options), launcher_(find_launcher(process_environment())), folders_(probe_folders(options.folders, process_environment())) {}

  CalibrationRun run() {
    end_s_ = now_s() + options_.budget_s;
    out_.rank = launcher_.rank;
    describe_machine();
    const Found helper = find_helper(folders_);
    if (helper.file.empty()) {
      out_.tried = helper.tried;
      out_.failed = true;
      note({options_.backend, "failed", "the helper program steelyard-probe was not found"});
      return std::move(out_);
    }
    helper_ = helper.file.string();
    plan();
    resume();
    run_steps();
    finish();
    return std::move(out_);
  }

 private:
  Calibration& calibration() { return out_.calibration; }
  bool wants(const std::string& backend) const { return options_.backend == "auto" || options_.backend == backend; }
  bool stopped() const { return options_.cancelled && options_.cancelled(); }

  void describe_machine() {
    calibration().date = options_.date;
    CalibratedMachine& machine = calibration().machine;
    machine.cpu = processor_model();
    machine.cpu_threads = static_cast<int>(allowed_processors().size());
    if (const auto bytes = memory_bytes()) machine.host_memory_gib = std::round(*bytes / 1073741824.0 * 10) / 10;
  }

  void note(ProbeOutcome outcome) {
    out_.failed = out_.failed || outcome.outcome == "failed" || outcome.outcome == "timed_out";
    calibration().probes.push_back(std::move(outcome));
  }

  ChildResult ask(const std::string& target, const std::string& verb) {
    return run_child({{helper_, target, verb}, "", options_.start_allowance_s, {}, options_.cancelled});
  }

  // Steps of one backend, or the reason why it has none.
  void plan_backend(const std::string& backend, const std::string& target) {
    if (const ChildResult can = ask(target, "available"); can.end != ChildResult::End::exited || can.code != STEELYARD_PROBE_OK) {
      const bool plain = can.end == ChildResult::End::exited;
      const std::string reason = plain ? last_line(can.log) : describe(can);
      if (can.code != STEELYARD_PROBE_NOT_AVAILABLE || !plain) out_.tried.push_back(target + ": " + reason);
      note({backend, plain ? "not_available" : can.end == ChildResult::End::timed_out ? "timed_out" : "failed", reason});
      return;
    }
    const ChildResult names = ask(target, "list");
    for (const std::string& name : split(names.log, '\n')) {
      if (name.empty()) continue;
      const bool all_ranks = name.find(".collectives") != std::string::npos, alone = target == "host" && all_ranks && launcher_.size == 1;
      steps_.push_back({target, name, alone ? 0 : weight_of(name), all_ranks});
    }
  }

  void plan_plugin(const std::string& backend) {
    if (!wants(backend)) return;
    const Found plugin = find_plugin(folders_, backend);
    if (!plugin.file.empty()) return plan_backend(backend, plugin.file.string());
    out_.tried.insert(out_.tried.end(), plugin.tried.begin(), plugin.tried.end());
    note({backend, "not_available", "the plugin libsteelyard_probe_" + backend + ".so was not found"});
  }

  void plan() {
    if (wants("host")) plan_backend("host", "host");
    plan_plugin("cuda");
    plan_plugin("nccl");
    const bool between_gpus = std::any_of(steps_.begin(), steps_.end(), [](const Step& step) { return step.probe == "nccl.collectives"; });
    // One MPI session a process is all that MPI allows.
    if (between_gpus && launcher_.size > 1 && std::erase_if(steps_, [](const Step& step) { return step.probe == "host.collectives"; }) > 0) {
      note({"host.collectives", "not_available", "the collectives are measured between GPUs"});
    }
    if (launcher_.rank != 0) std::erase_if(steps_, [](const Step& step) { return !step.all_ranks; });
    // What needs all ranks comes last: a fault there may end the whole job, and the rest is safe by then.
    std::stable_partition(steps_.begin(), steps_.end(), [](const Step& step) { return !step.all_ranks; });
  }

  bool keeps() const { return !options_.state.empty() && launcher_.rank == 0; }

  void keep_finished() {
    if (!keeps() || out_.cancelled || !out_.not_kept.empty()) return;
    if (const auto fault = keep(calibration(), options_.state)) out_.not_kept = *fault;
  }

  // Takes the finished probes of an interrupted run.
  void resume() {
    std::optional<Calibration> earlier = keeps() ? kept(options_.state, calibration()) : std::nullopt;
    if (!earlier) return;
    const std::vector<ProbeOutcome> planned = calibration().probes;
    calibration() = std::move(*earlier);
    std::erase_if(calibration().probes, [](const ProbeOutcome& one) { return one.outcome != "measured"; });
    std::erase_if(steps_, [&](const Step& step) { return !(step.all_ranks && launcher_.size > 1) && is_measured(step.probe); });
    for (const ProbeOutcome& one : calibration().probes) report(one.probe, "resumed", "", 0);
    for (const ProbeOutcome& one : planned) calibration().probes.push_back(one);
  }

  bool is_measured(const std::string& probe) const {
    const auto& probes = out_.calibration.probes;
    return std::any_of(probes.begin(), probes.end(), [&](const ProbeOutcome& one) { return one.probe == probe; });
  }

  void run_steps() {
    double weights = 0;
    for (const Step& step : steps_) weights += step.weight;
    for (std::size_t i = 0; i < steps_.size() && !out_.cancelled; ++i) {
      number_ = static_cast<int>(i) + 1;
      const double left = end_s_ - now_s();
      // Ranks that wait for each other must all come.
      if ((steps_[i].all_ranks && launcher_.size > 1) || time_.fits(steps_[i], left)) {
        run_step(steps_[i], TimePlan::share_s(steps_[i], weights, left));
      } else {
        skip(steps_[i]);
      }
      weights -= steps_[i].weight;
      keep_finished();
    }
  }

  void skip(const Step& step) {
    const std::string because = "no time was left: the budget of " + format_number(options_.budget_s) + " s is used up; give more with --budget";
    report(step.probe, "not_available", because, 0);
    note({step.probe, "not_available", because});
  }

  void run_step(const Step& step, double share_s) {
    Request request;
    request.probe = step.probe;
    request.budget_s = time_.measuring_s(step, share_s);
    const double start_s = now_s();
    request.most_bytes = options_.most_bytes;
    request.mpi_plugins = mpi_plugins(folders_);
    // The other ranks wait for rank 0, which measures its own machine first.
    const double waiting_s = step.all_ranks && launcher_.size > 1 ? options_.budget_s + 60 : 0;
    Calibration found;
    report(step.probe, "running", "", 0);
    ChildRequest child;
    child.command = {helper_, step.target, "run", "{results}", std::to_string(getpid())};
    child.input = to_json(request);
    child.deadline_s = share_s * 2 + options_.start_allowance_s + waiting_s;
    child.cancelled = options_.cancelled;
    child.line = [&](std::string_view line) {
      if (take_line(line, found)) report(step.probe, "running", "", static_cast<int>(found.measurements.size()));
    };
    const ChildResult result = run_child(child);
    if (result.end == ChildResult::End::exited) time_.learn(step, now_s() - start_s, request.budget_s);
    if (result.end == ChildResult::End::cancelled) {
      out_.cancelled = true;
      return;
    }
    if (step.probe.rfind("nccl.", 0) == 0) {
      for (Reading& one : nccl_transports(result.log)) found.readings.push_back(std::move(one));
    }
    const ProbeOutcome outcome = outcome_of(step.probe, result, found);
    if (outcome.outcome == "failed" || outcome.outcome == "timed_out") out_.logs[step.probe] = result.log;
    report(step.probe, outcome.outcome, outcome.because, static_cast<int>(found.measurements.size()));
    if (outcome.outcome == "measured" || outcome.outcome == "timed_out") take(std::move(found));
    note(outcome);
  }

  static ProbeOutcome outcome_of(const std::string& probe, const ChildResult& result, const Calibration& found) {
    if (result.end == ChildResult::End::timed_out) return {probe, "timed_out", describe(result)};
    if (result.end != ChildResult::End::exited) return {probe, "failed", describe(result)};
    if (result.code == STEELYARD_PROBE_NOT_AVAILABLE) return {probe, "not_available", last_line(result.log)};
    if (result.code != STEELYARD_PROBE_OK) return {probe, "failed", last_line(result.log)};
    if (found.measurements.empty() && found.readings.empty()) return {probe, "failed", "it ended well but reported nothing"};
    return {probe, "measured", ""};
  }

  // Each line was a whole, verified point when it was written.
  void take(Calibration found) {
    Calibration& into = calibration();
    // A resumed run measures the collectives again.
    for (const Measurement& one : found.measurements) {
      std::erase_if(into.measurements, [&](const Measurement& old) {
        return old.metric == one.metric && old.backend == one.backend && old.at == one.at && old.format == one.format && old.state == one.state;
      });
    }
    into.measurements.insert(into.measurements.end(), found.measurements.begin(), found.measurements.end());
    into.readings.insert(into.readings.end(), found.readings.begin(), found.readings.end());
    for (const auto& [name, version] : found.software) into.software[name] = version;
    merge_machine(found.machine, into.machine);
  }

  void report(const std::string& probe, const std::string& state, const std::string& because, int measurements) {
    if (options_.progress) options_.progress({probe, number_, static_cast<int>(steps_.size()), state, because, measurements});
  }

  void finish() {
    const Board* board = nullptr;
    CalibratedMachine& machine = calibration().machine;
    if (!machine.gpu.empty()) {
      board = Catalog::embedded().find_board(machine.gpu, machine.gpu_memory_gib.value_or(0) * 1.073741824).resolved();
      if (board) machine.board = board->id;
    }
    name_network();
    derive_coefficients(calibration(), board);
    out_.cancelled = out_.cancelled || stopped();
  }

  // Measured between nodes, a figure says little without the name of the network. NCCL over sockets does not use the ports that the system names.
  void name_network() {
    CalibratedMachine& machine = calibration().machine;
    if (machine.nodes < 2) return;
    machine.network = options_.network;
    machine.network_gbit_per_s_per_node = options_.network_gbit_per_s_per_node;
    const auto& readings = calibration().readings;
    const bool over_ports = std::any_of(readings.begin(), readings.end(), [](const Reading& one) {
      return one.name == "nccl_transport" && one.value.starts_with("NET/") && !one.value.starts_with("NET/Socket");
    });
    const auto ports = over_ports ? network_ports() : std::nullopt;
    if (!ports) return;
    if (machine.network.empty()) machine.network = ports->kind;
    if (!machine.network_gbit_per_s_per_node && machine.network == ports->kind) machine.network_gbit_per_s_per_node = ports->gbit_per_s;
  }

  const CalibrateOptions& options_;
  Launcher launcher_;
  std::vector<fs::path> folders_;
  std::string helper_;
  std::vector<Step> steps_;
  double end_s_ = 0;
  TimePlan time_;
  int number_ = 0;
  CalibrationRun out_;
};

}  // namespace

int calibration_rank() { return find_launcher(process_environment()).rank; }

fs::path calibration_state(const fs::path& out, std::string_view backend) { return kept_file(out, backend, process_environment()); }

CalibrationRun calibrate(const CalibrateOptions& options) { return Runner(options).run(); }

std::optional<std::string> write_calibration(const Calibration& calibration, const fs::path& file) { return write_whole(file, to_yaml(calibration)); }

}  // namespace steelyard

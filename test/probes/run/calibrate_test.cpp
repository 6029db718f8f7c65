// The runner with plugins that misbehave: each is survived, with the right words.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>
#include <steelyard/calibrate.hpp>

#include "probes/run/atomic_file.hpp"
#include "probes/run/kept.hpp"
#include "probes/run/nccl_log.hpp"
#include "probes/run/places.hpp"
#include "support/catch.hpp"

using namespace steelyard;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("steelyard_run_" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

CalibrateOptions with_plugin(const std::string& kind) {
  CalibrateOptions out;
  out.backend = "cuda";
  out.budget_s = 0.4;
  out.start_allowance_s = 60;
  out.date = "2026-11-30";
  out.folders = {fs::path(STEELYARD_FAKE_PLUGINS) / kind};
  return out;
}

ProbeOutcome outcome(const CalibrationRun& run, const std::string& probe) {
  for (const ProbeOutcome& one : run.calibration.probes) {
    if (one.probe == probe) return one;
  }
  return {};
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE("a plugin that works is measured, its board found and coefficients derived") {
  const CalibrationRun run = calibrate(with_plugin("good"));
  CHECK(!run.failed);
  CHECK(outcome(run, "cuda.memory").outcome == "measured");
  CHECK(run.calibration.machine.gpu == "NVIDIA A100-SXM4-80GB");
  CHECK(run.calibration.machine.board == "A100-SXM4-80GB");
  CHECK(run.calibration.software.at("driver") == "580.00");
  REQUIRE(run.calibration.measurements.size() == 1);
  REQUIRE(run.calibration.readings.size() == 1);
  const auto& coefficients = run.calibration.coefficients;
  CHECK(std::any_of(coefficients.begin(), coefficients.end(), [](const Coefficient& one) { return one.name == "factor.memory"; }));
}

TEST_CASE("no driver: not available with the reason, and no fault") {
  const CalibrationRun run = calibrate(with_plugin("no_driver"));
  CHECK(!run.failed);
  CHECK(outcome(run, "cuda").outcome == "not_available");
  CHECK(outcome(run, "cuda").because == "no driver: libcuda.so.1 was not found");
  CHECK(run.calibration.measurements.empty());
}

TEST_CASE("a crash keeps the other probes and drops what the crashed one said") {
  const CalibrationRun run = calibrate(with_plugin("crash"));
  CHECK(run.failed);
  CHECK(outcome(run, "cuda.memory").outcome == "failed");
  CHECK(outcome(run, "cuda.memory").because == "crashed: Segmentation fault");
  CHECK(outcome(run, "cuda.gemm").outcome == "measured");
  CHECK(run.calibration.measurements.empty());
  const CalibrationRun early = calibrate(with_plugin("crash_early"));
  CHECK(outcome(early, "cuda").outcome == "failed");
  CHECK(outcome(early, "cuda").because == "crashed: Segmentation fault");
}

TEST_CASE("a hang ends at the deadline; points that were whole stay") {
  for (const char* kind : {"hang", "hang_deaf"}) {
    CalibrateOptions options = with_plugin(kind);
    options.start_allowance_s = 1;
    const CalibrationRun run = calibrate(options);
    CHECK(run.failed);
    CHECK(outcome(run, "cuda.memory").outcome == "timed_out");
    CHECK(outcome(run, "cuda.memory").because == "no end within the deadline");
    CHECK(outcome(run, "cuda.gemm").outcome == "measured");
    CHECK(run.calibration.measurements.size() == (std::string(kind) == "hang" ? 1 : 0));
  }
}

TEST_CASE("a probe that is too slow ends at the deadline with the points it had") {
  CalibrateOptions options = with_plugin("slow");
  options.start_allowance_s = 1;
  const CalibrationRun run = calibrate(options);
  CHECK(run.failed);
  CHECK(outcome(run, "cuda.memory").outcome == "timed_out");
  CHECK(outcome(run, "cuda.memory").because == "no end within the deadline");
  CHECK(run.calibration.measurements.size() > 1);
  CHECK(outcome(run, "cuda.gemm").outcome == "measured");
}

TEST_CASE("wrong data: the reason is told and no speed is kept") {
  const CalibrationRun run = calibrate(with_plugin("wrong_data"));
  CHECK(run.failed);
  CHECK(outcome(run, "cuda.memory").because == "copy of 1073741824 bytes: 17 wrong elements; no speed is reported");
  CHECK(run.calibration.measurements.empty());
  CHECK(run.logs.count("cuda.memory") == 1);
}

TEST_CASE("silence, noise and sudden exits") {
  CHECK(outcome(calibrate(with_plugin("nothing")), "cuda.memory").because == "it ended well but reported nothing");
  const CalibrationRun noise = calibrate(with_plugin("noise"));
  CHECK(outcome(noise, "cuda.memory").outcome == "measured");
  CHECK(noise.calibration.measurements.size() == 1);
  CHECK(outcome(calibrate(with_plugin("exit")), "cuda.memory").outcome == "failed");
}

TEST_CASE("files that are no plugins are named with the reason") {
  const CalibrationRun entry = calibrate(with_plugin("no_entry"));
  CHECK(outcome(entry, "cuda").because.find("exports no steelyard_probe_entry") != std::string::npos);
  CHECK(outcome(calibrate(with_plugin("wrong_abi")), "cuda").because.find("interface version 99, this program needs 1") != std::string::npos);
  const Folder folder;
  std::ofstream(folder.path / "libsteelyard_probe_cuda.so") << "no ELF";
  CalibrateOptions options = with_plugin("good");
  options.folders = {folder.path};
  const CalibrationRun bad = calibrate(options);
  CHECK(outcome(bad, "cuda").outcome == "not_available");
  REQUIRE(bad.tried.size() == 1);
  CHECK(bad.tried[0].find("libsteelyard_probe_cuda.so: ") != std::string::npos);
}

TEST_CASE("every place that was looked at is listed") {
  const auto folders = probes::probe_folders({"/given"}, [](std::string_view name) -> std::optional<std::string> {
    if (name == "STEELYARD_PROBE_DIR") return "/one:/two";
    return std::nullopt;
  });
  REQUIRE(folders.size() > 4);
  CHECK(folders[0] == "/given");
  CHECK(folders[1] == "/one");
  CHECK(folders[2] == "/two");
  const auto none = probes::find_plugin({"/given", "/one"}, "cuda");
  CHECK(none.file.empty());
  CHECK(none.tried == std::vector<std::string>{"/given/libsteelyard_probe_cuda.so: no such file", "/one/libsteelyard_probe_cuda.so: no such file"});
  CHECK(!probes::find_helper(probes::probe_folders({}, [](std::string_view) { return std::nullopt; })).file.empty());
}

TEST_CASE("the host backend measures this machine within its budget") {
  CalibrateOptions options;
  options.backend = "host";
  options.budget_s = 1;
  options.most_bytes = 16 << 20;
  int results = 0;
  options.progress = [&](const CalibrationProgress& progress) { results += progress.state == "measured"; };
  const CalibrationRun run = calibrate(options);
  CHECK(!run.failed);
  CHECK(results == 3);
  CHECK(outcome(run, "host.collectives").outcome == "not_available");
  const MeasuredMachine machine(run.calibration);
  CHECK(machine.host_memory_gb_per_s()->value > 0);
  CHECK(machine.host_gemm_tflops("fp64")->value > 0);
  CHECK(run.calibration.machine.gpu.empty());
  const std::string text = to_yaml(run.calibration);
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  CHECK((std::string(name).size() < 4 || text.find(name) == std::string::npos));
}

TEST_CASE("an interrupted run keeps what is finished and goes on from there") {
  const Folder folder;
  CalibrateOptions options = with_plugin("good");
  options.state = folder.path / "a folder" / "that is made" / "kept.yaml";
  bool stop = false;
  options.progress = [&](const CalibrationProgress& progress) { stop = stop || (progress.probe == "cuda.gemm" && progress.state == "running"); };
  options.cancelled = [&] { return stop; };
  const CalibrationRun first = calibrate(options);
  CHECK(first.cancelled);
  CHECK(first.not_kept.empty());
  const auto kept = load_calibration(options.state);
  REQUIRE(kept);
  CHECK(kept.value->measurements.size() == 1);
  SECTION("the next run takes it over") {
    options.cancelled = nullptr;
    std::vector<std::string> states;
    options.progress = [&](const CalibrationProgress& progress) { states.push_back(progress.probe + " " + progress.state); };
    const CalibrationRun second = calibrate(options);
    CHECK(states.front() == "cuda.memory resumed");
    CHECK(std::find(states.begin(), states.end(), "cuda.memory running") == states.end());
    CHECK(second.calibration.measurements.size() == 1);
    CHECK(outcome(second, "cuda.gemm").outcome == "measured");
    const fs::path out = folder.path / "here.yaml";
    CHECK(!write_calibration(second.calibration, out));
    CHECK(load_calibration(out));
  }
  SECTION("another day or a broken file starts afresh") {
    options.cancelled = nullptr;
    options.date = "2026-12-01";
    CHECK(calibrate(options).calibration.date == "2026-12-01");
    std::ofstream(options.state) << "schema: [";
    CHECK(calibrate(options).calibration.measurements.size() == 1);
  }
}

TEST_CASE("where nothing can be kept the run goes on, with the reason") {
  CalibrateOptions options = with_plugin("good");
  options.state = "/proc/no such folder/kept.yaml";
  const CalibrationRun run = calibrate(options);
  CHECK(run.calibration.measurements.size() == 1);
  CHECK(run.not_kept.find("/proc/no such folder: ") == 0);
}

TEST_CASE("what is kept lies in the user's state folder, by output file and backend") {
  const auto in = [](std::map<std::string, std::string> values) {
    return [values](std::string_view name) -> std::optional<std::string> {
      const auto found = values.find(std::string(name));
      return found == values.end() ? std::nullopt : std::optional(found->second);
    };
  };
  const auto home = in({{"HOME", "/home/one"}}), state = in({{"HOME", "/home/one"}, {"XDG_STATE_HOME", "/states"}});
  const fs::path one = probes::kept_file("/results/here.yaml", "host", home);
  CHECK(one.parent_path() == "/home/one/.local/state/steelyard");
  CHECK(probes::kept_file("/results/here.yaml", "host", state) == "/states/steelyard" / one.filename());
  CHECK(probes::kept_file("/results/../results/./here.yaml", "host", home) == one);
  CHECK(probes::kept_file(fs::relative("/results/here.yaml"), "host", home) == one);
  CHECK(probes::kept_file("/results/here.yaml", "cuda", home) != one);
  CHECK(probes::kept_file("/results/there.yaml", "host", home) != one);
  CHECK(probes::kept_file("/results/here.yaml", "host", in({{"HOME", "/home/one"}, {"XDG_STATE_HOME", "states"}})) == one);
  CHECK(probes::kept_file("/results/here.yaml", "host", in({})).empty());
}

TEST_CASE("what does not fit into the budget is left out with a word, never a check") {
  CalibrateOptions options = with_plugin("late");
  options.budget_s = 0.3;
  const CalibrationRun run = calibrate(options);
  CHECK(!run.failed);
  CHECK(outcome(run, "cuda.memory").outcome == "measured");
  CHECK(outcome(run, "cuda.gemm").outcome == "not_available");
  CHECK(outcome(run, "cuda.gemm").because.find("the budget of 0.3 s is used up") != std::string::npos);
}

TEST_CASE("files are whole whoever writes and whoever is killed") {
  const Folder folder;
  const fs::path file = folder.path / "here.yaml";
  const std::string one(200000, 'a'), two(300000, 'b');
  REQUIRE(!probes::write_whole(file, one));
  std::vector<pid_t> writers;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (;;) probes::write_whole(file, i % 2 ? one : two);
    }
    writers.push_back(child);
  }
  for (int i = 0; i < 200; ++i) {
    const std::string seen = text_of(file);
    REQUIRE((seen == one || seen == two));
    if (i == 100) kill(writers[0], SIGKILL), kill(writers[1], SIGKILL);
  }
  for (const pid_t writer : writers) kill(writer, SIGKILL), waitpid(writer, nullptr, 0);
  const std::string last = text_of(file);
  CHECK((last == one || last == two));
  CHECK(probes::write_whole("/no/such/folder/x.yaml", "x")->find("/no/such/folder/x.yaml") == 0);
}

TEST_CASE("transports are read from NCCL's log without names of devices") {
  const auto found = probes::nccl_transports(
      "host:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read\n"
      "host:1:1 [0] NCCL INFO Channel 01/0 : 0[0] -> 1[1] via P2P/CUMEM/read\n"
      "host:1:1 [0] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/IB/3(0)/GDRDMA\n"
      "host:1:1 [0] NCCL INFO 24 coll channels, 16 collnet channels, 16 nvls channels, 32 p2p channels\n"
      "host:1:1 [0] NCCL INFO Connected all rings via magic\n");
  REQUIRE(found.size() == 3);
  CHECK(found[0].value == "NET/IB/GDRDMA");
  CHECK(found[1].value == "NVLS");
  CHECK(found[2].value == "P2P/CUMEM/read");
  CHECK(found[2].unit == "channels: 2");
  CHECK(probes::nccl_transports("24 coll channels, 0 collnet channels, 0 nvls channels").empty());
}

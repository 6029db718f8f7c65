// What it costs to start a kernel, and to make a context while other processes do the same.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "calibrate/sampler.hpp"
#include "calibrate/statistics.hpp"
#include "probes/cuda/kernels.hpp"
#include "probes/cuda/probes.hpp"

namespace steelyard::probes::cuda {

namespace {

Measurement microseconds(const char* metric, const TimeStatistics& time) {
  Measurement out;
  out.metric = metric;
  out.backend = "cuda";
  out.time = time;
  out.value = time.median_s * 1e6;
  out.unit = "us";
  return out;
}

class LaunchProbe final : public GpuProbe {
 public:
  std::string_view name() const override { return "cuda.launch"; }

  void run(const Request& request, Output& output) override {
    use_device(0);
    const Stream stream;
    const auto launch_and_wait = [&](int repeats) {
      const double start = clock_s();
      for (int i = 0; i < repeats; ++i) {
        check(empty(stream.get()), "launch");
        stream.wait();
      }
      return clock_s() - start;
    };
    const auto launch_many = [&](int repeats) {
      const double start = clock_s();
      for (int i = 0; i < repeats; ++i) check(empty(stream.get()), "launch");
      stream.wait();
      return clock_s() - start;
    };
    const calibration::SamplePlan plan{.budget_s = request.budget_s / 2};
    Measurement latency = microseconds("launch.latency", calibration::sample(launch_and_wait, plan).statistics());
    latency.method = "probe cuda 1, empty kernel, launch to end seen by the host";
    output.add(latency);
    Measurement rate = microseconds("launch.interval", calibration::sample(launch_many, plan).statistics());
    rate.method = "probe cuda 1, empty kernels one after the other";
    output.add(rate);
  }
};

// A process that makes a context and runs a kernel; its seconds come through the pipe, or the reason of a failure.
void child_context(int descriptor) {
  char message[256] = "";
  double seconds = -1;
  try {
    const double start = clock_s();
    use_device(0);
    check(cudaFree(nullptr), "context");
    const Stream stream;
    check(empty(stream.get()), "launch");
    stream.wait();
    seconds = clock_s() - start;
  } catch (const std::exception& fault) {
    std::snprintf(message, sizeof message, "%s", fault.what());
  }
  char line[320];
  const int length = std::snprintf(line, sizeof line, "%.9f %s\n", seconds, message);
  [[maybe_unused]] const ssize_t written = write(descriptor, line, static_cast<std::size_t>(length));
  _exit(0);
}

// Many processes at once: CUDA must not have been started in this one, so nothing here asks for devices first.
class ProcessesProbe final : public Probe {
 public:
  std::string_view name() const override { return "cuda.processes"; }
  std::optional<std::string> why_unavailable() const override { return std::nullopt; }

  void run(const Request&, Output& output) override {
    for (const int processes : {1, 4}) {
      Measurement out = microseconds("launch.processes", together(processes));
      out.at = {{"processes", processes}};
      out.method = "probe cuda 1, context and one empty kernel in each process, all at once";
      output.add(out);
    }
  }

 private:
  static TimeStatistics together(int processes) {
    int ends[2];
    if (pipe(ends) != 0) throw ProbeFailure("no pipe");
    std::vector<pid_t> children;
    for (int i = 0; i < processes; ++i) {
      const pid_t child = fork();
      if (child == 0) child_context(ends[1]);
      if (child > 0) children.push_back(child);
    }
    close(ends[1]);
    std::string text;
    char buffer[512];
    for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(got));
    close(ends[0]);
    int crashed = 0;
    for (const pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      crashed += !WIFEXITED(status);
    }
    return read_times(text, processes, crashed);
  }

  static TimeStatistics read_times(const std::string& text, int processes, int crashed) {
    std::vector<double> seconds;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      const std::string line = text.substr(at, end - at);
      const double value = std::strtod(line.c_str(), nullptr);
      const std::string reason = line.substr(std::min(line.size(), line.find(' ') + 1));
      if (value < 0 && processes == 1) throw NotAvailable(reason);
      if (value < 0) throw ProbeFailure(std::to_string(processes) + " processes at once: " + reason);
      seconds.push_back(value);
      at = end == std::string::npos ? text.size() : end + 1;
    }
    if (crashed > 0 || seconds.empty()) throw ProbeFailure(std::to_string(crashed) + " of " + std::to_string(processes) + " processes crashed");
    return calibration::summarise(seconds);
  }
};

}  // namespace

std::unique_ptr<Probe> launch_probe() { return std::make_unique<LaunchProbe>(); }
std::unique_ptr<Probe> processes_probe() { return std::make_unique<ProcessesProbe>(); }

}  // namespace steelyard::probes::cuda

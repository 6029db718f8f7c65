// Matrix products by format and shape, cold and after a time under load.
#include <algorithm>

#include "calibrate/rates.hpp"
#include "calibrate/sampler.hpp"
#include "probes/cuda/matmul.hpp"

namespace steelyard::probes::cuda {

namespace {

// Shapes of layers: one token, a few, many; square and wide. The quickest first, so that it tells what the others would take; the last one
// heats the board.
std::vector<Shape> shapes(double room_bytes) {
  int edge = 8192;
  while (edge > 64 && 3.0 * edge * edge * 8 > room_bytes) edge /= 2;
  return {{edge / 8, edge / 8, edge / 8}, {16, edge, edge},  {edge / 32, edge, edge}, {edge / 2, edge / 2, edge / 2}, {edge / 4, edge, edge},
          {edge / 2, 2 * edge, edge / 2}, {edge, edge, edge}};
}

double operations(const Shape& shape) { return 2.0 * shape.m * shape.n * shape.k; }

class GemmProbe final : public GpuProbe {
 public:
  std::string_view name() const override { return "cuda.gemm"; }

  void run(const Request& request, Output& output) override {
    use_device(0);
    const auto blas = open_blas();
    const auto all = shapes(memory_of_device().free_bytes / 4);
    const double cold_s = request.budget_s * 0.6 / static_cast<double>(all.size() * all_formats().size());
    const FormatFacts* hottest = nullptr;
    for (const FormatFacts& format : all_formats()) {
      if (measure_all(blas, format, all, "cold", cold_s, output) && (!hottest || format.name == "bf16")) hottest = &format;
    }
    if (!hottest) throw ProbeFailure("no number format could be multiplied");
    heat(blas, *hottest, all.back(), request.budget_s * 0.25);
    measure_all(blas, *hottest, all, "steady", request.budget_s * 0.15 / static_cast<double>(all.size()), output);
  }

 private:
  // False where the board has no such format.
  static bool measure_all(const std::shared_ptr<Blas>& blas, const FormatFacts& format, const std::vector<Shape>& all, const std::string& state,
                          double budget_s, Output& output) {
    bool any = false;
    double rate = 0;  // best so far, op/s
    for (const Shape& shape : all) {
      // A format this slow (double on a gaming board) is told by its smaller shapes.
      if (rate > 0 && operations(shape) / rate > 4 * budget_s) continue;
      try {
        Matmul product(blas, format, shape, budget_s);
        product.verify();
        rate = std::max(rate, measure(product, format, shape, state, budget_s, output));
        any = true;
      } catch (const NotAvailable& reason) {
        if (state == "cold" && &shape == &all.front()) output.add(Reading{"no_product", format.name + ": " + reason.what(), "", 0});
      }
    }
    return any;
  }

  // The rate in op/s.
  static double measure(Matmul& product, const FormatFacts& format, const Shape& shape, const std::string& state, double budget_s, Output& output) {
    calibration::SamplePlan plan{.budget_s = budget_s, .least_blocks = 3};
    plan.warm_up_share = state == "cold" ? 0.2 : 0.4;
    const auto samples = calibration::sample([&](int repeats) { return product.timed_products(repeats); }, plan, throttle_watch(0));
    Measurement out;
    out.metric = "gemm";
    out.backend = "cuda";
    out.format = format.name;
    out.state = state;
    out.at = {{"m", shape.m}, {"n", shape.n}, {"k", shape.k}};
    out.time = samples.statistics();
    out.value = calibration::tflops(shape.m, shape.n, shape.k, out.time.median_s);
    out.unit = "tflops";
    out.method = "probe cuda 1, cuBLASLt, best of 8 algorithms, 64 entries verified";
    output.add(out);
    return operations(shape) / out.time.median_s;
  }

  // Keeps the board busy, so that clocks and temperature are those of a long run.
  static void heat(const std::shared_ptr<Blas>& blas, const FormatFacts& format, const Shape& shape, double seconds) {
    Matmul product(blas, format, shape);
    const int batch = std::max(1, static_cast<int>(0.1 / std::max(product.timed_products(1), 1e-6)));
    for (double spent = 0; spent < seconds;) spent += product.timed_products(batch);
  }
};

// Products over and over, each result compared bit for bit with the first.
class StressProbe final : public GpuProbe {
 public:
  std::string_view name() const override { return "cuda.stress"; }

  void run(const Request& request, Output& output) override {
    const auto blas = open_blas();
    const int devices = find_devices().count;
    for (int device = 0; device < devices; ++device) stress(blas, device, request.budget_s / devices, output);
  }

 private:
  static void stress(const std::shared_ptr<Blas>& blas, int device, double budget_s, Output& output) {
    use_device(device);
    const Shape shape = shapes(memory_of_device().free_bytes / 4).back();
    const FormatFacts format = usable_format(blas, shape);
    Matmul product(blas, format, shape);
    product.verify();
    const Buffer first(product.result().bytes());
    check(cudaMemcpy(first.data(), product.result().data(), first.bytes(), cudaMemcpyDeviceToDevice), "cudaMemcpy");
    WrongCount wrong;
    const auto timed_block = [&](int repeats) {
      const double seconds = product.timed_products(repeats);
      check(check_equal(first.data(), product.result().data(), first.bytes() / 16 * 16, wrong.on_device(), product.stream().get()), "check");
      return seconds;
    };
    calibration::SamplePlan plan{.budget_s = budget_s, .block_s = 0.1};
    plan.most_blocks = 1000;
    const auto samples = calibration::sample(timed_block, plan, throttle_watch(device));
    const unsigned long long errors = wrong.get(product.stream());
    output.add(Reading{"stress_errors", std::to_string(errors), "units of 16 bytes", device});
    if (errors > 0)
      throw ProbeFailure("GPU " + std::to_string(device) + " computes wrong results under load: " + std::to_string(errors) +
                         " units of 16 bytes differ");
    Measurement out;
    out.metric = "stress";
    out.backend = "cuda";
    out.format = format.name;
    out.at = {{"m", shape.m}, {"n", shape.n}, {"k", shape.k}, {"device", device}};
    out.time = samples.statistics();
    out.value = calibration::tflops(shape.m, shape.n, shape.k, out.time.median_s);
    out.unit = "tflops";
    out.method = "probe cuda 1, cuBLASLt under load, every block compared with the first result";
    output.add(out);
  }

  static FormatFacts usable_format(const std::shared_ptr<Blas>& blas, const Shape& shape) {
    for (const std::string name : {"bf16", "fp16", "fp32"}) {
      for (const FormatFacts& format : all_formats()) {
        if (format.name != name) continue;
        try {
          Matmul(blas, format, shape).verify();
          return format;
        } catch (const NotAvailable&) {
        }
      }
    }
    throw NotAvailable("no number format could be multiplied");
  }
};

}  // namespace

std::unique_ptr<Probe> gemm_probe() { return std::make_unique<GemmProbe>(); }
std::unique_ptr<Probe> stress_probe() { return std::make_unique<StressProbe>(); }

}  // namespace steelyard::probes::cuda

// Matrix products by Eigen, one thread and all threads, double and single.
#include <cstdlib>
#include <new>

#include "calibrate/rates.hpp"
#include "calibrate/sampler.hpp"
#include "probes/host/probes.hpp"
#include "probes/host/product.hpp"
#include "probes/host/product_kernel.hpp"
#include "probes/host/threads.hpp"

namespace steelyard::probes {

namespace {

template <class Scalar>
Multiply<Scalar> function_of(const ProductKernel& kernel) {
  if constexpr (sizeof(Scalar) == sizeof(double)) return kernel.fp64;
  if constexpr (sizeof(Scalar) == sizeof(float)) return kernel.fp32;
}

// Entries that begin with a cache line, as Eigen's own do.
template <class Scalar>
struct Entries {
  explicit Entries(std::size_t count) : data(static_cast<Scalar*>(std::aligned_alloc(kLine, (count * sizeof(Scalar) / kLine + 1) * kLine))) {
    if (!data) throw std::bad_alloc();
  }
  ~Entries() { std::free(data); }
  Entries(const Entries&) = delete;
  Entries& operator=(const Entries&) = delete;

  static constexpr std::size_t kLine = 64;
  Scalar* data;
};

}  // namespace

template <class Scalar>
struct Product<Scalar>::Matrices {
  int m, n, k;
  ProductKernel kernel = product_kernels().back();
  Entries<Scalar> a{static_cast<std::size_t>(m) * k}, b{static_cast<std::size_t>(k) * n}, c{static_cast<std::size_t>(m) * n};
};

template <class Scalar>
Product<Scalar>::Product(int m, int n, int k) : matrices_(new Matrices{m, n, k}) {
  for (long i = 0; i < static_cast<long>(m) * k; ++i) matrices_->a.data[i] = static_cast<Scalar>(i % 7 - 3);
  for (long i = 0; i < static_cast<long>(k) * n; ++i) matrices_->b.data[i] = static_cast<Scalar>(i % 5 - 2);
  for (long i = 0; i < static_cast<long>(m) * n; ++i) matrices_->c.data[i] = 0;
}

template <class Scalar>
Product<Scalar>::~Product() = default;

template <class Scalar>
double Product<Scalar>::timed(Team& team, int repeats) {
  const auto multiply = function_of<Scalar>(matrices_->kernel);
  return team.run([&, multiply](int thread) {
    auto& [m, n, k, kernel, a, b, c] = *matrices_;
    const long first = static_cast<long>(n) * thread / team.size(), last = static_cast<long>(n) * (thread + 1) / team.size();
    for (int i = 0; i < repeats; ++i) multiply(a.data, b.data + first * k, c.data + first * m, m, last - first, k);
  });
}

template <class Scalar>
int Product<Scalar>::wrong() const {
  const auto& [m, n, k, kernel, a, b, c] = *matrices_;
  int count = 0;
  for (long i = 0; i < kChecked; ++i) {
    const long row = i * 31 % m, column = i * 17 % n;
    double sum = 0;
    for (long at = 0; at < k; ++at) sum += static_cast<double>(a.data[row + at * m]) * static_cast<double>(b.data[at + column * k]);
    if (static_cast<double>(c.data[row + column * m]) != sum) ++count;
  }
  return count;
}

template <class Scalar>
std::string Product<Scalar>::instructions() const {
  return matrices_->kernel.instructions;
}

template class Product<double>;
template class Product<float>;

namespace {

class GemmProbe final : public Probe {
 public:
  std::string_view name() const override { return "host.gemm"; }
  std::optional<std::string> why_unavailable() const override { return std::nullopt; }

  void run(const Request& request, Output& output) override {
    const std::vector<int> processors = allowed_processors();
    Team one({kAnywhere});  // tied to one processor it would share that with whatever else runs there
    Team all(processors);
    const double teams = processors.size() > 1 ? 2 : 1;
    for (const Shape& shape : kShapes) {
      const double each = request.budget_s / (2 * teams * static_cast<double>(std::size(kShapes)));
      measure<double>("fp64", shape, one, each, output);
      measure<float>("fp32", shape, one, each, output);
      if (teams < 2) continue;
      measure<double>("fp64", shape, all, each, output);
      measure<float>("fp32", shape, all, each, output);
    }
  }

 private:
  static constexpr int kLeastRuns = 4;  // one that warms up, three that count
  static constexpr int kSmall = 512;    // shapes up to this edge are measured whatever the budget
  static constexpr double kShort_s = 0.1;

  struct Shape {
    int m, n, k;
  };
  // From what fits a first cache to what fits none; square and tall.
  static constexpr Shape kShapes[] = {{128, 128, 128}, {512, 512, 512}, {1024, 1024, 1024}, {64, 1024, 1024}};

  template <class Scalar>
  static void measure(const std::string& format, const Shape& shape, Team& team, double budget_s, Output& output) {
    // Too large for this budget: the smaller shapes say what there is to say.
    const bool large = shape.m > kSmall || shape.n > kSmall || shape.k > kSmall;
    if (large && budget_s < kShort_s) return;
    Product<Scalar> product(shape.m, shape.n, shape.k);
    const double once_s = product.timed(team, 1);
    if (const int wrong = product.wrong(); wrong > 0) {
      throw ProbeFailure(format + " product: " + std::to_string(wrong) + " of 64 entries wrong; no speed is reported");
    }
    if (large && once_s * kLeastRuns > budget_s) return;
    const calibration::SamplePlan plan{.budget_s = budget_s, .least_blocks = 3};
    const auto samples = calibration::sample([&](int repeats) { return product.timed(team, repeats); }, plan);
    Measurement out;
    out.metric = "gemm";
    out.backend = "host";
    out.format = format;
    out.at = {{"m", shape.m}, {"n", shape.n}, {"k", shape.k}, {"threads", team.size()}};
    out.time = samples.statistics();
    out.value = calibration::tflops(shape.m, shape.n, shape.k, out.time.median_s);
    out.unit = "tflops";
    out.method = "probe host 1, Eigen with " + product.instructions() + ", 64 entries verified";
    output.add(out);
  }
};

}  // namespace

std::unique_ptr<Probe> host_gemm_probe() { return std::make_unique<GemmProbe>(); }

}  // namespace steelyard::probes

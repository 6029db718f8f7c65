// Matrix products by Eigen, one thread and all threads, double and single.
#include <Eigen/Core>
#include <vector>

#include "calibrate/rates.hpp"
#include "calibrate/sampler.hpp"
#include "probes/host/probes.hpp"
#include "probes/host/product.hpp"
#include "probes/host/threads.hpp"

namespace steelyard::probes {

template <class Scalar>
struct Product<Scalar>::Matrices {
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> a, b, c;
};

template <class Scalar>
Product<Scalar>::Product(int m, int n, int k) : matrices_(new Matrices) {
  auto& [a, b, c] = *matrices_;
  a.resize(m, k), b.resize(k, n);
  for (Eigen::Index i = 0; i < a.size(); ++i) a.data()[i] = static_cast<Scalar>(i % 7 - 3);
  for (Eigen::Index i = 0; i < b.size(); ++i) b.data()[i] = static_cast<Scalar>(i % 5 - 2);
  c.setZero(m, n);
}

template <class Scalar>
Product<Scalar>::~Product() = default;

template <class Scalar>
double Product<Scalar>::timed(Team& team, int repeats) {
  return team.run([&](int thread) {
    auto& [a, b, c] = *matrices_;
    const Eigen::Index first = c.cols() * thread / team.size(), last = c.cols() * (thread + 1) / team.size();
    for (int i = 0; i < repeats; ++i) c.middleCols(first, last - first).noalias() = a * b.middleCols(first, last - first);
  });
}

template <class Scalar>
int Product<Scalar>::wrong() const {
  const auto& [a, b, c] = *matrices_;
  int count = 0;
  for (Eigen::Index i = 0; i < kChecked; ++i) {
    const Eigen::Index row = i * 31 % c.rows(), column = i * 17 % c.cols();
    double sum = 0;
    for (Eigen::Index at = 0; at < a.cols(); ++at) sum += static_cast<double>(a(row, at)) * static_cast<double>(b(at, column));
    if (static_cast<double>(c(row, column)) != sum) ++count;
  }
  return count;
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
    Team one({processors.front()});
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
  struct Shape {
    int m, n, k;
  };
  // From what fits a first cache to what fits none; square and tall.
  static constexpr Shape kShapes[] = {{128, 128, 128}, {512, 512, 512}, {1024, 1024, 1024}, {64, 1024, 1024}};

  template <class Scalar>
  static void measure(const std::string& format, const Shape& shape, Team& team, double budget_s, Output& output) {
    Product<Scalar> product(shape.m, shape.n, shape.k);
    const double once_s = product.timed(team, 1);
    if (const int wrong = product.wrong(); wrong > 0) {
      throw ProbeFailure(format + " product: " + std::to_string(wrong) + " of 64 entries wrong; no speed is reported");
    }
    const bool smallest = shape.m == kShapes[0].m && shape.k == kShapes[0].k;
    if (once_s > budget_s && !smallest) return;  // too large for this budget; the smaller shapes say what there is to say
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
    out.method = "probe host 1, Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + ", " +
                 Eigen::SimdInstructionSetsInUse() + ", 64 entries verified";
    output.add(out);
  }
};

}  // namespace

std::unique_ptr<Probe> host_gemm_probe() { return std::make_unique<GemmProbe>(); }

}  // namespace steelyard::probes

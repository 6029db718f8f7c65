#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "calibrate/rates.hpp"
#include "calibrate/statistics.hpp"
#include "probes/collectives.hpp"
#include "probes/host/engine.hpp"
#include "probes/host/kernels.hpp"
#include "probes/host/probes.hpp"
#include "probes/host/product.hpp"
#include "probes/host/product_kernel.hpp"
#include "probes/host/system.hpp"
#include "probes/host/threads.hpp"
#include "probes/ranks/threads.hpp"
#include "probes/run/lines.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::probes;

namespace {

Calibration results_of(Probe& probe, double budget_s) {
  Calibration out;
  Output output([&](std::string_view line) { REQUIRE(take_line(line, out)); });
  Request request;
  request.probe = std::string(probe.name());
  request.budget_s = budget_s;
  request.most_bytes = 16 << 20;
  probe.run(request, output);
  return out;
}

// Collectives on a clock of their own: t = latency + bytes x share / rate, and as many wrong elements as asked for.
class SimulatedLink final : public CollectiveEngine {
 public:
  SimulatedLink(double latency_s, double bytes_per_s) : latency_s_(latency_s), bytes_per_s_(bytes_per_s) {}
  std::string backend() const override { return "host"; }
  int ranks() const override { return 2; }
  int nodes() const override { return 2; }
  double most_bytes() const override { return 1 << 28; }
  std::string method() const override { return "simulated"; }
  void prepare(const std::string& kind, double bytes) override { kind_ = kind, bytes_ = bytes; }
  double timed(int repeats) override {
    noise_ = noise_ * 1103515245u + 12345u;
    const double jitter = 1 + 0.02 * ((noise_ >> 16) % 1000 / 1000.0 - 0.5);
    return repeats * jitter * (latency_s_ + bytes_ * *calibration::traffic_share(kind_, 2) / bytes_per_s_);
  }
  double wrong() override { return kind_ == wrong_kind ? 3 : 0; }
  double agreed(double value) override { return value; }
  double clock_s() const override { return 0; }  // checks cost nothing

  std::string wrong_kind;

 private:
  double latency_s_, bytes_per_s_;
  std::string kind_;
  double bytes_ = 0;
  unsigned noise_ = 1;
};

}  // namespace

TEST_CASE("the memory probe measures past the last cache and says how") {
  const auto probe = host_memory_probe();
  const Calibration found = results_of(*probe, 0.2);
  std::map<std::string, int> count;
  for (const Measurement& one : found.measurements) {
    ++count[one.metric];
    CHECK(one.value > 0);
    CHECK(one.time.samples >= 5);
    CHECK(one.condition("threads") == static_cast<double>(allowed_processors().size()));
    CHECK(one.value == Approx(*calibration::stream_bytes(one.metric.substr(7), *one.condition("bytes")) / one.time.median_s / 1e9));
  }
  CHECK(count["memory.copy"] >= 1);
  CHECK(count["memory.copy"] == count["memory.triad"]);
}

TEST_CASE("products and latency are measured with their conditions") {
  const Calibration products = results_of(*host_gemm_probe(), 0.2);
  REQUIRE(products.measurements.size() >= 2);
  for (const Measurement& one : products.measurements) {
    CHECK((one.format == "fp64" || one.format == "fp32"));
    CHECK(one.value > 0);
    CHECK(one.method.find("verified") != std::string::npos);
  }
  const Calibration latency = results_of(*host_latency_probe(), 0.1);
  REQUIRE(latency.measurements.size() == 1);
  CHECK(latency.measurements[0].unit == "us");
}

TEST_CASE("the loops of STREAM and the product by threads give the right elements") {
  Team team(allowed_processors());
  const std::size_t count = 1001;
  std::vector<double> a(count), b(count), c(count), expected(count);
  for (std::size_t i = 0; i < count; ++i) {
    b[i] = static_cast<double>(i), c[i] = 0.5 * static_cast<double>(i);
    expected[i] = 2.5 * static_cast<double>(i);
  }
  triad(a.data(), b.data(), c.data(), 3, count);
  CHECK(a == expected);
  copy(a.data(), c.data(), count);
  CHECK(a == c);
  Product<double> product(48, 80, 33);
  CHECK(product.wrong() > 0);  // not multiplied yet
  product.timed(team, 1);
  CHECK(product.wrong() == 0);
}

TEST_CASE("the product is the same with every instruction set of this processor") {
  const long m = 37, n = 21, k = 45;
  std::vector<double> a(m * k), b(k * n), expected(m * n, 0);
  for (long i = 0; i < m * k; ++i) a[i] = static_cast<double>(i % 7 - 3);
  for (long i = 0; i < k * n; ++i) b[i] = static_cast<double>(i % 5 - 2);
  for (long row = 0; row < m; ++row) {
    for (long column = 0; column < n; ++column) {
      for (long at = 0; at < k; ++at) expected[row + column * m] += a[row + at * m] * b[at + column * k];
    }
  }
  const std::vector<float> narrow_a(a.begin(), a.end()), narrow_b(b.begin(), b.end()), narrow_expected(expected.begin(), expected.end());
  REQUIRE(!product_kernels().empty());
  for (const ProductKernel& kernel : product_kernels()) {
    INFO(kernel.instructions);
    std::vector<double> c(m * n);
    std::vector<float> narrow(m * n);
    kernel.fp64(a.data(), b.data(), c.data(), m, n, k);
    kernel.fp32(narrow_a.data(), narrow_b.data(), narrow.data(), m, n, k);
    CHECK(c == expected);
    CHECK(narrow == narrow_expected);
  }
}

TEST_CASE("the network between nodes is named by its active ports") {
  const std::filesystem::path devices = std::filesystem::temp_directory_path() / ("steelyard_ports_" + std::to_string(getpid()));
  const auto port = [&](const std::string& device, const std::string& state, const std::string& rate, const std::string& layer) {
    const std::filesystem::path folder = devices / device / "ports/1";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "state") << state << "\n";
    std::ofstream(folder / "rate") << rate << "\n";
    std::ofstream(folder / "link_layer") << layer << "\n";
  };
  CHECK(!network_ports(devices));
  port("mlx5_0", "4: ACTIVE", "400 Gb/sec (4X NDR)", "InfiniBand");
  port("mlx5_1", "4: ACTIVE", "400 Gb/sec (4X NDR)", "InfiniBand");
  port("mlx5_2", "1: DOWN", "400 Gb/sec (4X NDR)", "InfiniBand");
  port("mlx5_bond_0", "4: ACTIVE", "25 Gb/sec (1X EDR)", "Ethernet");
  const auto found = network_ports(devices);
  std::filesystem::remove_all(devices);
  REQUIRE(found);
  CHECK(found->kind == "infiniband");
  CHECK(found->gbit_per_s == 800);
}

TEST_CASE("a team runs its work on every thread, in order") {
  Team team(allowed_processors());
  std::vector<int> seen(static_cast<std::size_t>(team.size()), 0);
  for (int round = 0; round < 3; ++round) {
    const double seconds = team.run([&](int thread) { ++seen[static_cast<std::size_t>(thread)]; });
    CHECK(seconds >= 0);
  }
  for (const int count : seen) CHECK(count == 3);
}

TEST_CASE("facts of the CPU side are plausible") {
  CHECK(last_cache_bytes() >= 65536);
  REQUIRE(memory_bytes());
  CHECK(*available_bytes() <= *memory_bytes());
}

TEST_CASE("a link of known latency and rate is found again") {
  SimulatedLink link(40e-6, 2.5e9);
  Calibration found;
  Output output([&](std::string_view line) { REQUIRE(take_line(line, found)); });
  Request request;
  request.budget_s = 20;
  measure_collectives(link, request, output);
  derive_coefficients(found, nullptr);
  std::map<std::string, double> values;
  for (const Coefficient& one : found.coefficients) values[one.name] = one.value;
  CHECK(values["host.collective.all_reduce.latency"] == Approx(40).epsilon(0.1));
  CHECK(values["host.collective.all_reduce.asymptotic_bus_bandwidth"] == Approx(2.5).epsilon(0.1));
  CHECK(values["host.collective.send_recv.asymptotic_bus_bandwidth"] == Approx(2.5).epsilon(0.1));
  const MeasuredMachine machine(found);
  CHECK(machine.host_collective_s("all_gather", 2, 2, 1 << 20)->value == Approx(40e-6 + (1 << 19) / 2.5e9).epsilon(0.05));
}

TEST_CASE("wrong data is reported and no speed of it") {
  SimulatedLink link(40e-6, 2.5e9);
  link.wrong_kind = "reduce_scatter";
  Calibration found;
  Output output([&](std::string_view line) { REQUIRE(take_line(line, found)); });
  Request request;
  request.budget_s = 1;
  CHECK_THROWS_WITH(measure_collectives(link, request, output), Catch::Contains("reduce_scatter of 8 bytes over 2 ranks: 3 wrong elements"));
  for (const Measurement& one : found.measurements) CHECK(one.metric != "collective.reduce_scatter");
}

TEST_CASE("two ranks measure every collective, each with the same figures") {
  std::vector<Calibration> found(2);
  test::with_ranks(2, [&](Ranks& ranks) {
    Calibration& mine = found[static_cast<std::size_t>(ranks.rank())];
    Output output([&](std::string_view line) { take_line(line, mine); });
    HostCollectives engine(ranks);
    // Each has its own time left and its own memory: the sizes must be the same all the same.
    Request request;
    request.budget_s = ranks.rank() == 0 ? 0.5 : 3;
    request.most_bytes = ranks.rank() == 0 ? 1 << 22 : 1 << 20;
    measure_collectives(engine, request, output);
  });
  std::set<std::string> kinds;
  for (const Measurement& one : found[0].measurements) kinds.insert(one.metric);
  CHECK(kinds.size() == 5);
  REQUIRE(found[0].measurements.size() == found[1].measurements.size());
  for (std::size_t i = 0; i < found[0].measurements.size(); ++i) CHECK(found[0].measurements[i].time == found[1].measurements[i].time);
}

TEST_CASE("requests read back, lines of other kinds are refused") {
  Request request;
  request.probe = "host.memory";
  request.budget_s = 2.5;
  request.mpi_plugins = {"/x y/z.so"};
  const auto again = read_request(to_json(request));
  REQUIRE(again);
  CHECK(again.value->probe == "host.memory");
  CHECK(again.value->budget_s == 2.5);
  CHECK(again.value->mpi_plugins == request.mpi_plugins);
  CHECK(!read_request("{\"probe\": \"x\", \"budget\": 1}"));
  CHECK(!read_request("nonsense"));
  Calibration none;
  for (const char* line : {"", "noise", "[]", "{\"other\": 1}", "{\"measurement\": {\"metric\": \"gemm\"}}", "{\"reading\": {}}"})
    CHECK(!take_line(line, none));
  CHECK(none.measurements.empty());
}

TEST_CASE("the even size is a whole number of elements a rank") {
  CHECK(even_bytes(1024, 2) == 1024);
  CHECK(even_bytes(1024, 3) == 1020);
  CHECK(even_bytes(1, 3) == 12);
}

#include <functional>
#include <map>

#include "calibrate/rates.hpp"
#include "calibrate/statistics.hpp"
#include "probes/collectives.hpp"
#include "probes/host/engine.hpp"
#include "probes/host/kernels.hpp"
#include "probes/host/probes.hpp"
#include "probes/host/product.hpp"
#include "probes/host/reference_loops.hpp"
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

// Do two ways take the same time within 10 %? Other programs disturb both alike, so runs alternate and the median of the ratios counts;
// a disturbed round is repeated, a true difference shows in all of them.
bool within_a_tenth(const std::function<double()>& one, const std::function<double()>& other) {
  for (int round = 0; round < 8; ++round) {
    std::vector<double> ratios;
    for (int pair = 0; pair < 15; ++pair) ratios.push_back(one() / other());
    const double ratio = calibration::median(ratios);
    if (ratio > 1 / 1.1 && ratio < 1.1) return true;
  }
  return false;
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
  double agreed(double) override { return 0; }  // checks cost nothing on this clock

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
  const Calibration products = results_of(*host_gemm_probe(), 0.5);
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

TEST_CASE("triad keeps step with a plain loop of STREAM, products with a direct call of Eigen") {
  Team team({allowed_processors().front()});
  SECTION("triad") {
    const std::size_t count = 2 << 20;
    std::vector<double> a(count), b(count, 1), c(count, 2);
    CHECK(within_a_tenth([&] { return team.run([&](int) { triad(a.data(), b.data(), c.data(), 3, count); }); },
                         [&] { return team.run([&](int) { test::reference_triad(a.data(), b.data(), c.data(), 3, count); }); }));
    CHECK(a[17] == 7);
  }
  SECTION("product") {
    const int size = 256;
    Product<double> product(size, size, size);
    CHECK(within_a_tenth([&] { return product.timed(team, 1); },
                         [&] {
                           double seconds = 0;
                           team.run([&](int) { seconds = test::reference_product_s(size); });
                           return seconds;
                         }));
    CHECK(product.wrong() == 0);
  }
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
    Request request;
    request.budget_s = 0.5;
    request.most_bytes = 1 << 20;
    measure_collectives(engine, request, output);
  });
  REQUIRE(found[0].measurements.size() >= 15);
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
  for (const char* line : {"", "noise", "[]", "{\"other\": 1}", "{\"measurement\": {\"metric\": \"gemm\"}}", "{\"reading\": {}}"}) CHECK(!take_line(line, none));
  CHECK(none.measurements.empty());
}

TEST_CASE("the even size is a whole number of elements a rank") {
  CHECK(even_bytes(1024, 2) == 1024);
  CHECK(even_bytes(1024, 3) == 1020);
  CHECK(even_bytes(1, 3) == 12);
}

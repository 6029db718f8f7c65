#include "calibrate/statistics.hpp"

#include "calibrate/rates.hpp"
#include "calibrate/sampler.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::calibration;

TEST_CASE("order statistics of known samples") {
  const TimeStatistics time = summarise({5, 1, 2, 4, 3});
  CHECK(time.median_s == 3);
  CHECK(time.mad_s == 1);
  CHECK(time.min_s == 1);
  CHECK(time.p05_s == Approx(1.2));
  CHECK(time.p95_s == Approx(4.8));
  CHECK(time.samples == 5);
  CHECK(time.outliers == 0);
  CHECK(median({4, 1, 3, 2}) == 2.5);
}

TEST_CASE("outliers are counted, and the median does not follow them") {
  std::vector<double> seconds(20, 1.0);
  for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] += 0.001 * static_cast<double>(i % 5);
  seconds[3] = 9;
  seconds[7] = 0.1;
  const TimeStatistics time = summarise(seconds);
  CHECK(time.outliers == 2);
  CHECK(time.median_s == Approx(1.002).margin(0.001));
  SECTION("equal samples have no outliers, nor have those within one percent") {
    CHECK(summarise({1, 1, 1, 1, 1.009}).outliers == 0);
    CHECK(summarise({1, 1, 1, 1, 1.011}).outliers == 1);
  }
}

TEST_CASE("warm-up goes on until the times have settled") {
  // A device that gets faster for 30 calls and then stays.
  int calls = 0;
  const auto timed = [&](int repeats) { return repeats * (0.010 + 0.010 * std::max(0, 30 - calls++) / 30); };
  const Samples samples = sample(timed, {.budget_s = 2, .block_s = 0.005});
  CHECK(samples.stable);
  CHECK(samples.warm_up_blocks > 10);
  CHECK(samples.repeats == 1);
  CHECK(samples.statistics().median_s == Approx(0.010).epsilon(0.05));
}

TEST_CASE("a short operation is repeated until a block is long enough") {
  const Samples samples = sample([](int repeats) { return repeats * 2e-6; }, {.budget_s = 1, .block_s = 0.005});
  CHECK(samples.repeats * 2e-6 >= 0.005);
  CHECK(samples.statistics().median_s == Approx(2e-6));
  CHECK(samples.statistics().samples == 60);
}

TEST_CASE("times that never settle are said to be unstable") {
  int calls = 0;
  const Samples samples = sample([&](int repeats) { return repeats * (++calls % 2 ? 0.01 : 0.02); }, {.budget_s = 0.5});
  CHECK(!samples.stable);
  CHECK(!samples.statistics().stable);
}

TEST_CASE("the budget bounds the measured time") {
  double spent = 0;
  const Samples samples = sample(
      [&](int repeats) {
        spent += repeats * 0.02;
        return repeats * 0.02;
      },
      {.budget_s = 0.5});
  CHECK(spent < 0.56);
  CHECK(samples.seconds.size() >= 5);
  SECTION("an operation longer than the budget still gives the least number of blocks") {
    CHECK(sample([](int repeats) { return repeats * 3.0; }, {.budget_s = 0.5}).seconds.size() == 5);
  }
}

TEST_CASE("throttled blocks are counted") {
  int block = 0;
  const Samples samples = sample([](int repeats) { return repeats * 0.01; }, {.budget_s = 1}, [&] { return ++block <= 4; });
  CHECK(samples.statistics().throttled == 4);
}

TEST_CASE("bus bandwidth follows nccl-tests") {
  // Rows of public logs: 8 GPUs, all_reduce of 8 GiB in 63.9 ms is 134.43 GB/s algorithmic, 235.26 GB/s on the bus.
  CHECK(bus_gb_per_s("all_reduce", 8, 8589934592.0, 8589934592.0 / 134.43e9) == Approx(235.26).epsilon(1e-3));
  CHECK(bus_gb_per_s("all_gather", 4, 4e9, 1) == Approx(3));
  CHECK(bus_gb_per_s("reduce_scatter", 4, 4e9, 1) == Approx(3));
  CHECK(bus_gb_per_s("alltoall", 4, 4e9, 1) == Approx(3));
  CHECK(bus_gb_per_s("send_recv", 2, 4e9, 1) == Approx(4));
  CHECK(bus_gb_per_s("gossip", 2, 4e9, 1) == 0);
  CHECK(*stream_bytes("triad", 8) == 24);
  CHECK(tflops(1000, 1000, 1000, 1) == Approx(0.002));
}

TEST_CASE("sizes are powers of two from end to end, thinned to the points allowed") {
  CHECK(size_ladder(8, 64, 10) == std::vector<double>{8, 16, 32, 64});
  CHECK(size_ladder(8, 1024, 4) == std::vector<double>{8, 16, 64, 256, 1024});
  CHECK(size_ladder(8, 100, 10).back() == 64);
  CHECK(size_ladder(8, 8, 1) == std::vector<double>{8});
  CHECK(points_for(10, 0.5, 5, 30) == 20);
  CHECK(points_for(1, 0.5, 5, 30) == 5);
  CHECK(points_for(100, 0.5, 5, 30) == 30);
}

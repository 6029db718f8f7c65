#include "probes/run/time_plan.hpp"

#include "support/catch.hpp"

using namespace steelyard::probes;

TEST_CASE("time is shared by weight, and each probe keeps a least part") {
  const Step memory{"host", "host.memory", 3, false}, alone{"host", "host.collectives", 0, false};
  CHECK(TimePlan::share_s(memory, 12, 60) == Approx(15));
  CHECK(TimePlan::share_s(memory, 3, 8) == Approx(8));
  CHECK(TimePlan::share_s(memory, 3, -1) == Approx(0.1));
  CHECK(TimePlan::share_s(alone, 0, 5) == Approx(0.1));
}

TEST_CASE("what starting a plugin takes is learned and taken off, never all of it") {
  const Step first{"cuda.so", "cuda.memory", 2, false}, next{"cuda.so", "cuda.gemm", 6, false}, other{"nccl.so", "nccl.collectives", 8, true};
  TimePlan plan;
  CHECK(plan.measuring_s(first, 10) == Approx(7.5));
  plan.learn(first, 10, 7.5);
  CHECK(plan.measuring_s(next, 10) == Approx(7.5));
  plan.learn(next, 12, 7.5);
  CHECK(plan.measuring_s(next, 10) == Approx(5.5));
  CHECK(plan.measuring_s(next, 1) == Approx(0.25));
  CHECK(plan.measuring_s(other, 10) == Approx(7.5));
}

TEST_CASE("a probe begins only where starting alone does not pass the budget") {
  const Step gpu{"cuda.so", "cuda.memory", 2, false}, host{"host", "host.memory", 3, false};
  TimePlan plan;
  CHECK(plan.fits(gpu, -5));  // nothing is known yet
  plan.learn(gpu, 6, 2);
  CHECK(plan.fits(gpu, 3.1));
  CHECK(!plan.fits(gpu, 2.9));
  plan.learn(host, 6, 2);
  CHECK(plan.fits(host, -5));
}

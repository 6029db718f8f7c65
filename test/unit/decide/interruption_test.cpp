// Work on machines that are taken back now and then, against arithmetic and against drawn failures.
#include "decide/4_cost/interruption.hpp"

#include <cmath>
#include <random>

#include "support/catch.hpp"

using namespace steelyard::decide;

namespace {

Recovery resumes(double checkpoint_s, double restart_s) { return {checkpoint_s, restart_s, false}; }
const Recovery starts_over{std::nullopt, 600, true};

// Hours until `hours` of work are done, failure by failure; every draw starts from the same seed.
double drawn_h(double hours, double per_h, double interval_h, double checkpoint_h, double restart_h) {
  std::mt19937_64 bits(1);
  std::exponential_distribution<double> life(per_h);
  constexpr int runs = 4000;
  double clock = 0;
  for (int run = 0; run < runs; ++run) {
    double left = life(bits);
    for (double done = 0; done < hours - 1e-9; done += interval_h) {
      const double stretch = std::min(interval_h, hours - done) + checkpoint_h;
      double need = stretch;  // what does not end before the next failure is lost, and the restart may fail too
      while (need > left) {
        clock += left;
        left = life(bits);
        need = restart_h + stretch;
      }
      clock += need;
      left -= need;
    }
  }
  return clock / runs;
}

}  // namespace

TEST_CASE("without interruptions work takes its hours, whatever is known of the recovery") {
  CHECK(with_interruptions(10, 0, {})->elapsed_h == 10);
  CHECK(with_interruptions(0, 1, {})->elapsed_h == 0);
  CHECK_FALSE(with_interruptions(10, 0.1, {}));
  CHECK_FALSE(with_interruptions(10, 0.1, {std::nullopt, 600, false}));
  CHECK_FALSE(with_interruptions(10, 0.1, {60, std::nullopt, false}));
  CHECK(with_interruptions(10, 0.1, starts_over));
}

TEST_CASE("the interval between checkpoints is Young's: sqrt(2 C M)") {
  const auto found = with_interruptions(1000, 1.0 / 24, resumes(120, 300));
  REQUIRE(found);
  REQUIRE(found->checkpoint_every_s);
  CHECK(*found->checkpoint_every_s == Approx(std::sqrt(2 * 120.0 * 24 * 3600)));
  // To first order the loss is C/t for writing, t/2M for repeating, R/M for restarting.
  const double t = *found->checkpoint_every_s, m = 24 * 3600;
  CHECK(found->elapsed_h == Approx(1000 * (1 + 120 / t + (t + 120) / 2 / m + 300 / m)).epsilon(0.01));
  CHECK(found->interruptions == Approx(found->elapsed_h / 24));
}

TEST_CASE("the expected time is that of drawn failures") {
  const auto rare = with_interruptions(200, 0.05, resumes(180, 600));
  CHECK(rare->elapsed_h == Approx(drawn_h(200, 0.05, *rare->checkpoint_every_s / 3600, 0.05, 1.0 / 6)).epsilon(0.02));
  const auto frequent = with_interruptions(50, 1, resumes(180, 600));
  CHECK(frequent->elapsed_h == Approx(drawn_h(50, 1, *frequent->checkpoint_every_s / 3600, 0.05, 1.0 / 6)).epsilon(0.02));
  const auto lost = with_interruptions(8, 0.1, starts_over);
  CHECK(lost->elapsed_h == Approx(drawn_h(8, 0.1, 8, 0, 1.0 / 6)).epsilon(0.03));
}

TEST_CASE("a job without state loses only restarts; a short one writes no checkpoint") {
  const auto serving = with_interruptions(100, 0.1, resumes(0, 360));
  CHECK(serving->elapsed_h == Approx(100 * std::exp(0.01)));
  CHECK_FALSE(serving->checkpoint_every_s);
  const auto shorter = with_interruptions(0.1, 0.1, resumes(600, 60));
  CHECK_FALSE(shorter->checkpoint_every_s);
  CHECK(shorter->elapsed_h < 0.1 * (1 + 600.0 / 360));
}

TEST_CASE("more interruptions never take less time, and the figure stays finite") {
  double last = 0;
  for (double per_h = 1e-6; per_h < 1e5; per_h *= 1.5) {
    for (const Recovery& recovery : {resumes(120, 300), starts_over}) CHECK(std::isfinite(with_interruptions(24, per_h, recovery)->elapsed_h));
    const double now = with_interruptions(24, per_h, resumes(120, 300))->elapsed_h;
    CHECK(now >= last * (1 - 1e-9));
    last = std::max(last, std::min(now, 1e40));
    if (now > 1e40) break;  // beyond that the exponent is capped
  }
}

#include "calibrate/curve.hpp"

#include <cmath>

#include "calibrate/rates.hpp"
#include "support/catch.hpp"

using namespace steelyard::calibration;

namespace {

Curve link(double alpha_s, double bytes_per_s, double least = 8, double most = 1 << 30) {
  std::vector<CurvePoint> points;
  for (const double bytes : size_ladder(least, most, 60)) points.push_back({bytes, alpha_s + bytes / bytes_per_s});
  return Curve(points);
}

}  // namespace

TEST_CASE("a curve sorts, joins equal sizes and drops what is no time") {
  const Curve curve({{4, 2}, {1, 1}, {4, 4}, {2, 0}, {0, 1}, {8, NAN}});
  REQUIRE(curve.points().size() == 2);
  CHECK(curve.points()[1].seconds == 3);
  CHECK(curve.within(2) == Approx(std::sqrt(3)));
  CHECK(curve.within(0.1) == 1);
  CHECK(curve.within(100) == 3);
}

TEST_CASE("three pieces find latency and rate of a link") {
  const Curve curve = link(20e-6, 10e9);
  const ThreePieces law = fit_three_pieces(curve);
  CHECK(law.latency_s == Approx(20e-6).epsilon(0.05));
  CHECK(law.bytes_per_s == Approx(10e9).epsilon(0.05));
  CHECK(law.flat_until < law.rate_from);
  CHECK(law.error.median < 0.04);  // the knee of a sum is round, that of three pieces is not
  const AlphaBeta ends = alpha_beta(curve, law);
  CHECK(ends.latency_s == Approx(20e-6).epsilon(0.01));
  CHECK(ends.bytes_per_s == Approx(10e9).epsilon(0.01));
}

TEST_CASE("beyond the measured sizes the law goes on from the end of the curve") {
  const Curve curve = link(20e-6, 10e9, 1024, 1 << 28);
  const ThreePieces law = fit_three_pieces(curve);
  CHECK(curve.at(8e9, law) == Approx(0.8).epsilon(0.02));
  CHECK(curve.at(8, law) == Approx(20e-6).epsilon(0.05));
  CHECK(curve.at(1 << 20, law) == Approx(20e-6 + 1048576 / 10e9));
}

TEST_CASE("one point gives a law that says what it can") {
  const Curve curve({{1 << 20, 1e-3}});
  const ThreePieces law = fit_three_pieces(curve);
  CHECK(law.at(1 << 20) == Approx(1e-3));
  CHECK(curve.at(1 << 21, law) == Approx(2e-3));
}

TEST_CASE("pieces follow a change of protocol that three pieces cannot") {
  std::vector<CurvePoint> points;
  for (const double bytes : size_ladder(8, 1 << 30, 60)) {
    const double jump = bytes > 65536 ? 1.6 : 1.0;
    points.push_back({bytes, jump * (10e-6 + bytes / 20e9)});
  }
  const Curve curve(points);
  CHECK(fit_three_pieces(curve).error.most > 0.15);
  const Pieces pieces = fit_pieces(curve);
  CHECK(pieces.error.most < 0.15);
  CHECK(pieces.error.median < 0.02);
  CHECK(pieces.ends.size() < points.size() / 2);
}

TEST_CASE("a straight line needs one piece") {
  std::vector<CurvePoint> points;
  for (const double bytes : size_ladder(8, 1 << 20, 60)) points.push_back({bytes, bytes / 1e9});
  CHECK(fit_pieces(Curve(points)).ends.size() == 2);
}

TEST_CASE("leaving points out says what interpolation costs") {
  CHECK(leave_one_out(Curve({{1, 1}, {2, 2}, {4, 4}})).most == Approx(0).margin(1e-12));
  CHECK(leave_one_out(Curve({{1, 1}, {2, 4}, {4, 4}})).most == Approx(0.5));
  CHECK(leave_one_out(Curve({{1, 1}})).most == 0);
}

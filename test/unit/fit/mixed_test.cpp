#include "mixed.hpp"

#include <cmath>

#include "csv.hpp"
#include "support/catch.hpp"
#include "yaml_out.hpp"

using namespace steelyard;
using namespace steelyard::fit;

namespace {

/// time = a x work, with one offset a machine and a wiggle that stands for noise.
struct Toy {
  std::vector<double> work;
  Problem problem;

  Toy() {
    const double offsets[] = {-0.10, 0.0, 0.12};
    for (int i = 0; i < 60; ++i) {
      work.push_back(1 + i);
      const int machine = i % 3;
      const std::string name = "machine: " + std::to_string(machine);
      Row row{std::to_string(i),
              3.0 * work.back() * std::exp(offsets[machine] + 0.01 * std::sin(7.0 * i)),
              0.02,
              {{name, 0.2}},
              {{"machine", name}},
              "toy"};
      problem.rows.push_back(row);
    }
    problem.parameters = {{"a", 2.0, 0.5}, {"fixed", 1.0, 0}};
    problem.law = [this](std::span<const double> theta, std::size_t row) { return theta[0] * theta[1] * work[row]; };
  }
};

}  // namespace

TEST_CASE("a fit finds parameters and offsets") {
  const Toy toy;
  const Fit fitted = fit::fit(toy.problem);
  CHECK(fitted.theta[0] == Approx(3.0).epsilon(0.06));
  CHECK(fitted.theta[1] == 1.0);
  CHECK(fitted.spread[1] == 0.0);
  CHECK(fitted.offsets.at("machine: 2") - fitted.offsets.at("machine: 0") == Approx(0.22).margin(0.01));
  const Errors seen = errors(toy.problem, predict_all(toy.problem, fitted), 2.0);
  CHECK(seen.n == 60);
  CHECK(seen.mape < 0.01);
  CHECK(seen.inside == 1.0);
}

TEST_CASE("a level that was left out is predicted without its offset and with its spread") {
  const Toy toy;
  const Fit fitted = fit::fit(toy.problem);
  const std::vector<Prediction> unseen = cross_validate(toy.problem, "machine", fitted);
  REQUIRE(unseen.size() == 60);
  const Errors figures = errors(toy.problem, unseen, 1.645);
  CHECK(figures.mape > 0.03);
  for (const Prediction& prediction : unseen) CHECK(prediction.log_sd > 0.2);
  for (const Prediction& prediction : predict_all(toy.problem, fitted)) CHECK(prediction.log_sd < 0.21);
}

TEST_CASE("an outlier does not pull the fit") {
  Toy toy;
  toy.problem.rows[30].measured *= 3;
  const Fit fitted = fit::fit(toy.problem);
  CHECK(fitted.weights[30] < 0.1);
  CHECK(fitted.offsets.at("machine: 2") - fitted.offsets.at("machine: 0") == Approx(0.22).margin(0.03));
}

TEST_CASE("offsets: the posterior of one level with n rows is the textbook shrinkage") {
  const double sigma = 0.2, noise = 0.1;
  const estimate::Offsets offsets({{"a", sigma, 0.05}}, {{{0}, 4 / (noise * noise)}});
  CHECK(offsets.sum(std::vector<Level>{{"a", sigma}}).variance == Approx(1 / (1 / (sigma * sigma) + 4 / (noise * noise))));
  CHECK(offsets.sum(std::vector<Level>{{"a", sigma}}).offset == 0.05);
  CHECK(offsets.sum(std::vector<Level>{{"b", 0.3}}).variance == Approx(0.09));
  CHECK(offsets.sum(std::vector<Level>{{"a", sigma}, {"b", 0.3}}).variance == Approx(0.09 + 1 / 425.0));
}

TEST_CASE("two levels always seen together are known together, not apart") {
  const estimate::Offsets offsets({{"a", 0.2, 0.05}, {"b", 0.2, 0.05}}, {{{0, 1}, 1e4}});
  const double both = offsets.sum(std::vector<Level>{{"a", 0.2}, {"b", 0.2}}).variance;
  CHECK(both < 0.0002);
  CHECK(offsets.sum(std::vector<Level>{{"a", 0.2}}).variance == Approx(0.02).epsilon(0.02));
}

TEST_CASE("a width holds its share of left-out rows") {
  Problem problem;
  std::vector<Prediction> predictions;
  for (std::size_t i = 0; i < 99; ++i) {
    problem.rows.push_back({std::to_string(i), std::exp(0.01 * static_cast<double>(i + 1)), 0.1, {}, {}, i % 2 ? "odd" : "even"});
    predictions.push_back({i, 1.0, 0.1});  // off by 0.1 to 9.9 sd
  }
  const double width = held_width(problem, predictions);
  CHECK(width == Approx(0.1 * std::ceil(100 * covered_share)));
  CHECK(errors(problem, predictions, width + 1e-9).inside == Approx(covered_share).margin(0.01));
  CHECK(held_width(problem, predictions, [](const Row& row) { return row.group == "odd"; }) != width);
  CHECK(held_width(problem, {predictions.begin(), predictions.begin() + 5}) == 1.645);
}

TEST_CASE("tables: quotes, missing columns, wrong width") {
  Table table;
  table.name = "t";
  parse_csv("a,b\n1,\"x, \"\"y\"\"\"\r\n,2.5\n", table);
  REQUIRE(table.records.size() == 2);
  CHECK(table.records[0].text("b") == "x, \"y\"");
  CHECK(table.records[0].whole("a", 7) == 1);
  CHECK(table.records[1].whole("a", 7) == 7);
  CHECK(table.records[1].number("b") == 2.5);
  CHECK(table.records[1].text("c").empty());
  Table wrong;
  CHECK_THROWS(parse_csv("a,b\n1\n", wrong));
}

TEST_CASE("written figures are short and signed zero is zero") {
  CHECK(figure(0.123456) == "0.1235");
  CHECK(figure(-0.0) == "0");
  const estimate::Offsets offsets({{"a: x", 0.2, -0.012345}}, {{{0}, 400}});
  CHECK(offsets_yaml(offsets) == "levels:\n  - {name: \"a: x\", sigma: 0.2, offset: -0.01235}\ncells:\n  - {precision: 400, levels: [0]}\n");
}

#include "report/picture.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace steelyard::report {

namespace {

constexpr double width = 640, height = 380, left = 94, right = 16, top_edge = 16, bottom = 52;

/// One logarithmic axis from data to pixels.
struct Axis {
  double low = 1, high = 10, from = 0, to = 1;

  double at(double value) const {
    if (high <= low) return (from + to) / 2;
    return from + (to - from) * (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  }
  // 1, 2, 5 of each power of ten inside the axis.
  std::vector<double> ticks() const {
    std::vector<double> found;
    const auto first = static_cast<int>(std::floor(std::log10(low))), last = static_cast<int>(std::floor(std::log10(high)));
    for (int exponent = first; exponent <= last; ++exponent) {
      const double power = std::pow(10, exponent);
      for (const double step : {1.0, 2.0, 5.0}) {
        if (step * power >= low && step * power <= high) found.push_back(step * power);
      }
    }
    constexpr std::size_t most_ticks = 8;
    if (found.size() > most_ticks) {
      std::erase_if(found, [](double tick) { return std::abs(std::log10(tick) - std::round(std::log10(tick))) > 1e-9; });
    }
    return found;
  }
};

struct Point {
  std::string offer;
  double hours = 0, cost = 0;
  bool front = false;
};

// Costs in the currency of the first place; offers in other currencies are left to the table.
std::vector<Point> points_of(const Decision& decision) {
  std::set<std::string> front;
  for (const ParetoPoint& point : decision.pareto) front.insert(point.offer);
  std::vector<Point> points;
  for (const RankedOffer& ranked : decision.ranking) {
    const Estimate& estimate = ranked.estimate;
    if (!estimate.time_h || !estimate.cost || *estimate.time_h <= 0 || estimate.cost->amount <= 0) continue;
    if (!decision.best()->estimate.cost || estimate.cost->currency != decision.best()->estimate.cost->currency) continue;
    points.push_back({ranked.offer, *estimate.time_h, estimate.cost->amount, front.count(ranked.offer) > 0});
  }
  return points;
}

Axis axis_over(const std::vector<Point>& points, double Point::*figure, double from, double to) {
  const auto [low, high] = std::minmax_element(points.begin(), points.end(), [&](const Point& a, const Point& b) { return a.*figure < b.*figure; });
  constexpr double margin = 1.15;
  return {(*low).*figure / margin, (*high).*figure * margin, from, to};
}

std::string label(double x, double y, const std::string& text, const char* anchor, const char* extra = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>", x, y, anchor, extra, escaped(text));
}

std::string grid(const Axis& x, const Axis& y) {
  std::string svg;
  for (const double tick : x.ticks()) {
    svg += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>", x.at(tick), top_edge, height - bottom);
    svg += label(x.at(tick), height - bottom + 18, figure(tick), "middle");
  }
  for (const double tick : y.ticks()) {
    svg += fmt::format("<line class=\"grid\" y1=\"{0:.1f}\" y2=\"{0:.1f}\" x1=\"{1}\" x2=\"{2}\"/>", y.at(tick), left, width - right);
    svg += label(left - 6, y.at(tick) + 4, figure(tick), "end");
  }
  return svg;
}

std::string dots(const std::vector<Point>& points, const Axis& x, const Axis& y) {
  std::string hollow, filled, line;
  for (const Point& point : points) {
    const std::string title = fmt::format("{}: {} h, {}", point.offer, figure(point.hours), figure(point.cost));
    const std::string dot = fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"><title>{}</title></circle>",
                                        point.front ? "front" : "other", x.at(point.hours), y.at(point.cost), point.front ? 5 : 3.5, escaped(title));
    (point.front ? filled : hollow) += dot;
  }
  std::vector<Point> front;
  std::copy_if(points.begin(), points.end(), std::back_inserter(front), [](const Point& point) { return point.front; });
  std::sort(front.begin(), front.end(), [](const Point& a, const Point& b) { return a.hours < b.hours; });
  for (const Point& point : front) line += fmt::format("{:.1f},{:.1f} ", x.at(point.hours), y.at(point.cost));
  return "<polyline class=\"line\" points=\"" + line + "\"/>" + hollow + filled;
}

const TraceStep* last_of(const Estimate& estimate, const std::string& step) {
  const TraceStep* found = nullptr;
  for (const TraceStep& one : estimate.trace) {
    if (one.step == step && one.table == step + ".verdict") return &one;
    if (one.step == step) found = &one;
  }
  return found;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    switch (letter) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      case '\'': safe += "&#39;"; break;
      default: safe += letter;
    }
  }
  return safe;
}

std::string plot_of_time_and_cost(const Decision& decision, const Words& words) {
  const std::vector<Point> points = decision.best() ? points_of(decision) : std::vector<Point>{};
  if (points.empty()) return {};
  const Axis x = axis_over(points, &Point::hours, left, width - right), y = axis_over(points, &Point::cost, height - bottom, top_edge);
  std::string svg =
      fmt::format("<svg id=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">", width, height, escaped(words.say("Time and cost")));
  svg += grid(x, y) + dots(points, x, y);
  svg += label((left + width - right) / 2, height - 10, words.say("time of the whole work, h"), "middle");
  const std::string turned = fmt::format(" transform=\"rotate(-90 14 {})\"", height / 2);
  svg += label(14, height / 2, words.say("cost of the whole work") + ", " + decision.best()->estimate.cost->currency, "middle", turned.c_str());
  return svg + "</svg>";
}

std::string decision_path(const Estimate& estimate, const Words& words) {
  std::string items;
  for (const char* step : {"task", "network", "stack", "cost"}) {
    const TraceStep* decided = last_of(estimate, step);
    items += fmt::format("<li{}><b>{}</b> ", decided ? "" : " class=\"idle\"", escaped(words.say(step)));
    if (decided) items += "<code>" + escaped(decided->rule) + "</code><br>" + escaped(decided->because);
    items += "</li>\n";
  }
  return fmt::format("<ol id=\"path\" aria-label=\"{}\">\n{}</ol>\n", escaped(words.say("Decision path")), items);
}

}  // namespace steelyard::report

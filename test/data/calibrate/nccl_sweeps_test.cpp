// The curves on real sweeps: nccl-tests logs of public sources, read where the shared data lies beside the checkout.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <regex>
#include <sstream>

#include "calibrate/curve.hpp"
#include "calibrate/statistics.hpp"
#include "core/text.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::calibration;

namespace {

struct Sweep {
  std::string name;
  std::vector<CurvePoint> out_of_place, in_place;
};

bool is_type(const std::string& word) { return word == "float" || word == "half" || word == "bfloat16" || word == "int8" || word == "uint8"; }

// One row of a table: size count type [redop [root]] time algbw busbw wrong time algbw busbw wrong.
void read_row(const std::string& line, Sweep& sweep) {
  std::istringstream words(std::regex_replace(line, std::regex(R"(\[\d+\](?!\S*stdout))"), " "));
  std::vector<std::string> row{std::istream_iterator<std::string>(words), {}};
  const auto type = std::find_if(row.begin(), row.end(), is_type);
  if (type - row.begin() < 2 || type == row.end()) return;
  const auto size = parse_number(*(type - 2));
  std::vector<std::string> figures(type + 1, row.end());
  std::erase_if(figures, [](const std::string& word) { return word == "sum" || word == "none" || word == "-1"; });
  if (!size || *size <= 0 || figures.size() < 5) return;
  const auto outside = parse_number(figures[0]), inside = parse_number(figures[4]);
  if (!outside || !inside) return;
  sweep.out_of_place.push_back({*size, *outside * 1e-6});
  sweep.in_place.push_back({*size, *inside * 1e-6});
}

// Sweeps of at least 8 sizes whose two columns agree within a factor of 2: others show a fault of the network, not a machine.
std::vector<Sweep> sweeps() {
  std::vector<Sweep> out;
  const std::filesystem::path folder = STEELYARD_SHARED_DATA "/tool_outputs";
  if (!std::filesystem::is_directory(folder)) return out;
  std::vector<std::filesystem::path> files{std::filesystem::directory_iterator(folder), {}};
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    if (file.filename().string().rfind("nccl_", 0) != 0) continue;
    Sweep sweep{file.filename().string(), {}, {}};
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) read_row(line, sweep);
    bool repeatable = sweep.in_place.size() >= 8;
    for (std::size_t i = 0; i < sweep.in_place.size(); ++i) {
      const double ratio = sweep.in_place[i].seconds / sweep.out_of_place[i].seconds;
      repeatable = repeatable && ratio < 2 && ratio > 0.5;
    }
    if (repeatable) out.push_back(std::move(sweep));
  }
  return out;
}

Curve both(const Sweep& sweep) {
  std::vector<CurvePoint> points = sweep.out_of_place;
  points.insert(points.end(), sweep.in_place.begin(), sweep.in_place.end());
  return Curve(points);
}

std::vector<double> errors(const Curve& curve, const std::function<double(double)>& law) {
  std::vector<double> out;
  for (const CurvePoint& point : curve.points()) out.push_back(std::abs(law(point.bytes) / point.seconds - 1));
  return out;
}

}  // namespace

TEST_CASE("fitted pieces follow real sweeps within 2 % in the median and 15 % at most") {
  const auto all = sweeps();
  if (all.empty()) {
    WARN("skipped: no shared data beside the checkout");
    return;
  }
  CHECK(all.size() >= 5);
  std::vector<double> fitted, three, left_out;
  for (const Sweep& sweep : all) {
    INFO(sweep.name);
    const Curve curve = both(sweep);
    const Pieces pieces = fit_pieces(curve);
    const ThreePieces law = fit_three_pieces(curve);
    const auto now = errors(curve, [&](double bytes) { return pieces.at(bytes); });
    const auto rough = errors(curve, [&](double bytes) { return law.at(bytes); });
    fitted.insert(fitted.end(), now.begin(), now.end());
    three.insert(three.end(), rough.begin(), rough.end());
    left_out.push_back(leave_one_out(curve).median);
    std::cout << sweep.name << ": " << curve.points().size() << " sizes, " << pieces.ends.size() - 1 << " pieces, error median "
              << pieces.error.median << " most " << pieces.error.most << "; three pieces " << law.error.median << " " << law.error.most
              << "; left out " << leave_one_out(curve).median << " " << leave_one_out(curve).most << "\n";
    CHECK(median(now) <= 0.02);
    CHECK(*std::max_element(now.begin(), now.end()) <= 0.15);
    CHECK(pieces.ends.size() - 1 <= curve.points().size() / 2);
  }
  std::cout << "all: fitted " << median(fitted) << " most " << *std::max_element(fitted.begin(), fitted.end()) << ", three pieces " << median(three)
            << ", left out " << median(left_out) << "\n";
  CHECK(median(fitted) <= 0.02);
  CHECK(median(left_out) <= 0.03);  // an unmeasured size between two measured ones
}

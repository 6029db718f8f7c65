// What a law leaves over, as a smooth function of one coordinate that is shared between related curves (kriging).
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace steelyard::fit {

/// One measured residual (log of time) or one place to predict: which curves it belongs to, and where on them.
struct Place {
  std::vector<std::string> curves;  // one name a component, same order as `Smoother::components`; empty: not on such a curve
  double at = 0;
};

/// A sum of curves, each with zero mean, sd sigma and correlation exp(-distance / length); length 0: the same everywhere.
/// Source: Matheron 1963, "Principles of geostatistics"; Rasmussen and Williams 2006, "Gaussian processes for machine learning", eq. 2.25, 2.26.
struct Smoother {
  struct Component {
    double sigma = 0, length = 1;
  };
  std::vector<Component> components;
  double noise = 0.03;  // sd of one measurement
};

struct Smoothed {
  double value = 0, sd = 0;  // sd without the noise of one measurement
};

/// Values at `wanted` from residuals at `known`. `curves_of_known` may use more components than those of `wanted` (a measurement's own series).
std::vector<Smoothed> smooth(const Smoother& smoother, const std::vector<Place>& known, const std::vector<double>& residuals,
                             const std::vector<Place>& wanted);

}  // namespace steelyard::fit

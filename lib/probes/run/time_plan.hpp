// How the time of a calibration is shared out among its probes.
#pragma once

#include <map>
#include <string>

namespace steelyard::probes {

struct Step {
  std::string target;  // "host" or the file of a plugin
  std::string probe;
  double weight = 1;       // of the time; 0: it cannot run here and will say so at once
  bool all_ranks = false;  // several processes measure it together
};

/// How much of the time each probe deserves.
double weight_of(const std::string& probe);

/// Times are seconds. Knows nothing of the clock: the caller says what is left of the budget, which may be negative.
class TimePlan {
 public:
  /// May the step begin, or would starting alone take it past the budget? Starting costs a plugin much the same for every probe, so that the one
  /// before tells; probes of the host start at once and are short where little is left.
  bool fits(const Step& step, double left_s) const;
  /// The step's part of what is left; `weights` is the sum over this step and all that follow.
  static double share_s(const Step& step, double weights, double left_s);
  /// What remains for measuring when starting, allocating and checking are taken off.
  double measuring_s(const Step& step, double share_s) const;
  /// A step that came to its end took so long, and was given so much for measuring.
  void learn(const Step& step, double took_s, double measuring_s);

 private:
  std::map<std::string, double> lost_s_;  // beyond measuring, by the last probe of a plugin
};

}  // namespace steelyard::probes

// Collectives on CPU buffers over any kind of ranks.
#pragma once

#include <string>
#include <vector>

#include "probes/collectives.hpp"
#include "probes/ranks/ranks.hpp"

namespace steelyard::probes {

class HostCollectives final : public CollectiveEngine {
 public:
  explicit HostCollectives(Ranks& ranks) : ranks_(ranks) {}

  std::string backend() const override { return "host"; }
  int ranks() const override { return ranks_.size(); }
  int nodes() const override { return ranks_.nodes(); }
  double most_bytes() const override;
  std::string method() const override { return "probe host 1 over " + ranks_.kind() + ", float, every element verified"; }
  void prepare(const std::string& kind, double bytes) override;
  double timed(int repeats) override;
  double wrong() override;
  double agreed(double value) override { return ranks_.most(value); }

 private:
  void once();

  Ranks& ranks_;
  std::string kind_;
  std::size_t each_ = 0;
  std::vector<float> in_, out_;
};

/// What element `index` of a rank's output must be; `each` is the number of elements of one part.
float expected_element(const std::string& kind, int rank, int ranks, std::size_t each, std::size_t index);

}  // namespace steelyard::probes

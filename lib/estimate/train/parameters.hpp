// The named numbers of the training step law, as one vector that a fit can move.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::estimate {

/// Parameters that every job takes. Shares and passes are pure numbers, times in microseconds. docs/reference/estimate-time.md explains each.
enum class StepParameter : int {
  shape_m,
  shape_n,
  shape_k,
  shape_m_expert,  // work lost at the edge of a matrix product: elements
  norm_passes,
  mlp_passes,
  cast_passes,
  expert_passes,
  logit_passes,
  score_passes,  // trips of activations through memory
  tensor_share,
  tensor_latency_us,
  expert_local_share,
  expert_node_share,
  context_share,
  pipeline_share,
  data_share,
  gather_share,
  gather_latency_us,
  gather_share_old,
  gather_latency_old_us,
  layer_launch_us,
  moe_layer_us,
  moe_layer_old_us,
  moe_expert_us,
  bubble_share,
  optimizer_share,
  software_tax,
  small_head,
  partial_recompute_share,
  host_link_share,
  host_update_gb_per_s,
  count
};

/// Values in the order of the enumeration, then one `gemm_FORMAT_GENERATION` and `attention_GENERATION[_old]` each, by name.
class ParameterSet {
 public:
  ParameterSet() = default;
  /// Names that are missing take the value of `fallback` (the law would otherwise be without a number); unknown names are kept at the end.
  explicit ParameterSet(const std::map<std::string, double, std::less<>>& values);

  std::span<const double> values() const { return values_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Index of a name; -1 where there is none.
  int find(std::string_view name) const;
  /// The first of `names` that exists; the last must exist.
  int first_of(std::initializer_list<std::string> names) const;
  bool complete() const { return complete_; }

 private:
  std::vector<std::string> names_;
  std::vector<double> values_;
  std::map<std::string, int, std::less<>> index_;
  bool complete_ = false;
};

std::string_view name_of(StepParameter parameter);

}  // namespace steelyard::estimate

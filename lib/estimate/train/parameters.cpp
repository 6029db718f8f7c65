#include "estimate/train/parameters.hpp"

#include <array>

namespace steelyard::estimate {

namespace {

constexpr int common = static_cast<int>(StepParameter::count);
constexpr std::array<std::string_view, common> common_names{"shape_m",
                                                            "shape_n",
                                                            "shape_k",
                                                            "shape_m_expert",
                                                            "norm_passes",
                                                            "mlp_passes",
                                                            "cast_passes",
                                                            "expert_passes",
                                                            "logit_passes",
                                                            "score_passes",
                                                            "tensor_share",
                                                            "tensor_latency_us",
                                                            "expert_local_share",
                                                            "expert_node_share",
                                                            "context_share",
                                                            "pipeline_share",
                                                            "data_share",
                                                            "gather_share",
                                                            "gather_latency_us",
                                                            "gather_share_old",
                                                            "gather_latency_old_us",
                                                            "layer_launch_us",
                                                            "moe_layer_us",
                                                            "moe_layer_old_us",
                                                            "moe_expert_us",
                                                            "bubble_share",
                                                            "optimizer_share",
                                                            "software_tax",
                                                            "small_head",
                                                            "partial_recompute_share",
                                                            "host_link_share",
                                                            "host_update_gb_per_s"};

}  // namespace

std::string_view name_of(StepParameter parameter) { return common_names[static_cast<std::size_t>(parameter)]; }

ParameterSet::ParameterSet(const std::map<std::string, double, std::less<>>& values) {
  complete_ = true;
  const auto add = [this](std::string_view name, double value) {
    index_.emplace(name, static_cast<int>(names_.size()));
    names_.emplace_back(name);
    values_.push_back(value);
  };
  for (const std::string_view name : common_names) {
    const auto found = values.find(name);
    complete_ = complete_ && found != values.end();
    add(name, found == values.end() ? 1.0 : found->second);
  }
  for (const auto& [name, value] : values)
    if (!index_.contains(name)) add(name, value);
}

int ParameterSet::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? -1 : found->second;
}

int ParameterSet::first_of(std::initializer_list<std::string> names) const {
  for (const std::string& name : names)
    if (const int index = find(name); index >= 0) return index;
  return -1;
}

}  // namespace steelyard::estimate

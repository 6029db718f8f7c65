#include "estimate/collective/efficiency.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "load/embedded.hpp"

namespace steelyard::estimate {

namespace {

constexpr double reference_gpus = 4;  // alpha and beta are stated for four GPUs

/// "nvlink" or "pcie": links whose laws grow alike with the number of GPUs.
std::string family_of(const std::string& link) { return link.starts_with("nvlink") ? "nvlink" : link.ends_with("_staged") ? "staged" : "pcie"; }

std::string line_key(std::string_view link, std::string_view kind, int gpus) {
  return std::string(link) + " " + std::string(kind) + " " + std::to_string(gpus);
}

Residual at_size(const ResidualLine& line, double bytes) {
  const double place = std::clamp(std::log2(std::max(bytes, 1.0)) - line.first_octave, 0.0, static_cast<double>(line.offsets.size() - 1));
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, line.offsets.size() - 1);
  const double share = place - static_cast<double>(low);
  return {line.offsets[low] * (1 - share) + line.offsets[high] * share, line.spreads[low] * (1 - share) + line.spreads[high] * share, true};
}

}  // namespace

LinkLaw CollectiveEfficiency::link(const IntraLink& link, std::string_view kind, double gpus, bool plain_ring) const {
  const std::string family = family_of(link.key), klass(collective_class(plain_ring ? "all_gather" : kind));
  const double doublings = std::log2(gpus / reference_gpus);
  const double share = fitted.parameter("share_of_peak." + family, 0.7) * nominal_gb_per_s(link.key);
  LinkLaw out;
  out.alpha_us = fitted.parameter("alpha_us@" + link.key, fitted.parameter("alpha_us." + family, 12)) * fitted.parameter("alpha." + klass, 1) *
                 std::pow(fitted.parameter("alpha_per_doubling." + klass, 1.3), doublings);
  out.beta_gb_per_s = fitted.parameter("beta_gb_per_s@" + link.key, share) * link.scale * fitted.parameter("beta." + klass, 1) *
                      std::pow(fitted.parameter("beta_per_doubling." + family + "." + klass, 1), doublings);
  const bool sharp = family == "nvlink" && link.key >= "nvlink4" && klass == "all_reduce" && gpus >= 6;  // NVLink SHARP: switches that add
  if (sharp) out.beta_gb_per_s *= fitted.parameter("sharp", 1);
  out.knee = fitted.parameter("knee", out.knee);
  return out;
}

Residual CollectiveEfficiency::residual(const std::string& link, std::string_view kind, double bytes, double gpus) const {
  const std::string_view klass = collective_class(kind);
  const double doublings = std::clamp(std::log2(gpus), 1.0, 3.0);
  const int low = static_cast<int>(doublings), high = std::min(3, low + 1);
  const double share = doublings - low;
  const auto find = [&](int power) {
    const auto own = residuals.find(line_key(link, klass, 1 << power));
    if (own != residuals.end()) return at_size(own->second, bytes);
    const auto family = residuals.find(line_key(family_of(link), klass, 1 << power));
    Residual out = family == residuals.end() ? Residual{0, fitted.parameter("noise_of_unseen_link", 0.25), false} : at_size(family->second, bytes);
    out.seen = false;
    return out;
  };
  const Residual one = find(low), other = find(high);
  Residual out{one.offset * (1 - share) + other.offset * share, one.log_sd * (1 - share) + other.log_sd * share, one.seen && other.seen};
  if (gpus > 8) out.log_sd = std::hypot(out.log_sd, 0.1 * std::log2(gpus / 8));
  return out;
}

LinkLaw CollectiveEfficiency::network(const InterLink& link, std::string_view kind, double nodes) const {
  std::string known = link.kind;
  if (known == "omnipath") known = "infiniband";
  LinkLaw out;
  out.alpha_us =
      fitted.parameter("network.alpha_us@" + known, 200) * std::pow(fitted.parameter("network.alpha_per_doubling", 1.4), std::log2(nodes / 2));
  double share = fitted.parameter("network.share@" + known, 0.5);
  if (!link.gpudirect && known != "ethernet" && known != "tcpx") share *= fitted.parameter("network.without_gpudirect", 0.36);
  if (collective_class(kind) == "alltoall") share *= fitted.parameter("network.alltoall", 0.6);
  out.beta_gb_per_s = link.gb_per_s_per_node * share;
  // Sockets copy each byte through the kernel, whatever the line can carry: the time of the copies adds to that of the line.
  if (known == "ethernet") out.beta_gb_per_s = 1 / (1 / out.beta_gb_per_s + 1 / fitted.parameter("network.sockets_gb_per_s", 8));
  out.alpha_us *= link.latency_scale;
  out.beta_gb_per_s *= link.scale;
  out.knee = fitted.parameter("network.knee", 0.6);
  return out;
}

double CollectiveEfficiency::network_log_sd(const InterLink& link) const {
  return fitted.parameter("network.noise@" + link.kind, fitted.parameter("network.noise", 0.35));
}

std::optional<double> CollectiveEfficiency::board_factor(const std::string& board) const {
  const auto found = fitted.parameters.find("measured@" + board);
  return found == fitted.parameters.end() ? std::nullopt : std::optional(found->second);
}

CollectiveEfficiency read_collectives(const load::Document& document, Issues& issues) {
  CollectiveEfficiency out{read_fitted(document, issues), {}};
  load::Fields file(document, document.root, issues, "collectives file");
  const load::Node* list = file.node("residuals");
  if (!list) return out;
  load::each_map(document, *list, issues, "residual", [&](load::Fields& fields) {
    const std::string key = line_key(fields.required_text("link"), fields.required_text("kind"), static_cast<int>(fields.required_number("gpus", 2)));
    ResidualLine line;
    line.first_octave = static_cast<int>(fields.required_number("first_octave", 0, 60));
    for (const std::string& text : fields.texts("offsets")) line.offsets.push_back(parse_number(text).value_or(0));
    for (const std::string& text : fields.texts("spreads")) line.spreads.push_back(parse_number(text).value_or(0.3));
    if (line.offsets.empty() || line.offsets.size() != line.spreads.size()) return fields.fault("offsets", "offsets and spreads differ in number");
    out.residuals[key] = std::move(line);
  });
  return out;
}

const CollectiveEfficiency& CollectiveEfficiency::embedded() {
  static const CollectiveEfficiency shipped = [] {
    Issues issues;  // the shipped file is checked by a test
    for (const std::string_view name : load::embedded_names("data/efficiency/collectives.yaml"))
      return read_collectives(load::embedded_document(name), issues);
    return CollectiveEfficiency{};
  }();
  return shipped;
}

}  // namespace steelyard::estimate

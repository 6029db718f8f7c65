#include "evidence/read/nccl_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

constexpr double print_step = 0.005;  // nccl-tests prints two decimals

const NcclRow* largest_row(const NcclCurve& curve) {
  const NcclRow* largest = nullptr;
  for (const NcclRow& row : curve.rows) {
    if (row.best_busbw() > 0 && (largest == nullptr || row.bytes >= largest->bytes)) largest = &row;
  }
  return largest;
}

const NcclPlacement* better(const NcclRow& row) {
  if (!row.out_of_place) return row.in_place ? &*row.in_place : nullptr;
  return row.in_place && row.in_place->busbw_gb_per_s > row.out_of_place->busbw_gb_per_s ? &*row.in_place : &*row.out_of_place;
}

/// busbw / algbw is 2(n-1)/n for all_reduce and (n-1)/n for all_gather and its kin; the printed digits give a range for n.
/// One whole number in it, or one multiple of 8 (full nodes), is the answer; more are no answer.
std::optional<std::int64_t> ranks_from_ratio(const NcclCurve& curve, double factor) {
  const NcclRow* row = largest_row(curve);
  const NcclPlacement* side = row ? better(*row) : nullptr;
  if (side == nullptr || side->algbw_gb_per_s <= 1) return std::nullopt;
  const auto count = [&](double bus, double algorithm) { return factor / (factor - bus / algorithm); };
  const double low = count(side->busbw_gb_per_s - print_step, side->algbw_gb_per_s + print_step);
  const double high = count(side->busbw_gb_per_s + print_step, side->algbw_gb_per_s - print_step);
  if (!(low > 1.5) || !(high >= low) || high > 65536) return std::nullopt;
  const auto first = static_cast<std::int64_t>(std::ceil(low)), last = static_cast<std::int64_t>(std::floor(high));
  if (first == last) return first;
  if (first > last) return static_cast<std::int64_t>(std::llround((low + high) / 2));
  const std::int64_t eight = (first + 7) / 8 * 8;
  return eight <= last && eight + 8 > last ? std::optional(eight) : std::nullopt;
}

/// Without a name the columns and the ratio tell: a reduction with a ratio above 1 can only be all_reduce, a root means a rooted one.
std::string collective_from_columns(const NcclCurve& curve) {
  const NcclRow* row = largest_row(curve);
  const NcclPlacement* side = row ? better(*row) : nullptr;
  if (side == nullptr || side->algbw_gb_per_s <= 0) return {};
  const double ratio = side->busbw_gb_per_s / side->algbw_gb_per_s;
  const bool reduces = !row->reduction.empty() && row->reduction != "none";
  const bool rooted = row->root && *row->root >= 0;
  if (rooted) return reduces ? "reduce" : ratio > 0.999 ? "broadcast" : "";
  if (!reduces) return {};
  if (ratio > 1.05) return "all_reduce";
  return ratio < 0.995 ? "reduce_scatter" : "";
}

double ratio_factor(const std::string& collective) {
  if (collective == "all_reduce") return 2;
  const bool kin = collective == "all_gather" || collective == "reduce_scatter" || collective == "alltoall";
  return kin ? 1 : 0;
}

void describe_ranks(const NcclCurve& curve, const std::string& collective, Value& facts) {
  std::optional<std::int64_t> ranks;
  std::string from;
  const double factor = ratio_factor(collective);
  const std::optional<std::int64_t> by_ratio = factor > 0 ? ranks_from_ratio(curve, factor) : std::nullopt;
  const auto listed = static_cast<std::int64_t>(curve.devices.size());
  const bool list_lost_its_end = listed > 0 && by_ratio && *by_ratio >= 2 * listed;
  if (listed > 0 && curve.devices_are_all_ranks && !list_lost_its_end)
    ranks = listed, from = "devices";
  else if (curve.log_ranks)
    ranks = curve.log_ranks, from = "log";
  else
    ranks = by_ratio, from = "ratio";
  if (!ranks) return;
  facts["ranks"] = *ranks;
  facts["ranks_from"] = from;
}

void describe_devices(const NcclCurve& curve, Value& facts) {
  if (curve.devices.empty()) return;
  std::set<std::string> hosts, names, addresses;
  bool shared = false;
  for (const NcclDevice& device : curve.devices) {
    hosts.insert(device.host);
    names.insert(device.name);
    const bool real = device.pci.find_first_of("123456789abcdefABCDEF") != std::string::npos && !ends_with(device.pci, "0x00");
    if (real) shared = !addresses.insert(device.host + " " + device.pci).second || shared;
  }
  const Value* from = facts.find("ranks_from");
  if (curve.devices_are_all_ranks && (from == nullptr || *from == Value("devices"))) facts["nodes"] = hosts.size();
  set_text(facts, "gpu", curve.devices.front().name);
  if (names.size() > 1) facts["gpu_models"] = names.size();
  facts["shared_gpu"] = shared;
}

void describe_peak(const NcclCurve& curve, Value& facts) {
  const NcclRow* best = nullptr;
  for (const NcclRow& row : curve.rows) {
    if (best == nullptr || row.best_busbw() > best->best_busbw()) best = &row;
  }
  if (best == nullptr) return;
  facts["peak_busbw_gb_per_s"] = best->best_busbw();
  facts["peak_at_bytes"] = best->bytes;
  facts["peak_placement"] = better(*best) == (best->in_place ? &*best->in_place : nullptr) ? "in_place" : "out_of_place";
}

void describe_latency(const NcclCurve& curve, Value& facts) {
  const NcclRow* least = nullptr;
  for (const NcclRow& row : curve.rows) {
    if (row.bytes > 0 && (least == nullptr || row.bytes < least->bytes)) least = &row;
  }
  if (least == nullptr) return;
  facts["latency_us"] = (least->out_of_place ? *least->out_of_place : *least->in_place).time_us;
  facts["smallest_bytes"] = least->bytes;
}

/// First size whose best rate is below half of the best at a smaller size. Rates near the printed step are noise.
void describe_drop(const NcclCurve& curve, Value& facts) {
  std::vector<const NcclRow*> order;
  for (const NcclRow& row : curve.rows) order.push_back(&row);
  std::stable_sort(order.begin(), order.end(), [](const NcclRow* a, const NcclRow* b) { return a->bytes < b->bytes; });
  double best = 0;
  for (const NcclRow* row : order) {
    if (best > 20 * print_step && row->best_busbw() < best / 2) {
      facts["drop_at_bytes"] = row->bytes;
      return;
    }
    best = std::max(best, row->best_busbw());
  }
}

/// [bytes, time in us, bus bandwidth in GB/s] of the faster placement of every whole row.
void describe_rows(const NcclCurve& curve, Value& facts) {
  facts["rows"] = curve.rows.size();
  Value points = Value::list();
  for (const NcclRow& row : curve.rows) {
    const NcclPlacement* side = better(row);
    if (side) points.push_back(Value(Value::List{Value(row.bytes), Value(side->time_us), Value(side->busbw_gb_per_s)}));
  }
  if (!points.as_list().empty()) facts["curve"] = std::move(points);
}

void describe_wrong(const NcclCurve& curve, Value& facts) {
  std::optional<double> wrong;
  for (const NcclRow& row : curve.rows) {
    for (const auto& side : {row.out_of_place, row.in_place}) {
      if (side && side->wrong) wrong = wrong.value_or(0) + *side->wrong;
    }
  }
  if (wrong) facts["wrong_values"] = static_cast<std::int64_t>(std::min(*wrong, 9e15));
}

}  // namespace

double NcclRow::best_busbw() const { return std::max(out_of_place ? out_of_place->busbw_gb_per_s : 0.0, in_place ? in_place->busbw_gb_per_s : 0.0); }

std::string describe_curve(const NcclCurve& curve, Value& facts) {
  std::string collective = curve.collective.empty() ? collective_from_columns(curve) : curve.collective;
  describe_ranks(curve, collective, facts);
  describe_devices(curve, facts);
  describe_rows(curve, facts);
  describe_peak(curve, facts);
  describe_wrong(curve, facts);
  describe_latency(curve, facts);
  describe_drop(curve, facts);
  return collective;
}

std::string collective_name(std::string_view text) {
  std::string key = name_key(text);
  for (const std::string_view part : {"perf", "nccl", "rccl"}) {
    if (const std::size_t at = key.find(part); at != std::string::npos) key.erase(at, part.size());
  }
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> names{{{"allreduce", "all_reduce"},
                                                                                        {"allgather", "all_gather"},
                                                                                        {"reducescatter", "reduce_scatter"},
                                                                                        {"alltoall", "alltoall"},
                                                                                        {"alltoallv", "alltoallv"},
                                                                                        {"broadcast", "broadcast"},
                                                                                        {"reduce", "reduce"},
                                                                                        {"sendrecv", "sendrecv"},
                                                                                        {"gather", "gather"},
                                                                                        {"scatter", "scatter"},
                                                                                        {"hypercube", "hypercube"}}};
  for (const auto& [from, to] : names) {
    if (key == from) return std::string(to);
  }
  return {};
}

}  // namespace steelyard::evidence

#include "estimate/collective/law.hpp"

#include <cmath>

namespace steelyard::estimate {

std::string_view collective_class(std::string_view kind) {
  if (kind == "all_reduce") return "all_reduce";
  if (kind == "alltoall" || kind == "send_recv") return "alltoall";
  return "all_gather";
}

double wire_bytes(std::string_view kind, double bytes, double gpus) {
  if (gpus < 2) return 0;
  if (kind == "all_reduce") return 2 * bytes * (gpus - 1) / gpus;
  if (kind == "all_gather" || kind == "reduce_scatter" || kind == "alltoall") return bytes * (gpus - 1) / gpus;
  if (kind == "broadcast" || kind == "reduce" || kind == "send_recv") return bytes;
  return 0;
}

double leaving_bytes(std::string_view kind, double bytes, double nodes, double gpus) {
  const double outside = (nodes - 1) / nodes;
  if (kind == "all_reduce") return 2 * outside * bytes;
  if (kind == "alltoall") return outside * bytes * gpus;
  return outside * bytes;
}

double link_time_us(double wire, const LinkLaw& law) {
  const double moving_us = wire / (law.beta_gb_per_s * 1e3);
  return std::pow(std::pow(law.alpha_us, law.knee) + std::pow(moving_us, law.knee), 1 / law.knee);
}

}  // namespace steelyard::estimate

// The time law of one collective between GPUs.
#pragma once

#include <string>
#include <string_view>

namespace steelyard::estimate {

/// Kinds that behave alike share a fit: all_gather, reduce_scatter, broadcast and reduce; all_reduce; alltoall and send_recv.
std::string_view collective_class(std::string_view kind);

/// Bytes that every GPU sends, of a buffer of `bytes` as nccl-tests counts it, among `gpus`: 2 (n-1)/n for all_reduce, (n-1)/n for the rest, 1 for
/// send_recv. It is the factor of nccl-tests' bus bandwidth. Source: NVIDIA/nccl-tests doc/PERFORMANCE.md. An unknown kind gives 0.
double wire_bytes(std::string_view kind, double bytes, double gpus);

/// Bytes that leave a node for a buffer of `bytes` on each of its `gpus` GPUs. Reductions happen inside the node first, so an all_reduce sends
/// 2 (N-1)/N of one buffer; an alltoall sends from every GPU what its peers outside want.
double leaving_bytes(std::string_view kind, double bytes, double nodes, double gpus);

/// Start-up and rate of one link for one kind and number of GPUs.
struct LinkLaw {
  double alpha_us = 10;
  double beta_gb_per_s = 100;  // 1e9 bytes/s that each GPU sends
  double knee = 0.6;           // below 1: slower than alpha + bytes / beta around the knee, as NCCL's protocols are
};

/// t = (alpha^p + (wire / beta)^p)^(1/p), microseconds.
double link_time_us(double wire, const LinkLaw& law);

}  // namespace steelyard::estimate

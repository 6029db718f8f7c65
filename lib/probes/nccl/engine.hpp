// Collectives on GPU buffers by NCCL: one process with all its GPUs, or one process a GPU.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <memory>
#include <string>
#include <vector>

#include "probes/collectives.hpp"
#include "probes/cuda/device.hpp"
#include "probes/cuda/probes.hpp"
#include "probes/ranks/ranks.hpp"

namespace steelyard::probes::nccl {

/// Throws ProbeFailure with NCCL's text.
void check(ncclResult_t result, const char* what);

/// The GPU ranks that this process drives.
class NcclCollectives final : public CollectiveEngine {
 public:
  /// `processes` null: all GPUs of this process. Else one GPU a process: the one of the local rank, or the only visible one.
  NcclCollectives(Ranks* processes, int local_rank);
  ~NcclCollectives() override;

  std::string backend() const override { return "nccl"; }
  int ranks() const override { return ranks_; }
  int nodes() const override { return processes_ ? processes_->nodes() : 1; }
  double most_bytes() const override;
  std::string method() const override;
  void prepare(const std::string& kind, double bytes) override;
  double timed(int repeats) override;
  double wrong() override;
  double agreed(double value) override { return processes_ ? processes_->most(value) : value; }
  double clock_s() const override { return cuda::clock_s(); }

 private:
  // One rank: its device, stream, communicator and buffers.
  struct Member {
    int device = 0, rank = 0;
    ncclComm_t comm = nullptr;
    cuda::Stream stream;
    cuda::Buffer in, out;
  };

  void join_one_process();
  void join_processes(int local_rank);
  void once();
  void enqueue(Member& member);
  void wait_all();

  Ranks* processes_;
  int ranks_ = 0;
  std::vector<Member> members_;
  std::string kind_;
  std::size_t each_ = 0, in_count_ = 0, out_count_ = 0;
  std::size_t held_ = 0;  // elements for which the buffers are large enough
};

}  // namespace steelyard::probes::nccl

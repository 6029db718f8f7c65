#include "probes/nccl/engine.hpp"

#include <algorithm>

#include "calibrate/rates.hpp"
#include "probes/cuda/kernels.hpp"

namespace steelyard::probes::nccl {

using cuda::use_device;

void check(ncclResult_t result, const char* what) {
  if (result != ncclSuccess) throw ProbeFailure(std::string(what) + ": " + ncclGetErrorString(result));
}

NcclCollectives::NcclCollectives(Ranks* processes, int local_rank) : processes_(processes) {
  if (processes_) {
    join_processes(local_rank);
  } else {
    join_one_process();
  }
}

NcclCollectives::~NcclCollectives() {
  for (Member& member : members_) {
    if (member.comm) ncclCommDestroy(member.comm);
  }
}

void NcclCollectives::join_one_process() {
  ranks_ = cuda::find_devices().count;
  std::vector<ncclComm_t> comms(static_cast<std::size_t>(ranks_));
  check(ncclCommInitAll(comms.data(), ranks_, nullptr), "ncclCommInitAll");
  for (int device = 0; device < ranks_; ++device) {
    use_device(device);
    members_.push_back({device, device, comms[static_cast<std::size_t>(device)], {}, {}, {}});
  }
}

void NcclCollectives::join_processes(int local_rank) {
  ranks_ = processes_->size();
  const int devices = cuda::find_devices().count;
  // A launcher may show each process one GPU only, or all of them.
  const int device = devices == 1 ? 0 : local_rank;
  if (device >= devices) throw ProbeFailure("local rank " + std::to_string(local_rank) + " has no GPU: " + std::to_string(devices) + " are visible");
  use_device(device);
  ncclUniqueId id{};
  if (processes_->rank() == 0) check(ncclGetUniqueId(&id), "ncclGetUniqueId");
  processes_->broadcast(&id, sizeof id, 0);
  ncclComm_t comm = nullptr;
  check(ncclCommInitRank(&comm, ranks_, id, processes_->rank()), "ncclCommInitRank");
  members_.push_back({device, processes_->rank(), comm, {}, {}, {}});
}

double NcclCollectives::most_bytes() const {
  double least = 1e18;
  for (const Member& member : members_) {
    use_device(member.device);
    least = std::min(least, cuda::memory_of_device().free_bytes / 3);  // two buffers, and NCCL's own
  }
  return processes_ ? -processes_->most(-least) : least;
}

std::string NcclCollectives::method() const {
  return std::string("probe nccl 1, float, ") + (processes_ ? "one process a GPU, met over " + processes_->kind() : "one process") +
         ", every element verified";
}

void NcclCollectives::prepare(const std::string& kind, double bytes) {
  kind_ = kind;
  const auto count = static_cast<std::size_t>(bytes / sizeof(float));
  each_ = count / static_cast<std::size_t>(ranks_);
  in_count_ = kind == "all_gather" ? each_ : count;
  out_count_ = kind == "reduce_scatter" ? each_ : count;
  for (Member& member : members_) {
    use_device(member.device);
    if (count > held_) {
      member.in = cuda::Buffer(), member.out = cuda::Buffer();
      member.in = cuda::Buffer(count * sizeof(float)), member.out = cuda::Buffer(count * sizeof(float));
    }
    cuda::check(cuda::fill_collective(member.in.as<float>(), in_count_, member.rank, member.stream.get()), "fill");
    cuda::check(cudaMemsetAsync(member.out.data(), 0xff, out_count_ * sizeof(float), member.stream.get()), "cudaMemsetAsync");
  }
  held_ = std::max(held_, count);
  wait_all();
}

void NcclCollectives::enqueue(Member& member) {
  const float* in = member.in.as<float>();
  float* out = member.out.as<float>();
  const cudaStream_t stream = member.stream.get();
  const auto next = (member.rank + 1) % ranks_, previous = (member.rank + ranks_ - 1) % ranks_;
  if (kind_ == "all_reduce") {
    check(ncclAllReduce(in, out, in_count_, ncclFloat, ncclSum, member.comm, stream), "ncclAllReduce");
  } else if (kind_ == "all_gather") {
    check(ncclAllGather(in, out, each_, ncclFloat, member.comm, stream), "ncclAllGather");
  } else if (kind_ == "reduce_scatter") {
    check(ncclReduceScatter(in, out, each_, ncclFloat, ncclSum, member.comm, stream), "ncclReduceScatter");
  } else if (kind_ == "alltoall") {
    for (int other = 0; other < ranks_; ++other) {
      const std::size_t at = static_cast<std::size_t>(other) * each_;
      check(ncclSend(in + at, each_, ncclFloat, other, member.comm, stream), "ncclSend");
      check(ncclRecv(out + at, each_, ncclFloat, other, member.comm, stream), "ncclRecv");
    }
  } else {
    check(ncclSend(in, in_count_, ncclFloat, next, member.comm, stream), "ncclSend");
    check(ncclRecv(out, in_count_, ncclFloat, previous, member.comm, stream), "ncclRecv");
  }
}

void NcclCollectives::once() {
  check(ncclGroupStart(), "ncclGroupStart");
  for (Member& member : members_) {
    use_device(member.device);
    enqueue(member);
  }
  check(ncclGroupEnd(), "ncclGroupEnd");
}

void NcclCollectives::wait_all() {
  for (Member& member : members_) {
    use_device(member.device);
    member.stream.wait();
    ncclResult_t late = ncclSuccess;
    check(ncclCommGetAsyncError(member.comm, &late), "ncclCommGetAsyncError");
    check(late, "NCCL");
  }
}

// The clock of the host from a common start to the end of the slowest rank.
double NcclCollectives::timed(int repeats) {
  if (processes_) processes_->barrier();
  const double start = cuda::clock_s();
  for (int i = 0; i < repeats; ++i) once();
  wait_all();
  return agreed(cuda::clock_s() - start);
}

double NcclCollectives::wrong() {
  once();
  wait_all();
  const auto& kinds = calibration::collective_kinds();
  const auto kind = static_cast<cuda::Collective>(std::find(kinds.begin(), kinds.end(), kind_) - kinds.begin());
  double count = 0;
  for (Member& member : members_) {
    use_device(member.device);
    const cuda::WrongCount counter;
    cuda::check(
        cuda::check_collective(member.out.as<float>(), out_count_, kind, member.rank, ranks_, each_, counter.on_device(), member.stream.get()),
        "check");
    count += static_cast<double>(counter.get(member.stream));
  }
  return agreed(count);
}

}  // namespace steelyard::probes::nccl

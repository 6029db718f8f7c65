// Collectives between simulated devices: of one process, or of threads that each drive one rank.
#include <nccl.h>

#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>

#include "fakes/gpu/device.hpp"

using namespace steelyard::fakes;

namespace {

struct Operation {
  enum class Kind { all_reduce, all_gather, reduce_scatter, send, recv } kind;
  int rank;
  const float* in;
  float* out;
  std::size_t count;
  int peer;
  cudaStream_t stream;
};

// A clique of ranks: gathers the operations of all ranks, then the last to come carries them out.
struct Clique {
  int size = 0;
  std::mutex guard;
  std::condition_variable ready;
  std::vector<Operation> pending;
  int arrived = 0;
  unsigned long generation = 0;
};

std::mutex cliques_guard;
std::map<std::string, std::shared_ptr<Clique>> cliques;

}  // namespace

struct FakeComm {
  int rank = 0;
  std::shared_ptr<Clique> clique;
};

namespace {

struct Queued {
  ncclComm_t comm;
  Operation operation;
};
thread_local int depth = 0;
thread_local std::vector<Queued> queue;

double share_of(const Operation& one, int ranks) {
  const double others = (ranks - 1.0) / ranks;
  if (one.kind == Operation::Kind::all_reduce) return 2 * others;
  if (one.kind == Operation::Kind::all_gather) return others * ranks;  // `count` is that of one rank
  if (one.kind == Operation::Kind::reduce_scatter) return others * ranks;
  return 1;
}

const Operation& of_rank(const std::vector<Operation>& all, int rank) {
  for (const Operation& one : all) {
    if (one.rank == rank) return one;
  }
  return all.front();
}

float sum_at(const std::vector<Operation>& all, std::size_t index) {
  float sum = 0;
  for (const Operation& one : all) sum += one.in[index];
  return sum;
}

// The send of `from` to `to` that is `which`-th of its kind.
const Operation* matching_send(const std::vector<Operation>& all, int from, int to, int which) {
  for (const Operation& one : all) {
    if (one.kind == Operation::Kind::send && one.rank == from && one.peer == to && which-- == 0) return &one;
  }
  return nullptr;
}

void carry_out(const std::vector<Operation>& all, int ranks) {
  std::map<std::pair<int, int>, int> received;
  for (const Operation& one : all) {
    switch (one.kind) {
      case Operation::Kind::all_reduce:
        for (std::size_t i = 0; i < one.count; ++i) one.out[i] = sum_at(all, i);
        maybe_corrupt("ncclAllReduce", one.out, one.count * 4);
        break;
      case Operation::Kind::all_gather:
        for (int rank = 0; rank < ranks; ++rank)
          std::memcpy(one.out + static_cast<std::size_t>(rank) * one.count, of_rank(all, rank).in, one.count * 4);
        maybe_corrupt("ncclAllGather", one.out, one.count * 4);
        break;
      case Operation::Kind::reduce_scatter:
        for (std::size_t i = 0; i < one.count; ++i) one.out[i] = sum_at(all, static_cast<std::size_t>(one.rank) * one.count + i);
        maybe_corrupt("ncclReduceScatter", one.out, one.count * 4);
        break;
      case Operation::Kind::recv:
        if (const Operation* from = matching_send(all, one.peer, one.rank, received[{one.peer, one.rank}]++)) {
          std::memcpy(one.out, from->in, one.count * 4);
          maybe_corrupt("ncclRecv", one.out, one.count * 4);
        }
        break;
      case Operation::Kind::send: break;
    }
  }
}

// All streams end together: the slowest start, the latency, the bytes of the busiest rank over its link.
void take_time(const std::vector<Operation>& all, int ranks) {
  double start = 0;
  std::map<int, double> bytes;
  for (const Operation& one : all) {
    start = std::max(start, end_of(one.stream));
    if (one.kind != Operation::Kind::recv && !(one.kind == Operation::Kind::send && one.peer == one.rank)) {
      bytes[one.rank] += static_cast<double>(one.count) * 4 * share_of(one, ranks);
    }
  }
  double most = 0;
  for (const auto& [rank, sum] : bytes) most = std::max(most, sum);
  for (const Operation& one : all) set_end(one.stream, start + gpus().collective_latency_s + most / gpus().collective_rate);
}

ncclResult_t submit(const std::shared_ptr<Clique>& clique, const std::vector<Operation>& mine, int members) {
  std::unique_lock<std::mutex> lock(clique->guard);
  clique->pending.insert(clique->pending.end(), mine.begin(), mine.end());
  clique->arrived += members;
  if (clique->arrived == clique->size) {
    carry_out(clique->pending, clique->size);
    take_time(clique->pending, clique->size);
    clique->pending.clear();
    clique->arrived = 0;
    ++clique->generation;
    clique->ready.notify_all();
    return ncclSuccess;
  }
  const unsigned long generation = clique->generation;
  const bool done = clique->ready.wait_for(lock, std::chrono::seconds(30), [&] { return clique->generation != generation; });
  return done ? ncclSuccess : ncclRemoteError;
}

ncclResult_t flush() {
  std::map<Clique*, std::pair<std::shared_ptr<Clique>, std::vector<Operation>>> by_clique;
  std::map<Clique*, std::map<int, bool>> members;
  for (const Queued& one : queue) {
    auto& entry = by_clique[one.comm->clique.get()];
    entry.first = one.comm->clique;
    entry.second.push_back(one.operation);
    members[one.comm->clique.get()][one.comm->rank] = true;
  }
  queue.clear();
  for (const auto& [key, entry] : by_clique) {
    const ncclResult_t result = submit(entry.first, entry.second, static_cast<int>(members[key].size()));
    if (result != ncclSuccess) return result;
  }
  return ncclSuccess;
}

ncclResult_t add(const char* call, ncclComm_t comm, Operation operation) {
  if (faulty(call)) return ncclSystemError;
  repeats_last({4});  // memory may change
  operation.rank = comm->rank;
  queue.push_back({comm, operation});
  return depth > 0 ? ncclSuccess : flush();
}

const float* in_of(const void* data) { return static_cast<const float*>(data); }
float* out_of(void* data) { return static_cast<float*>(data); }

}  // namespace

extern "C" {

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess: return "no error";
    case ncclUnhandledCudaError: return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclSystemError: return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclRemoteError: return "remote process exited or there was a network error";
    default: return "internal error";
  }
}

ncclResult_t ncclGetVersion(int* version) {
  *version = 22809;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  static int next = 0;
  const std::lock_guard<std::mutex> lock(cliques_guard);
  std::memset(id->internal, 0, sizeof id->internal);
  std::snprintf(id->internal, sizeof id->internal, "clique %d", next++);
  return ncclSuccess;
}

ncclResult_t ncclCommInitAll(ncclComm_t* comms, int count, const int*) {
  if (faulty(__func__)) return ncclUnhandledCudaError;
  const auto clique = std::make_shared<Clique>();
  clique->size = count;
  for (int rank = 0; rank < count; ++rank) comms[rank] = new FakeComm{rank, clique};
  std::printf(
      "fake:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\nfake:1:1 [0] NCCL INFO 24 coll channels, 0 collnet channels, 8 nvls "
      "channels\n");
  std::fflush(stdout);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int count, ncclUniqueId id, int rank) {
  if (faulty(__func__)) return ncclSystemError;
  const std::lock_guard<std::mutex> lock(cliques_guard);
  auto& clique = cliques[id.internal];
  if (!clique) clique = std::make_shared<Clique>();
  clique->size = count;
  *comm = new FakeComm{rank, clique};
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* late) {
  *late = faulty(__func__) ? ncclRemoteError : ncclSuccess;
  return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void* in, void* out, std::size_t count, ncclDataType_t, ncclRedOp_t, ncclComm_t comm, cudaStream_t stream) {
  return add(__func__, comm, {Operation::Kind::all_reduce, 0, in_of(in), out_of(out), count, 0, stream});
}

ncclResult_t ncclAllGather(const void* in, void* out, std::size_t count, ncclDataType_t, ncclComm_t comm, cudaStream_t stream) {
  return add(__func__, comm, {Operation::Kind::all_gather, 0, in_of(in), out_of(out), count, 0, stream});
}

ncclResult_t ncclReduceScatter(const void* in, void* out, std::size_t count, ncclDataType_t, ncclRedOp_t, ncclComm_t comm, cudaStream_t stream) {
  return add(__func__, comm, {Operation::Kind::reduce_scatter, 0, in_of(in), out_of(out), count, 0, stream});
}

ncclResult_t ncclSend(const void* in, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm, cudaStream_t stream) {
  return add(__func__, comm, {Operation::Kind::send, 0, in_of(in), nullptr, count, peer, stream});
}

ncclResult_t ncclRecv(void* out, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm, cudaStream_t stream) {
  return add(__func__, comm, {Operation::Kind::recv, 0, nullptr, out_of(out), count, peer, stream});
}

ncclResult_t ncclGroupStart() {
  ++depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() { return --depth > 0 ? ncclSuccess : flush(); }

}  // extern "C"

// Ranks through MPI, as a plugin of its own: the only file that includes mpi.h.
#include <mpi.h>
#include <steelyard/probe_abi.h>

#include <chrono>
#include <climits>
#include <cmath>
#include <cstdio>
#include <thread>

namespace {

int world_rank = 0, world_size = 1;

// Counts of MPI are int: larger buffers go in pieces of whole elements.
template <class Call>
int in_pieces(size_t count, Call call) {
  constexpr size_t kMost = 1u << 30;
  for (size_t at = 0; at < count; at += kMost) {
    const size_t now = count - at < kMost ? count - at : kMost;
    if (call(at, static_cast<int>(now)) != MPI_SUCCESS) return 1;
  }
  return 0;
}

bool fits(size_t count) { return count <= INT_MAX; }

// Rank 0 measures its own machine before it comes here. MPI's own waiting spins on a processor and would spoil that.
int meet() {
  MPI_Request request;
  if (MPI_Ibarrier(MPI_COMM_WORLD, &request) != MPI_SUCCESS) return 1;
  for (int done = 0; !done;) {
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return 1;
    if (!done) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return 0;
}

int open_world(char* error, size_t error_size) {
  int ready = 0;
  MPI_Initialized(&ready);
  if (!ready && MPI_Init(nullptr, nullptr) != MPI_SUCCESS) {
    std::snprintf(error, error_size, "MPI_Init failed");
    return 1;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  if (meet() == 0) return 0;
  std::snprintf(error, error_size, "MPI: the ranks did not meet");
  return 1;
}

void close_world() { MPI_Finalize(); }
int rank_of_world() { return world_rank; }
int size_of_world() { return world_size; }

// Ranks that share memory are on one node: the number of groups is the sum of 1 / size over the ranks.
int node_count() {
  MPI_Comm node;
  if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world_rank, MPI_INFO_NULL, &node) != MPI_SUCCESS) return 1;
  int on_node = 1;
  MPI_Comm_size(node, &on_node);
  MPI_Comm_free(&node);
  double share = 1.0 / on_node, sum = 1;
  MPI_Allreduce(&share, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return static_cast<int>(std::lround(sum));
}

int version(char* text, size_t text_size) {
  char full[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  if (MPI_Get_library_version(full, &length) != MPI_SUCCESS) return 1;
  int end = 0;  // up to the first comma or line end: the rest names the builder's machine
  while (full[end] && full[end] != ',' && full[end] != '\n') ++end;
  std::snprintf(text, text_size, "%.*s", end, full);
  return 0;
}

int barrier() { return MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS ? 0 : 1; }

int broadcast(void* data, size_t bytes, int root) {
  auto* place = static_cast<char*>(data);
  return in_pieces(bytes, [&](size_t at, int count) { return MPI_Bcast(place + at, count, MPI_BYTE, root, MPI_COMM_WORLD); });
}

int most(double* value) {
  const double mine = *value;
  return MPI_Allreduce(&mine, value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD) == MPI_SUCCESS ? 0 : 1;
}

int all_reduce(float* out, const float* in, size_t count) {
  return in_pieces(count, [&](size_t at, int now) { return MPI_Allreduce(in + at, out + at, now, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); });
}

int all_gather(float* out, const float* in, size_t each) {
  if (!fits(each)) return 1;
  const int count = static_cast<int>(each);
  return MPI_Allgather(in, count, MPI_FLOAT, out, count, MPI_FLOAT, MPI_COMM_WORLD) == MPI_SUCCESS ? 0 : 1;
}

int reduce_scatter(float* out, const float* in, size_t each) {
  if (!fits(each)) return 1;
  return MPI_Reduce_scatter_block(in, out, static_cast<int>(each), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS ? 0 : 1;
}

int alltoall(float* out, const float* in, size_t each) {
  if (!fits(each)) return 1;
  const int count = static_cast<int>(each);
  return MPI_Alltoall(in, count, MPI_FLOAT, out, count, MPI_FLOAT, MPI_COMM_WORLD) == MPI_SUCCESS ? 0 : 1;
}

int send_recv(float* out, const float* in, size_t count) {
  const int next = (world_rank + 1) % world_size, previous = (world_rank + world_size - 1) % world_size;
  return in_pieces(count, [&](size_t at, int now) {
    return MPI_Sendrecv(in + at, now, MPI_FLOAT, next, 0, out + at, now, MPI_FLOAT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
}

const steelyard_ranks_table kTable = {STEELYARD_RANKS_ABI, "mpi",          open_world, close_world, rank_of_world, size_of_world,
                                      node_count,          version,        barrier,    broadcast,   most,          all_reduce,
                                      all_gather,          reduce_scatter, alltoall,   send_recv};

}  // namespace

extern "C" __attribute__((visibility("default"))) const steelyard_ranks_table* steelyard_ranks_entry() { return &kTable; }

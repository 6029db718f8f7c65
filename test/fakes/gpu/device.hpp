// What the parts of the simulated GPUs share.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "fakes/gpu/fake_gpu.hpp"

namespace steelyard::fakes {

/// True where this call has to fail now; never returns where it has to hang.
bool faulty(const char* call);
/// Makes one byte wrong where this call has to give wrong data.
void maybe_corrupt(const char* call, void* data, std::size_t bytes);
/// Is this the very call that this thread made just before, with nothing between? Then the memory stays as it is.
bool repeats_last(const std::vector<std::uint64_t>& call);
/// The device that the thread has set.
int current_device();

/// Work of so many seconds in a stream.
void enqueue(cudaStream_t stream, double seconds);
double end_of(cudaStream_t stream);
void set_end(cudaStream_t stream, double when);
/// The host waits until then.
void wait_until(double when);
void host_works(double seconds);

}  // namespace steelyard::fakes

// Starting a kernel: one helper, so that the same source runs on a GPU and, for tests, on the host.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace steelyard::probes::cuda {

/// Threads of a launch and the memory traffic it makes; the traffic is what the simulated device of the tests takes time for.
struct Launch {
  std::size_t threads = 0;
  cudaStream_t stream = nullptr;
  double bytes = 0;
};

constexpr unsigned kBlock = 256;

#if defined(__CUDACC__)
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), const Launch& how, Arguments... arguments) {
  const auto blocks = static_cast<unsigned>((how.threads + kBlock - 1) / kBlock);
  // It takes the launch for comparisons.
  // clang-format off
  kernel<<<blocks > 0 ? blocks : 1, kBlock, 0, how.stream>>>(static_cast<Parameters>(arguments)...);
  // clang-format on
  return cudaGetLastError();
}
#elif defined(STEELYARD_FAKE_GPU)
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), const Launch& how, Arguments... arguments) {
  return fake_launch(how.stream, how.threads, kBlock, how.bytes, {reinterpret_cast<std::uint64_t>(kernel), fake_word(arguments)...},
                     [=] { kernel(static_cast<Parameters>(arguments)...); });
}
#endif

}  // namespace steelyard::probes::cuda

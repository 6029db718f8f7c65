#include "fakes/gpu/fake_gpu.hpp"
#include "probes/cuda/device.hpp"

namespace steelyard::probes::cuda {

double clock_s() { return fakes::now_s(); }

}  // namespace steelyard::probes::cuda

// What the management library says about a simulated device.
#include <cstdio>
#include <cstring>

#include "fakes/gpu/device.hpp"

using namespace steelyard::fakes;

namespace {

int tell(unsigned* place, unsigned value) {
  *place = value;
  return 0;
}

}  // namespace

extern "C" {

FAKE_API int nvmlInit_v2() { return faulty(__func__) ? 9 : 0; }

FAKE_API int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  std::snprintf(text, size, "580.00");
  return 0;
}

FAKE_API int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  *device = &gpus();
  return std::strncmp(id, "0000:1", 6) == 0 ? 0 : 6;
}

FAKE_API int nvmlDeviceGetClockInfo(void*, int kind, unsigned* value) { return tell(value, kind == 1 ? 1410 : 1593); }
FAKE_API int nvmlDeviceGetPowerUsage(void*, unsigned* value) { return tell(value, 391500); }
FAKE_API int nvmlDeviceGetTemperature(void*, int, unsigned* value) { return tell(value, 61); }
FAKE_API int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* value) { return tell(value, 4); }
FAKE_API int nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* value) { return tell(value, 16); }
FAKE_API int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* value) { return tell(value, 4); }
FAKE_API int nvmlDeviceGetMaxPcieLinkWidth(void*, unsigned* value) { return tell(value, 16); }

FAKE_API int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
  *bits = gpus().throttle_bits;
  return 0;
}

FAKE_API int nvmlDeviceGetNvLinkState(void*, unsigned link, int* up) {
  *up = link < 12;
  return link < 12 ? 0 : 2;
}

}  // extern "C"

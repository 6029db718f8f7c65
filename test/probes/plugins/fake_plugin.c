/* A probe plugin that misbehaves in the way that FAKE_<KIND> says; it takes the place of the CUDA plugin. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/probe_abi.h>
#include <string.h>
#include <unistd.h>

#ifndef FAKE_ABI
#define FAKE_ABI STEELYARD_PROBE_ABI
#endif

static const char* const kProbes[] = {"cuda.memory", "cuda.gemm", NULL};

static void put(int descriptor, const char* text) {
  if (write(descriptor, text, strlen(text)) < 0) exit(9);
}

static const char kMemory[] =
    "{\"measurement\": {\"metric\": \"memory.triad\", \"backend\": \"cuda\", \"at\": {\"bytes\": 1073741824}, \"value\": 1759, \"unit\": "
    "\"gb_per_s\", "
    "\"median_s\": 0.0018, \"samples\": 20}}\n";
static const char kMachine[] = "{\"machine\": {\"gpu\": \"NVIDIA A100-SXM4-80GB\", \"gpu_memory_gib\": 79.3, \"gpus_per_node\": 8}}\n";

static int available(char* why, size_t why_size) {
#if defined(FAKE_NO_DRIVER)
  snprintf(why, why_size, "no driver: libcuda.so.1 was not found");
  return 0;
#elif defined(FAKE_CRASH_EARLY)
  raise(SIGSEGV);
#endif
  (void)why, (void)why_size;
  return 1;
}

static int run(const char* request, int output, char* error, size_t error_size) {
  if (strstr(request, "\"budget_s\"") == NULL) return STEELYARD_PROBE_FAILED;
  if (strstr(request, "cuda.gemm") != NULL) {
    put(output, "{\"reading\": {\"name\": \"sm_clock\", \"value\": \"1410\", \"unit\": \"MHz\"}}\n");
    return STEELYARD_PROBE_OK;
  }
#if defined(FAKE_CRASH)
  put(output, kMemory);
  fflush(stdout);
  raise(SIGSEGV);
#elif defined(FAKE_HANG)
  put(output, kMemory);
  for (;;) pause();
#elif defined(FAKE_SLOW)
  for (int i = 1;; ++i) { /* point after point, far past the time it was given */
    char line[256];
    snprintf(
        line, sizeof line,
        "{\"measurement\": {\"metric\": \"memory.triad\", \"backend\": \"cuda\", \"at\": {\"bytes\": %d}, \"value\": 1759, \"unit\": \"gb_per_s\", "
        "\"median_s\": 0.0018, \"samples\": 20}}\n",
        i);
    put(output, line);
    usleep(50000);
  }
#elif defined(FAKE_HANG_DEAF)
  signal(SIGTERM, SIG_IGN), signal(SIGINT, SIG_IGN);
  if (fork() == 0) {
    for (;;) pause();
  }
  for (;;) pause();
#elif defined(FAKE_WRONG_DATA)
  put(output, kMemory);
  snprintf(error, error_size, "copy of 1073741824 bytes: 17 wrong elements; no speed is reported");
  return STEELYARD_PROBE_FAILED;
#elif defined(FAKE_NOTHING)
  return STEELYARD_PROBE_OK;
#elif defined(FAKE_NOISE)
  put(output, "this is no JSON\n{\"measurement\": {\"metric\": \"memory.triad\"}}\n");
  puts("chatter on standard output");
#elif defined(FAKE_EXIT)
  exit(77);
#elif defined(FAKE_LATE)
  usleep(1200000); /* as a driver that takes long to start */
#endif
  (void)error, (void)error_size;
  put(output, kMachine);
  put(output, "{\"software\": {\"driver\": \"580.00\"}}\n");
  put(output, kMemory);
  return STEELYARD_PROBE_OK;
}

static const steelyard_probe_table kTable = {FAKE_ABI, "cuda", kProbes, available, run};

#ifndef FAKE_NO_ENTRY
__attribute__((visibility("default"))) const steelyard_probe_table* steelyard_probe_entry(void);
const steelyard_probe_table* steelyard_probe_entry(void) { return &kTable; }
#else
const void* steelyard_fake_unused(void);
const void* steelyard_fake_unused(void) { return &kTable; }
#endif

/* What a probe plugin exports: C only, no exception and no C++ type crosses it. docs/reference/calibration.md, "Plugins". */
#ifndef STEELYARD_PROBE_ABI_H
#define STEELYARD_PROBE_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STEELYARD_PROBE_ABI 1u
#define STEELYARD_RANKS_ABI 1u

/* Results of `run`. */
#define STEELYARD_PROBE_OK 0            /* measured; what was measured was written to output_fd */
#define STEELYARD_PROBE_FAILED 1        /* reason in error */
#define STEELYARD_PROBE_NOT_AVAILABLE 2 /* cannot run here; reason in error */

/* A backend: a set of probes that run in a child process, one call a process. */
typedef struct {
  uint32_t abi;                                 /* STEELYARD_PROBE_ABI, checked before anything else */
  const char* backend;                          /* "cuda", "nccl" */
  const char* const* probes;                    /* names, "cuda.gemm" ..., ends with NULL */
  int (*available)(char* why, size_t why_size); /* 0 = no, reason in why */
  /* request_json: {"probe", "budget_s", "cold_s", ...}; results are JSON lines: {"measurement": {...}}, {"reading": {...}}, {"software": {...}},
     {"machine": {...}} as in a calibration file. Returns one of the results above. */
  int (*run)(const char* request_json, int output_fd, char* error, size_t error_size);
} steelyard_probe_table;

/* Exported by a plugin libsteelyard_probe_<backend>.so under this name. */
typedef const steelyard_probe_table* (*steelyard_probe_entry_function)(void);
#define STEELYARD_PROBE_ENTRY "steelyard_probe_entry"

/* Communication between ranks that a launcher started; libsteelyard_ranks_mpi.so. Functions give 0 for success. */
typedef struct {
  uint32_t abi; /* STEELYARD_RANKS_ABI */
  const char* kind;
  int (*open)(char* error, size_t error_size);
  void (*close)(void);
  int (*rank)(void);
  int (*size)(void);
  int (*node_count)(void);
  int (*version)(char* text, size_t text_size);
  int (*barrier)(void);
  int (*broadcast)(void* data, size_t bytes, int root);
  int (*most)(double* value);                                   /* the largest of all ranks' values */
  int (*all_reduce)(float* out, const float* in, size_t count); /* sum */
  int (*all_gather)(float* out, const float* in, size_t count_each);
  int (*reduce_scatter)(float* out, const float* in, size_t count_each); /* sum */
  int (*alltoall)(float* out, const float* in, size_t count_each);
  int (*send_recv)(float* out, const float* in, size_t count); /* to the next rank, from the previous one */
} steelyard_ranks_table;

typedef const steelyard_ranks_table* (*steelyard_ranks_entry_function)(void);
#define STEELYARD_RANKS_ENTRY "steelyard_ranks_entry"

#ifdef __cplusplus
}
#endif

#endif

/* STREAM's triad in plain C, one pinned thread a processor: what the memory probe is compared with. */
#ifndef STEELYARD_BENCH_STREAM_H
#define STEELYARD_BENCH_STREAM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* a = b + scalar c over arrays of `count` doubles, `passes` times; seconds of each pass into `seconds`. 0: done; else no memory or no threads. */
int stream_triad(size_t count, int threads, const int* processors, int passes, double* seconds);

#ifdef __cplusplus
}
#endif

#endif

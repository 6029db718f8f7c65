#define _GNU_SOURCE
#include "stream.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
  double *a, *b, *c;
  size_t first, last;
  int processor, passes;
  double* seconds; /* of the first thread only */
  pthread_barrier_t* gate;
} part;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void* work(void* given) {
  part* my = given;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(my->processor, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  double *a = my->a, *b = my->b, *c = my->c;
  for (size_t i = my->first; i < my->last; ++i) a[i] = 0, b[i] = 1, c[i] = 2;
  for (int pass = 0; pass < my->passes; ++pass) {
    pthread_barrier_wait(my->gate);
    const double start = now();
    for (size_t i = my->first; i < my->last; ++i) a[i] = b[i] + 3 * c[i];
    pthread_barrier_wait(my->gate);
    if (my->seconds) my->seconds[pass] = now() - start;
  }
  return NULL;
}

int stream_triad(size_t count, int threads, const int* processors, int passes, double* seconds) {
  double* data = malloc(3 * count * sizeof *data);
  part* parts = calloc((size_t)threads, sizeof *parts);
  pthread_t* running = calloc((size_t)threads, sizeof *running);
  if (!data || !parts || !running) return 1;
  pthread_barrier_t gate;
  pthread_barrier_init(&gate, NULL, (unsigned)threads);
  for (int i = 0; i < threads; ++i) {
    const size_t n = (size_t)threads, at = (size_t)i;
    parts[i] =
        (part){data, data + count, data + 2 * count, count * at / n, count * (at + 1) / n, processors[i], passes, i == 0 ? seconds : NULL, &gate};
    if (pthread_create(&running[i], NULL, work, &parts[i]) != 0) abort();
  }
  for (int i = 0; i < threads; ++i) pthread_join(running[i], NULL);
  const int wrong = data[count / 2] != 7;
  pthread_barrier_destroy(&gate);
  free(running), free(parts), free(data);
  return wrong;
}

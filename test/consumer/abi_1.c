/* A program of version 1 of the C interfaces. It declares for itself what version 1 promised and is never changed: a header that promises anything
   else does not compile beside it, a library that keeps it not fails it. A new version gets a file of its own. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int steelyard_abi_version(void);
const char* steelyard_version(void);
char* steelyard_call(const char* verb, const char* request);
void steelyard_free(char* answer);

typedef struct {
  uint32_t abi;
  const char* backend;
  const char* const* probes;
  int (*available)(char* why, size_t why_size);
  int (*run)(const char* request_json, int output_fd, char* error, size_t error_size);
} probe_table_1;

typedef struct {
  uint32_t abi;
  const char* kind;
  int (*open)(char* error, size_t error_size);
  void (*close)(void);
  int (*rank)(void);
  int (*size)(void);
  int (*node_count)(void);
  int (*version)(char* text, size_t text_size);
  int (*barrier)(void);
  int (*broadcast)(void* data, size_t bytes, int root);
  int (*most)(double* value);
  int (*all_reduce)(float* out, const float* in, size_t count);
  int (*all_gather)(float* out, const float* in, size_t count_each);
  int (*reduce_scatter)(float* out, const float* in, size_t count_each);
  int (*alltoall)(float* out, const float* in, size_t count_each);
  int (*send_recv)(float* out, const float* in, size_t count);
} ranks_table_1;

#include <steelyard/probe_abi.h>
#include <steelyard/steelyard.h>

#define SAME(member, old, now)                                                                                                                      \
  typedef char                                                                                                                                      \
      member##_of_##now##_stays[offsetof(old, member) == offsetof(now, member) && sizeof(((old*)0)->member) == sizeof(((now*)0)->member) ? 1 : -1]; \
  static void member##_of_##now##_keeps_its_type(old* one, const now* other) { one->member = other->member; }

#define EACH_PROBE_MEMBER(use) use(abi) use(backend) use(probes) use(available) use(run)
#define EACH_RANKS_MEMBER(use)                                                                                                                   \
  use(abi) use(kind) use(open) use(close) use(rank) use(size) use(node_count) use(version) use(barrier) use(broadcast) use(most) use(all_reduce) \
      use(all_gather) use(reduce_scatter) use(alltoall) use(send_recv)
#define SAME_PROBE(member) SAME(member, probe_table_1, steelyard_probe_table)
#define SAME_RANKS(member) SAME(member, ranks_table_1, steelyard_ranks_table)
EACH_PROBE_MEMBER(SAME_PROBE)
EACH_RANKS_MEMBER(SAME_RANKS)
#define COPY_PROBE(member) member##_of_steelyard_probe_table_keeps_its_type(&probe, &probe_now);
#define COPY_RANKS(member) member##_of_steelyard_ranks_table_keeps_its_type(&ranks, &ranks_now);

static int tables_agree(void) {
  steelyard_probe_table probe_now;
  steelyard_ranks_table ranks_now;
  probe_table_1 probe;
  ranks_table_1 ranks;
  memset(&probe_now, 0, sizeof probe_now);
  memset(&ranks_now, 0, sizeof ranks_now);
  EACH_PROBE_MEMBER(COPY_PROBE)
  EACH_RANKS_MEMBER(COPY_RANKS)
  return probe.abi == 0 && ranks.abi == 0 && STEELYARD_PROBE_ABI == 1 && STEELYARD_RANKS_ABI == 1 && STEELYARD_PROBE_OK == 0 &&
         STEELYARD_PROBE_FAILED == 1 && STEELYARD_PROBE_NOT_AVAILABLE == 2 && strcmp(STEELYARD_PROBE_ENTRY, "steelyard_probe_entry") == 0 &&
         strcmp(STEELYARD_RANKS_ENTRY, "steelyard_ranks_entry") == 0;
}

/* A verb of version 1 answers an empty request, or says what the request lacks. */
static int known(const char* verb) {
  char* answer = steelyard_call(verb, "{}");
  const int holds = answer && (strstr(answer, "\"schema\":\"steelyard.") || (strstr(answer, "\"error\"") && strstr(answer, "is missing")));
  if (!holds) fprintf(stderr, "%s: %s\n", verb, answer ? answer : "(null)");
  steelyard_free(answer);
  return holds;
}

int main(void) {
  static const char* const verbs[] = {"recommend",  "explain", "compare", "launch",   "estimate",  "stack",
                                      "understand", "read",    "verify",  "diagnose", "acceptance"};
  size_t at;
  int holds = tables_agree() && steelyard_abi_version() == 1 && strlen(steelyard_version()) > 0;
  for (at = 0; at < sizeof verbs / sizeof *verbs; ++at) holds = known(verbs[at]) && holds;
  steelyard_free(NULL);
  holds = steelyard_call(NULL, "{}") == NULL && holds;
  if (!holds) fprintf(stderr, "version 1 of the C interface is not kept\n");
  return holds ? 0 : 1;
}

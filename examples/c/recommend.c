/* Asks which offer to rent and prints the answer as JSON: cc recommend.c $(pkg-config --cflags --libs steelyard_c) && ./a.out job.json 2026-11-30 */
#include <steelyard/steelyard.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char* read_all(const char* name) {
  FILE* file = fopen(name, "rb");
  char* text = NULL;
  size_t size = 0, count;
  char block[4096];
  if (!file) return NULL;
  while ((count = fread(block, 1, sizeof block, file)) > 0) {
    char* larger = realloc(text, size + count + 1);
    if (!larger) break;
    text = larger;
    memcpy(text + size, block, count);
    size += count;
    text[size] = '\0';
  }
  fclose(file);
  return text;
}

int main(int argc, char** argv) {
  char *job, *request, *answer;
  size_t room;
  int failed;
  if (argc != 3 || steelyard_abi_version() != STEELYARD_ABI_VERSION) {
    fprintf(stderr, "usage: recommend JOB.json TODAY (library of ABI %d)\n", STEELYARD_ABI_VERSION);
    return 2;
  }
  job = read_all(argv[1]);
  if (!job) {
    fprintf(stderr, "%s: cannot be read\n", argv[1]);
    return 2;
  }
  room = strlen(job) + strlen(argv[2]) + 64;
  request = malloc(room);
  if (!request) return 4;
  snprintf(request, room, "{\"workload\": %s, \"today\": \"%s\", \"top\": 3}", job, argv[2]);
  answer = steelyard_call("recommend", request);
  free(job);
  free(request);
  if (!answer) return 4;
  puts(answer);
  failed = strncmp(answer, "{\"error\"", 8) == 0;
  steelyard_free(answer);
  return failed ? 2 : 0;
}

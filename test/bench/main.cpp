// steelyard_bench [--data DIR] [--benchmark_…]
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "data.hpp"

namespace steelyard::bench {

namespace {

std::string& folder() {
  static std::string path = [] {
    const char* given = std::getenv("STEELYARD_BENCH_DATA");
    return std::string(given && *given ? given : STEELYARD_SHARED_DATA "/bench");
  }();
  return path;
}

}  // namespace

const std::string& data_folder() { return folder(); }
void set_data_folder(std::string path) { folder() = std::move(path); }

}  // namespace steelyard::bench

int main(int argc, char** argv) {
  std::vector<char*> rest{argv[0]};
  for (int at = 1; at < argc; ++at) {
    if (std::strcmp(argv[at], "--data") == 0 && at + 1 < argc) {
      steelyard::bench::set_data_folder(argv[++at]);
    } else {
      rest.push_back(argv[at]);
    }
  }
  int count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

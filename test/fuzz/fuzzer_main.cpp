// The door to libFuzzer: steelyard_fuzz --target=NAME CORPUS... [-max_total_time=60]
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "targets.hpp"

namespace {

const steelyard::fuzz::Target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  constexpr std::string_view option = "--target=";
  for (int at = 1; at < *count; ++at) {
    const std::string_view word = (*words)[at];
    if (word.substr(0, option.size()) == option) chosen = steelyard::fuzz::find_target(word.substr(option.size()));
    if (word == "--list") {
      for (const auto& target : steelyard::fuzz::targets()) std::printf("%.*s\n", static_cast<int>(target.name.size()), target.name.data());
      std::exit(0);
    }
  }
  if (chosen == nullptr) {
    std::fprintf(stderr, "name a target: --target=NAME; --list prints all\n");
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
  chosen->run(std::string_view(reinterpret_cast<const char*>(bytes), size));
  return 0;
}

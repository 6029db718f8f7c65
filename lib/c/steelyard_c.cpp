#include <steelyard/steelyard.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <steelyard/call.hpp>

extern "C" {

int steelyard_abi_version(void) { return STEELYARD_ABI_VERSION; }

const char* steelyard_version(void) { return STEELYARD_VERSION; }

char* steelyard_call(const char* verb, const char* request) {
  if (!verb || !request) return nullptr;
  try {
    const std::string answer = steelyard::call(verb, request);
    char* copy = static_cast<char*>(std::malloc(answer.size() + 1));
    if (copy) std::memcpy(copy, answer.c_str(), answer.size() + 1);
    return copy;
  } catch (...) {
    return nullptr;  // out of memory: everything else is an answer
  }
}

void steelyard_free(char* answer) { std::free(answer); }
}

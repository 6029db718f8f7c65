#include <steelyard/probe_abi.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "probes/run/lines.hpp"

namespace steelyard::probes {

namespace {

void write_line(int descriptor, std::string_view line) {
  std::string text(line);
  text += '\n';
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t moved = write(descriptor, text.data() + at, text.size() - at);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) throw ProbeFailure("the parent process no longer reads");
    at += static_cast<std::size_t>(moved);
  }
}

}  // namespace

int run_request(const std::vector<std::unique_ptr<Probe>>& probes, const std::string& json, int descriptor, char* error, std::size_t error_size) {
  const Loaded<Request> request = read_request(json);
  std::string why;
  int result = STEELYARD_PROBE_FAILED;
  if (request.value) {
    Output output([&](std::string_view line) { write_line(descriptor, line); });
    result = run_probe(probes, *request.value, output, why);
  } else {
    why = request.issues.empty() ? "no request" : to_string(request.issues.front());
  }
  std::snprintf(error, error_size, "%s", why.c_str());
  return result;
}

}  // namespace steelyard::probes

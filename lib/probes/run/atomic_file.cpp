#include "probes/run/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace steelyard::probes {

namespace {

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::optional<std::string> write_whole(const std::filesystem::path& file, std::string_view text) {
  std::string name = file.string() + ".XXXXXX";
  const int descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return file.string() + ": " + std::strerror(errno);
  bool done = write_all(descriptor, text);
  const mode_t mask = umask(0);
  umask(mask);
  done = done && fchmod(descriptor, 0666 & ~mask) == 0 && fsync(descriptor) == 0;
  done = close(descriptor) == 0 && done;
  done = done && std::rename(name.c_str(), file.c_str()) == 0;
  if (done) return std::nullopt;
  const std::string reason = file.string() + ": " + std::strerror(errno);
  unlink(name.c_str());
  return reason;
}

}  // namespace steelyard::probes

#include "probes/run/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
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

// A file without a name vanishes with a process that is killed; not every file system has them. Negative: none.
int open_unnamed(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  return open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

// Gives it a name of this process for the moment until it takes the place of the old file.
bool name_it(int descriptor, std::string& name) {
  static std::atomic<int> count = 0;
  name.replace(name.size() - 6, 6, std::to_string(getpid()) + "-" + std::to_string(++count));
  unlink(name.c_str());  // of a process that had this number before
  const std::string own = "/proc/self/fd/" + std::to_string(descriptor);
  return linkat(AT_FDCWD, own.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

}  // namespace

std::optional<std::string> write_whole(const std::filesystem::path& file, std::string_view text) {
  std::string name = file.string() + ".XXXXXX";
  int descriptor = open_unnamed(file);
  const bool unnamed = descriptor >= 0;
  if (!unnamed) descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return file.string() + ": " + std::strerror(errno);
  bool done = write_all(descriptor, text);
  const mode_t mask = umask(0);
  umask(mask);
  done = done && fchmod(descriptor, 0666 & ~mask) == 0 && fsync(descriptor) == 0;
  done = done && (!unnamed || name_it(descriptor, name));
  const int reason = errno;
  if (close(descriptor) != 0 && done) done = false;
  if (done && std::rename(name.c_str(), file.c_str()) == 0) return std::nullopt;
  const std::string why = std::strerror(done ? errno : reason);
  unlink(name.c_str());
  return file.string() + ": " + why;
}

}  // namespace steelyard::probes

#include "files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <steelyard/issue.hpp>

#include "verbs.hpp"

namespace advise {

namespace {

using steelyard::Issue;
using steelyard::LoadError;

char temporary_path[4096] = "";  // what a signal must remove

[[noreturn]] void fail(const std::string& name, const std::string& message, const std::string& fix) {
  Issue issue;
  issue.where.file = name;
  issue.message = message;
  issue.fix = fix;
  throw LoadError({std::move(issue)});
}

std::string read_descriptor(int descriptor, const std::string& name, double timeout_s, std::size_t most_bytes) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(timeout_s);
  std::string text;
  char block[1 << 16];
  while (true) {
    if (timeout_s > 0) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
      pollfd waiting{descriptor, POLLIN, 0};
      if (left <= 0 || poll(&waiting, 1, static_cast<int>(left)) == 0) {
        fail(name, "no end of input after the --timeout", "close the input, or give more time");
      }
    }
    const ssize_t count = read(descriptor, block, sizeof block);
    if (count == 0) return text;
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) fail(name, std::string("cannot be read: ") + std::strerror(errno), "check the name and the permissions");
    text.append(block, static_cast<std::size_t>(count));
    if (text.size() > most_bytes) fail(name, "longer than " + std::to_string(most_bytes) + " bytes", "split it, or keep the part in question");
  }
}

// True: all written. False: the reader went away (broken pipe), which is no fault of ours.
bool write_all(int descriptor, std::string_view text, const std::string& name) {
  while (!text.empty()) {
    const ssize_t count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EPIPE) return false;
    if (count < 0) fail(name, std::string("cannot be written: ") + std::strerror(errno), "check the disk and the permissions");
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// The new file gets the mode of the one it replaces, or the usual one.
mode_t mode_for(const std::string& name) {
  struct stat status {};
  if (stat(name.c_str(), &status) == 0) return status.st_mode & 0777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

void forget_temporary() {
  unlink(temporary_path);
  temporary_path[0] = '\0';
}

void write_file(const std::string& name, std::string_view text) {
  const std::string pattern = name + ".XXXXXX";
  if (pattern.size() >= sizeof temporary_path) fail(name, "the file name is too long", "use a shorter one");
  std::string path = pattern;
  const int descriptor = mkstemp(path.data());
  if (descriptor < 0) fail(name, std::string("cannot be written: ") + std::strerror(errno), "check the folder and the permissions");
  std::memcpy(temporary_path, path.c_str(), path.size() + 1);
  try {
    write_all(descriptor, text, name);
    const bool done = fchmod(descriptor, mode_for(name)) == 0 && fsync(descriptor) == 0;
    if (close(descriptor) != 0 || !done || std::rename(path.c_str(), name.c_str()) != 0) {
      fail(name, std::string("cannot be written: ") + std::strerror(errno), "check the disk and the permissions");
    }
  } catch (...) {
    forget_temporary();
    throw;
  }
  temporary_path[0] = '\0';
}

extern "C" void leave_on_signal(int) {
  if (temporary_path[0] != '\0') unlink(temporary_path);
  _exit(interrupted);
}

}  // namespace

std::string read_input(const std::string& name, double timeout_s, std::size_t most_bytes) {
  if (name == "-") return read_descriptor(STDIN_FILENO, "<stdin>", timeout_s, most_bytes);
  struct stat status {};
  if (stat(name.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) fail(name, "expected a file, found a folder", "name a file in it");
  // Without O_NONBLOCK the opening of a pipe waits for its writer, however long.
  const bool waits = S_ISFIFO(status.st_mode) && timeout_s > 0;
  const int descriptor = open(name.c_str(), O_RDONLY | O_CLOEXEC | (waits ? O_NONBLOCK : 0));
  if (descriptor < 0) fail(name, std::string("cannot be read: ") + std::strerror(errno), "check the name and the permissions");
  try {
    std::string text = read_descriptor(descriptor, name, S_ISREG(status.st_mode) ? 0 : timeout_s, most_bytes);
    close(descriptor);
    return text;
  } catch (...) {
    close(descriptor);
    throw;
  }
}

PipeReady::PipeReady(const std::string& name, double timeout_s) {
  struct stat status {};
  if (timeout_s <= 0 || stat(name.c_str(), &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  descriptor_ = open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  pollfd waiting{descriptor_, POLLIN, 0};
  if (descriptor_ >= 0 && poll(&waiting, 1, static_cast<int>(timeout_s * 1000)) == 0) {
    close(descriptor_);
    fail(name, "nothing to read within the --timeout", "write to the pipe, or give more time");
  }
}

PipeReady::~PipeReady() {
  if (descriptor_ >= 0) close(descriptor_);
}

void write_output(const std::string& name, std::string_view text) {
  if (name.empty()) {
    write_all(STDOUT_FILENO, text, "<stdout>");
  } else {
    write_file(name, text);
  }
}

void install_signal_handlers() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files shows as a failed write
  std::signal(SIGINT, leave_on_signal);
  std::signal(SIGTERM, leave_on_signal);
}

}  // namespace advise

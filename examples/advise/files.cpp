#include "files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <steelyard/issue.hpp>
#include <utility>

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

// False: nothing came in this time.
bool is_ready(int descriptor, double milliseconds) {
  pollfd waiting{descriptor, POLLIN, 0};
  return poll(&waiting, 1, static_cast<int>(std::min<double>(milliseconds, std::numeric_limits<int>::max()))) != 0;
}

std::string read_descriptor(int descriptor, const std::string& name, double timeout_s, std::size_t most_bytes) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(timeout_s);
  std::string text;
  char block[1 << 16];
  while (true) {
    if (timeout_s > 0) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
      if (left <= 0 || !is_ready(descriptor, static_cast<double>(left))) {
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

// A pipe or a device takes the text itself: a new file in its place would take it away from everyone (/dev/null).
bool is_no_file(const std::string& name) {
  struct stat status {};
  return stat(name.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

void write_into(const std::string& name, std::string_view text) {
  const int descriptor = open(name.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail(name, std::string("cannot be written: ") + std::strerror(errno), "check the name and the permissions");
  try {
    write_all(descriptor, text, name);
  } catch (...) {
    close(descriptor);
    throw;
  }
  if (close(descriptor) != 0) fail(name, std::string("cannot be written: ") + std::strerror(errno), "check the disk and the permissions");
}

// The file that a chain of links ends at, whether it is there or not: the link stays one.
std::string behind_links(std::string name) {
  for (int links = 0; links < 40; ++links) {
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(name, error);
    if (error) break;
    name = (std::filesystem::path(name).parent_path() / target).string();
  }
  return name;
}

void write_file(const std::string& asked, std::string_view text) {
  if (is_no_file(asked)) return write_into(asked, text);
  const std::string name = behind_links(asked);
  // Short, so that the longest name that a file may have is no trouble.
  std::string path = (std::filesystem::path(name).parent_path() / ".advise-XXXXXX").string();
  if (path.size() >= sizeof temporary_path) fail(asked, "the file name is too long", "use a shorter one");
  const int descriptor = mkstemp(path.data());
  if (descriptor < 0) fail(asked, std::string("cannot be written: ") + std::strerror(errno), "check the folder and the permissions");
  std::memcpy(temporary_path, path.c_str(), path.size() + 1);
  try {
    write_all(descriptor, text, asked);
    const bool done = fchmod(descriptor, mode_for(name)) == 0 && fsync(descriptor) == 0;
    if (close(descriptor) != 0 || !done || std::rename(path.c_str(), name.c_str()) != 0) {
      fail(asked, std::string("cannot be written: ") + std::strerror(errno), "check the disk and the permissions");
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
  static bool input_taken = false;
  if (name == "-" && std::exchange(input_taken, true))
    fail("<stdin>", "standard input is named twice, and can be read once", "name a file for one of them");
  if (name == "-") return read_descriptor(STDIN_FILENO, "<stdin>", timeout_s, most_bytes);
  if (name.empty()) fail("''", "the name of a file is empty", "name a file, or - for standard input");
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
  if (descriptor_ >= 0 && !is_ready(descriptor_, timeout_s * 1000)) {
    close(descriptor_);
    fail(name, "nothing to read within the --timeout", "write to the pipe, or give more time");
  }
}

PipeReady::~PipeReady() {
  if (descriptor_ >= 0) close(descriptor_);
}

void write_output(const std::string& name, std::string_view text) {
  if (name.empty() || name == "-") {
    write_all(STDOUT_FILENO, text, "<stdout>");
  } else {
    write_file(name, text);
  }
}

void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number that is free: that of the stream, since those below it are taken by now.
    if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

void install_signal_handlers() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files shows as a failed write
  std::signal(SIGINT, leave_on_signal);
  std::signal(SIGTERM, leave_on_signal);
  std::signal(SIGHUP, std::signal(SIGHUP, SIG_IGN) == SIG_IGN ? SIG_IGN : leave_on_signal);  // nohup asks to stay
}

}  // namespace advise

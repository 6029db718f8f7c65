#include "probes/run/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "probes/probe.hpp"
#include "probes/ranks/socket.hpp"

extern char** environ;

namespace steelyard::probes {

namespace {

constexpr int kResults = 3;  // descriptor in the child
constexpr std::size_t kMostLog = 64 << 10;
constexpr std::size_t kMostLine = 1 << 20;

// Owned descriptors of a pipe; closed on exec.
struct Pipe {
  Socket read, write;
  Pipe() {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) == 0) read = Socket(ends[0]), write = Socket(ends[1]);
  }
};

class Child {
 public:
  explicit Child(const ChildRequest& request) : request_(request) {}

  ChildResult run() {
    if (!start()) return result_;
    const double end = now_s() + request_.deadline_s;
    while (!finished()) {
      if (now_s() >= end) stop(ChildResult::End::timed_out);
      if (request_.cancelled && request_.cancelled()) stop(ChildResult::End::cancelled);
      pump(100);
    }
    kill(-process_, SIGKILL);  // whatever it left behind
    drain();
    return result_;
  }

 private:
  bool start() {
    if (!input_.write || !output_.read || !results_.read) return false;
    // Pipe ends above the numbers that the child uses, so that no dup2 runs over another.
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const int in = lifted(input_.read), out = lifted(output_.write), lines = lifted(results_.write);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, lines, kResults);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGINT), sigaddset(&usual, SIGTERM), sigaddset(&usual, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::vector<std::string> words = request_.command;
    std::replace(words.begin(), words.end(), std::string("{results}"), std::to_string(kResults));
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const int error = posix_spawn(&process_, arguments[0], &actions, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    for (const int descriptor : {in, out, lines}) close(descriptor);
    input_.read = Socket(), output_.write = Socket(), results_.write = Socket();
    if (error != 0) {
      result_.log = request_.command.front() + ": " + std::strerror(error);
      return false;
    }
    feed();
    return true;
  }

  static int lifted(const Socket& socket) { return fcntl(socket.descriptor(), F_DUPFD_CLOEXEC, 10); }

  // Requests are far smaller than a pipe's buffer.
  void feed() {
    const auto previous = std::signal(SIGPIPE, SIG_IGN);
    [[maybe_unused]] const ssize_t written = write(input_.write.descriptor(), request_.input.data(), request_.input.size());
    std::signal(SIGPIPE, previous);
    input_.write = Socket();
  }

  bool finished() {
    int status = 0;
    const pid_t done = waitpid(process_, &status, WNOHANG);
    if (done == 0 || (done < 0 && errno == EINTR)) return false;
    if (result_.end != ChildResult::End::not_started) return true;
    result_.end = WIFSIGNALED(status) ? ChildResult::End::crashed : ChildResult::End::exited;
    result_.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    return true;
  }

  void stop(ChildResult::End why) {
    if (result_.end != ChildResult::End::not_started) return;
    result_.end = why;
    kill(-process_, SIGKILL);
  }

  // Takes what has come, waiting for it at most so long; false where there was nothing.
  bool pump(int milliseconds) {
    pollfd both[2] = {{output_.read.descriptor(), POLLIN, 0}, {results_.read.descriptor(), POLLIN, 0}};
    if (poll(both, 2, milliseconds) <= 0) return false;
    bool any = false;
    if (both[0].revents) any |= take(output_, [&](std::string_view text) { add_log(text); });
    if (both[1].revents) any |= take(results_, [&](std::string_view text) { add_results(text); });
    if (!any) poll(nullptr, 0, std::min(milliseconds, 20));  // both ends are closed, the process has yet to end
    return any;
  }

  void drain() {
    while (pump(0)) {
    }
  }

  template <class Use>
  static bool take(Pipe& pipe, Use use) {
    char buffer[16384];
    const ssize_t got = read(pipe.read.descriptor(), buffer, sizeof buffer);
    if (got > 0) use(std::string_view(buffer, static_cast<std::size_t>(got)));
    if (got == 0) pipe.read = Socket();  // closed: poll ignores negative descriptors
    return got > 0;
  }

  void add_log(std::string_view text) {
    result_.log += text;
    if (result_.log.size() > 2 * kMostLog) result_.log.erase(0, result_.log.size() - kMostLog);
  }

  void add_results(std::string_view text) {
    line_ += text;
    for (std::size_t end; (end = line_.find('\n')) != std::string::npos; line_.erase(0, end + 1)) {
      if (request_.line) request_.line(std::string_view(line_).substr(0, end));
    }
    if (line_.size() > kMostLine) line_.clear();  // no line of ours
  }

  const ChildRequest& request_;
  Pipe input_, output_, results_;
  pid_t process_ = -1;
  std::string line_;
  ChildResult result_;
};

}  // namespace

ChildResult run_child(const ChildRequest& request) { return Child(request).run(); }

std::string describe(const ChildResult& result) {
  switch (result.end) {
    case ChildResult::End::exited: return "exit code " + std::to_string(result.code);
    case ChildResult::End::crashed: return std::string("crashed: ") + strsignal(result.code);
    case ChildResult::End::timed_out: return "no end within the deadline";
    case ChildResult::End::cancelled: return "interrupted";
    case ChildResult::End::not_started: return "could not be started";
  }
  return {};
}

}  // namespace steelyard::probes

#include "probes/ranks/socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>

#include "probes/ranks/ranks.hpp"

namespace steelyard::probes {

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what) { throw RanksError(what + ": " + std::strerror(errno)); }

Clock::time_point after(double seconds) { return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)); }

int milliseconds_until(Clock::time_point end) {
  const double left = std::chrono::duration<double>(end - Clock::now()).count();
  return static_cast<int>(std::clamp(std::ceil(left * 1000), 0.0, 1e6));
}

// Waits for an event; false at the end of the patience.
bool wait_for(int descriptor, short events, Clock::time_point end) {
  pollfd one{descriptor, events, 0};
  for (;;) {
    const int ready = poll(&one, 1, milliseconds_until(end));
    if (ready > 0) return true;
    if (ready == 0 && Clock::now() >= end) return false;
    if (ready < 0 && errno != EINTR) fail("poll");
  }
}

void set_options(int descriptor) {
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

// Sends or receives what goes without waiting; the number of bytes.
std::size_t step(ssize_t moved, const char* what) {
  if (moved > 0) return static_cast<std::size_t>(moved);
  if (moved == 0) throw RanksError(std::string(what) + ": the other rank closed the connection");
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return 0;
  fail(what);
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = other.release();
  }
  return *this;
}

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

int Socket::release() {
  const int out = descriptor_;
  descriptor_ = -1;
  return out;
}

Socket listen_on(int port) {
  Socket out(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!out) fail("socket");
  const int on = 1;
  setsockopt(out.descriptor(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_ANY);
  here.sin_port = htons(static_cast<std::uint16_t>(port));
  if (bind(out.descriptor(), reinterpret_cast<sockaddr*>(&here), sizeof here) != 0 || listen(out.descriptor(), 512) != 0) return Socket();
  return out;
}

int port_of(const Socket& listening) {
  sockaddr_in here{};
  socklen_t length = sizeof here;
  if (getsockname(listening.descriptor(), reinterpret_cast<sockaddr*>(&here), &length) != 0) fail("getsockname");
  return ntohs(here.sin_port);
}

Socket accept_within(const Socket& listening, double patience_s) {
  if (!wait_for(listening.descriptor(), POLLIN, after(patience_s))) return Socket();
  Socket out(accept(listening.descriptor(), nullptr, nullptr));
  if (out) set_options(out.descriptor());
  return out;
}

Socket connect_to(const std::string& address, int port, double patience_s) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return Socket();
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> guard(found, freeaddrinfo);
  Socket out(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!out) fail("socket");
  if (connect(out.descriptor(), found->ai_addr, found->ai_addrlen) != 0) {
    if (errno != EINPROGRESS || !wait_for(out.descriptor(), POLLOUT, after(patience_s))) return Socket();
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(out.descriptor(), SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) return Socket();
  }
  fcntl(out.descriptor(), F_SETFL, 0);
  set_options(out.descriptor());
  return out;
}

std::string peer_address(const Socket& socket) {
  sockaddr_in there{};
  socklen_t length = sizeof there;
  if (getpeername(socket.descriptor(), reinterpret_cast<sockaddr*>(&there), &length) != 0) fail("getpeername");
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &there.sin_addr, text, sizeof text);
  return text;
}

void send_all(const Socket& socket, const void* data, std::size_t bytes) { exchange(socket, data, bytes, socket, nullptr, 0); }

void receive_all(const Socket& socket, void* data, std::size_t bytes) { exchange(socket, nullptr, 0, socket, data, bytes); }

bool receive_within(const Socket& socket, void* data, std::size_t bytes, double patience_s) {
  const auto end = after(patience_s);
  auto* place = static_cast<char*>(data);
  while (bytes > 0) {
    if (!wait_for(socket.descriptor(), POLLIN, end)) return false;
    const std::size_t moved = step(recv(socket.descriptor(), place, bytes, MSG_DONTWAIT), "receive");
    place += moved;
    bytes -= moved;
  }
  return true;
}

void exchange(const Socket& to, const void* out, std::size_t out_bytes, const Socket& from, void* in, std::size_t in_bytes) {
  const auto* sending = static_cast<const char*>(out);
  auto* receiving = static_cast<char*>(in);
  while (out_bytes > 0 || in_bytes > 0) {
    std::size_t moved = 0;
    if (out_bytes > 0) {
      const std::size_t sent = step(send(to.descriptor(), sending, out_bytes, MSG_DONTWAIT | MSG_NOSIGNAL), "send");
      sending += sent, out_bytes -= sent, moved += sent;
    }
    if (in_bytes > 0) {
      const std::size_t got = step(recv(from.descriptor(), receiving, in_bytes, MSG_DONTWAIT), "receive");
      receiving += got, in_bytes -= got, moved += got;
    }
    if (moved > 0) continue;
    pollfd both[2] = {{out_bytes > 0 ? to.descriptor() : -1, POLLOUT, 0}, {in_bytes > 0 ? from.descriptor() : -1, POLLIN, 0}};
    if (poll(both, 2, -1) < 0 && errno != EINTR) fail("poll");
  }
}

}  // namespace steelyard::probes

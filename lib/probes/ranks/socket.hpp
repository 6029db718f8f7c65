// Blocking TCP with deadlines; throws RanksError.
#pragma once

#include <cstddef>
#include <string>

namespace steelyard::probes {

/// An owned file descriptor.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(other.release()) {}
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  int descriptor() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  int release();

 private:
  int descriptor_ = -1;
};

/// Listens on a port of all interfaces (0: any); an empty socket where the port is taken.
Socket listen_on(int port);
int port_of(const Socket& listening);
/// The next connection; an empty socket after `patience_s`.
Socket accept_within(const Socket& listening, double patience_s);
/// Empty where nobody answers within `patience_s`.
Socket connect_to(const std::string& address, int port, double patience_s);
/// The address of the other end.
std::string peer_address(const Socket& socket);

void send_all(const Socket& socket, const void* data, std::size_t bytes);
void receive_all(const Socket& socket, void* data, std::size_t bytes);
/// False where the bytes did not come within `patience_s`.
bool receive_within(const Socket& socket, void* data, std::size_t bytes, double patience_s);
/// Sends and receives at the same time, so that a ring of full buffers cannot lock up. Either part may be empty; both may use one socket.
void exchange(const Socket& to, const void* out, std::size_t out_bytes, const Socket& from, void* in, std::size_t in_bytes);

}  // namespace steelyard::probes

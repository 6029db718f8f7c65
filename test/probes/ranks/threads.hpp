// Ranks as threads of one process, over TCP on this machine.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "probes/ranks/ranks.hpp"
#include "probes/ranks/socket.hpp"

namespace steelyard::test {

/// A port whose successors are free at the moment.
inline int free_port() { return probes::port_of(probes::listen_on(0)) - 1; }

/// Runs `work` once a rank; the first exception of any rank is thrown again.
inline void with_ranks(int size, const std::function<void(probes::Ranks&)>& work, int port = free_port()) {
  std::vector<std::thread> threads;
  std::vector<std::exception_ptr> faults(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        probes::Launcher launcher;
        launcher.kind = "torchrun";
        launcher.rank = launcher.local_rank = rank;
        launcher.size = launcher.local_size = size;
        launcher.address = "127.0.0.1";
        launcher.port = port;
        launcher.job = "test";
        const auto ranks = probes::tcp_ranks(launcher, "x", 30);
        work(*ranks);
      } catch (...) {
        faults[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& fault : faults) {
    if (fault) std::rethrow_exception(fault);
  }
}

}  // namespace steelyard::test

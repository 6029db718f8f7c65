// Processes that measure together: exchange of small data, and collectives on CPUs.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "probes/ranks/launcher.hpp"

namespace steelyard::probes {

/// A rank is gone, or a connection could not be made in time.
class RanksError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// All calls are collective: every rank makes them in the same order. Throws RanksError.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual std::string kind() const = 0;  // "mpi" "tcp" "alone"
  virtual std::string version() const { return {}; }
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual int nodes() const = 0;

  virtual void barrier() = 0;
  virtual void broadcast(void* data, std::size_t bytes, int root) = 0;
  virtual double most(double value) = 0;  // the largest of all ranks' values

  // Counts are elements; buffers of `size` parts of `count_each` elements where there are parts. Sums are in float.
  virtual void all_reduce(float* out, const float* in, std::size_t count) = 0;
  virtual void all_gather(float* out, const float* in, std::size_t count_each) = 0;
  virtual void reduce_scatter(float* out, const float* in, std::size_t count_each) = 0;
  virtual void alltoall(float* out, const float* in, std::size_t count_each) = 0;
  virtual void send_recv(float* out, const float* in, std::size_t count) = 0;  // to the next rank, from the previous one
};

/// Ranks over TCP: rank 0 listens on `address` at one of a few ports from `port` on, the others find it there. `channel` tells apart
/// several meetings of one job. Gives up after `patience_s`.
std::unique_ptr<Ranks> tcp_ranks(const Launcher& launcher, const std::string& channel, double patience_s);
/// Ranks of the plugin at that path (libsteelyard_ranks_mpi.so); throws RanksError with dlopen's text where it cannot be used.
std::unique_ptr<Ranks> mpi_ranks(const std::string& plugin);

/// What a launcher offers: MPI under mpirun where one of the plugins can be loaded, else TCP; empty where this is a single process.
std::unique_ptr<Ranks> open_ranks(const Launcher& launcher, const std::vector<std::string>& mpi_plugins, const std::string& channel,
                                  double patience_s);

}  // namespace steelyard::probes

// Threads that work in step, one pinned to each processor this process may use.
#pragma once

#include <barrier>
#include <functional>
#include <thread>
#include <vector>

namespace steelyard::probes {

/// Processors this process may run on, by number.
std::vector<int> allowed_processors();
/// In place of a processor: the system places the thread, and takes it away from one that others use.
constexpr int kAnywhere = -1;
/// Binds the calling thread; false where the system refuses, or for kAnywhere.
bool pin_to(int processor);

/// A team runs one piece of work at a time on all its threads. Each thread keeps its number, so memory it touched first stays near it.
class Team {
 public:
  /// One thread for each of the processors.
  explicit Team(const std::vector<int>& processors);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(threads_.size()); }
  bool pinned() const { return pinned_; }
  /// Calls `work(thread)` on every thread and waits; the seconds from the first start to the last end.
  double run(const std::function<void(int thread)>& work);

 private:
  void loop(int thread, int processor);

  std::barrier<> gate_;  // all threads and the caller
  std::function<void(int)> work_;
  bool stop_ = false;
  bool pinned_ = true;
  std::vector<double> starts_s_, ends_s_;  // of each thread's part of the work
  std::vector<std::thread> threads_;
};

}  // namespace steelyard::probes

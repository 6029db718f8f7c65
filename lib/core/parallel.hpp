// The same work for many items, on all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace steelyard {

/// Calls `work(index)` for 0 <= index < count, in no order; `least` items keep a thread busy long enough to be worth starting it. The first
/// exception is thrown again once all threads have ended.
template <class Work>
void for_each_index(std::size_t count, std::size_t least, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex guard;
  const auto run = [&] {
    try {
      for (std::size_t index = next++; index < count; index = next++) work(index);
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  {
    const std::size_t threads = std::min<std::size_t>(std::thread::hardware_concurrency(), count / std::max<std::size_t>(least, 1));
    std::vector<std::jthread> helpers;
    for (std::size_t index = 1; index < threads; ++index) helpers.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace steelyard

#include "probes/host/threads.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>

#include "probes/probe.hpp"

namespace steelyard::probes {

std::vector<int> allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> out;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
      if (CPU_ISSET(processor, &set)) out.push_back(processor);
    }
  }
  if (out.empty()) out.push_back(0);
  return out;
}

bool pin_to(int processor) {
  if (processor == kAnywhere) return false;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0;
}

Team::Team(const std::vector<int>& processors)
    : gate_(static_cast<std::ptrdiff_t>(processors.size()) + 1), starts_s_(processors.size()), ends_s_(processors.size()) {
  for (std::size_t i = 0; i < processors.size(); ++i) {
    threads_.emplace_back([this, i, processor = processors[i]] { loop(static_cast<int>(i), processor); });
  }
  gate_.arrive_and_wait();
}

Team::~Team() {
  stop_ = true;
  gate_.arrive_and_wait();
  for (std::thread& thread : threads_) thread.join();
}

// By the clocks of the workers: how long the caller sleeps before it hears of the end is not part of the work.
double Team::run(const std::function<void(int)>& work) {
  work_ = work;
  gate_.arrive_and_wait();
  gate_.arrive_and_wait();
  return *std::max_element(ends_s_.begin(), ends_s_.end()) - *std::min_element(starts_s_.begin(), starts_s_.end());
}

void Team::loop(int thread, int processor) {
  if (!pin_to(processor)) std::atomic_ref(pinned_).store(false);
  gate_.arrive_and_wait();
  for (;;) {
    gate_.arrive_and_wait();
    if (stop_) return;
    starts_s_[static_cast<std::size_t>(thread)] = now_s();
    work_(thread);
    ends_s_[static_cast<std::size_t>(thread)] = now_s();
    gate_.arrive_and_wait();
  }
}

}  // namespace steelyard::probes

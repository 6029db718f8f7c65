// Asks for the columns of the next block while this one is worked on. A block of a column is as long as a page, and hardware looks no further
// ahead than that: without asking, every column of every block starts with waiting for memory. Internal to columns/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace steelyard::rules {

class Prefetcher {
 public:
  static constexpr std::size_t line_bytes = 64;

  /// One column: where its block starts, and the bytes of a block.
  void add(const void* start, std::size_t bytes) {
    if (bytes == 0) return;
    parts_.push_back({static_cast<const char*>(start), (bytes + line_bytes - 1) / line_bytes});
    lines_ += parts_.back().lines;
  }
  void clear() {
    parts_.clear();
    lines_ = asked_ = part_ = line_ = 0;
  }

  /// Asks for its share, so that all is asked for after `steps` calls with 1 to `steps`.
  void step(std::size_t number, std::size_t steps) {
    for (const std::size_t until = lines_ * number / std::max<std::size_t>(steps, 1); asked_ < until; ++asked_) {
      __builtin_prefetch(parts_[part_].start + line_ * line_bytes);
      if (++line_ < parts_[part_].lines) continue;
      line_ = 0;
      ++part_;
    }
  }

 private:
  struct Part {
    const char* start;
    std::size_t lines;
  };
  std::vector<Part> parts_;
  std::size_t lines_ = 0, asked_ = 0, part_ = 0, line_ = 0;
};

}  // namespace steelyard::rules

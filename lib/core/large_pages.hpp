// Memory for long columns: on pages of 2 MiB where the system has them, since reading a dozen columns at once takes more addresses than a processor
// keeps for pages of 4 KiB.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace steelyard {

template <class T>
struct LargePages {
  using value_type = T;
  static constexpr std::size_t page_bytes = std::size_t{2} << 20;

  LargePages() = default;
  template <class Other>
  LargePages(const LargePages<Other>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < page_bytes) return static_cast<T*>(::operator new(bytes));
    const std::size_t whole = (bytes + page_bytes - 1) / page_bytes * page_bytes;
    void* const memory = std::aligned_alloc(page_bytes, whole);
    if (!memory) throw std::bad_alloc();
#ifdef __linux__
    madvise(memory, whole, MADV_HUGEPAGE);  // a wish: small pages do as well
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < page_bytes) return ::operator delete(memory);
    std::free(memory);
  }
  friend bool operator==(const LargePages&, const LargePages&) { return true; }
};

/// A column of many rows.
template <class T>
using Column = std::vector<T, LargePages<T>>;

}  // namespace steelyard

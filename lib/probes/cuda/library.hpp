// A shared library opened when it is needed.
#pragma once

#include <string>
#include <vector>

#include "probes/probe.hpp"

namespace steelyard::probes::cuda {

/// The first of the files that can be opened; never closed. NotAvailable with every reason where none can.
class Library {
 public:
  explicit Library(const std::vector<std::string>& files);
  /// NotAvailable where the library has no such function.
  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(symbol(name));
  }
  /// The same, null where there is none.
  template <class Function>
  bool find_if_there(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(symbol_or_null(name));
    return function != nullptr;
  }

 private:
  void* symbol(const char* name) const;
  void* symbol_or_null(const char* name) const;

  void* handle_ = nullptr;
  std::string file_;
};

}  // namespace steelyard::probes::cuda

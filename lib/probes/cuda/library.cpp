#include "probes/cuda/library.hpp"

#include <dlfcn.h>

namespace steelyard::probes::cuda {

Library::Library(const std::vector<std::string>& files) {
  std::string tried;
  for (const std::string& file : files) {
    handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_) {
      file_ = file;
      return;
    }
    const char* reason = dlerror();
    tried += (tried.empty() ? "" : "; ") + std::string(reason ? reason : file);
  }
  throw NotAvailable(tried);
}

void* Library::symbol(const char* name) const {
  void* found = symbol_or_null(name);
  if (!found) throw NotAvailable(file_ + " has no " + name);
  return found;
}

void* Library::symbol_or_null(const char* name) const { return dlsym(handle_, name); }

}  // namespace steelyard::probes::cuda

#include "probes/run/places.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "core/text.hpp"

namespace steelyard::probes {

namespace fs = std::filesystem;

namespace {

// The folder of the program or shared library that this code is in.
fs::path own_folder() {
  Dl_info info{};
  std::error_code none;
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) && info.dli_fname) {
    const fs::path file = fs::canonical(info.dli_fname, none);
    if (!file.empty()) return file.parent_path();
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  return program.parent_path();
}

Found find(const std::vector<fs::path>& folders, const std::string& name) {
  Found out;
  for (const fs::path& folder : folders) {
    std::error_code none;
    const fs::path file = folder / name;
    if (fs::is_regular_file(file, none)) {
      out.file = file;
      return out;
    }
    out.tried.push_back(file.string() + ": no such file");
  }
  return out;
}

}  // namespace

std::vector<fs::path> probe_folders(const std::vector<fs::path>& given, const Environment& environment) {
  std::vector<fs::path> out = given;
  if (const auto folders = environment("STEELYARD_PROBE_DIR")) {
    for (const std::string& folder : split(*folders, ':')) {
      if (!folder.empty()) out.emplace_back(folder);
    }
  }
  if (const fs::path own = own_folder(); !own.empty()) {
    out.push_back(own);
    out.push_back((own / "libexec/steelyard").lexically_normal());
    out.push_back((own / "../libexec/steelyard").lexically_normal());
  }
  out.emplace_back(STEELYARD_INSTALL_PROBE_DIR);
  out.emplace_back(STEELYARD_BUILD_PROBE_DIR);
  std::vector<fs::path> unique;
  for (const fs::path& one : out) {
    if (std::find(unique.begin(), unique.end(), one) == unique.end()) unique.push_back(one);
  }
  return unique;
}

Found find_helper(const std::vector<fs::path>& folders) { return find(folders, "steelyard-probe"); }

Found find_plugin(const std::vector<fs::path>& folders, const std::string& backend) { return find(folders, "libsteelyard_probe_" + backend + ".so"); }

std::vector<std::string> mpi_plugins(const std::vector<fs::path>& folders) {
  std::vector<std::string> out;
  for (const fs::path& folder : folders) {
    std::error_code none;
    const fs::path file = folder / "libsteelyard_ranks_mpi.so";
    if (fs::is_regular_file(file, none)) out.push_back(file.string());
  }
  return out;
}

}  // namespace steelyard::probes

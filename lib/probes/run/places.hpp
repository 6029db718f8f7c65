// Where the helper program and the plugins lie.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "probes/ranks/launcher.hpp"

namespace steelyard::probes {

/// In order: those given, $STEELYARD_PROBE_DIR (several with ':'), beside this program or library, ../libexec/steelyard from there,
/// the installation, the build tree.
std::vector<std::filesystem::path> probe_folders(const std::vector<std::filesystem::path>& given, const Environment& environment);

/// The first of the folders' files that exists; `tried` names the others.
struct Found {
  std::filesystem::path file;  // empty: none
  std::vector<std::string> tried;
};
Found find_helper(const std::vector<std::filesystem::path>& folders);
Found find_plugin(const std::vector<std::filesystem::path>& folders, const std::string& backend);
/// All files that could be the MPI plugin.
std::vector<std::string> mpi_plugins(const std::vector<std::filesystem::path>& folders);

}  // namespace steelyard::probes

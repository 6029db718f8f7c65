// Runs every target over its corpus once, without a fuzzing engine: CORPUS holds a folder for each target. Each file also goes in cut and doubled.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "targets.hpp"

namespace {

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return std::fprintf(stderr, "usage: steelyard_fuzz_corpus CORPUS\n"), 2;
  int failed = 0;
  for (const auto& target : steelyard::fuzz::targets()) {
    const std::filesystem::path folder = std::filesystem::path(words[1]) / target.name;
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::is_directory(folder) ? folder : std::filesystem::path("."))) {
      if (entry.path().parent_path() != folder || !entry.is_regular_file()) continue;
      const std::string bytes = read_all(entry.path());
      target.run(bytes);
      target.run(std::string_view(bytes).substr(0, bytes.size() / 2));
      target.run(bytes + bytes);
      ++files;
    }
    std::printf("%s: %zu files\n", std::string(target.name).c_str(), files);
    failed += files == 0;
  }
  if (failed > 0) std::fprintf(stderr, "%d targets have no corpus under %s\n", failed, words[1]);
  return failed > 0 ? 1 : 0;
}

#include "load/embedded.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <span>
#include <stdexcept>
#include <steelyard/issue.hpp>

namespace steelyard::load {

std::span<const EmbeddedFile> embedded_files();  // generated

namespace {

using Overlay = std::map<std::string, std::filesystem::path, std::less<>>;

[[noreturn]] void refuse(const std::filesystem::path& folder, const std::string& message) {
  Issue issue;
  issue.where.file = folder.string();
  issue.message = "STEELYARD_DATA: " + message;
  issue.fix = "name a folder that holds data/ or rules/ with YAML files, or unset the variable";
  throw LoadError({std::move(issue)});
}

// Files of the user's own under the names of embedded ones, which they replace, or beside them.
Overlay read_overlay() {
  Overlay files;
  const char* const named = std::getenv("STEELYARD_DATA");
  if (!named || !*named) return files;
  const std::filesystem::path root = named;
  for (const char* part : {"data", "rules"}) {
    std::error_code error;
    std::filesystem::recursive_directory_iterator entry(root / part, error), end;
    for (; !error && entry != end; entry.increment(error)) {
      if (entry->path().extension() == ".yaml") files.emplace(entry->path().lexically_relative(root).generic_string(), entry->path());
    }
  }
  if (files.empty()) refuse(root, "no YAML file under data/ or rules/ of this folder");
  return files;
}

const Overlay& overlay() {
  static const Overlay files = read_overlay();
  return files;
}

}  // namespace

bool overlaid() { return !overlay().empty(); }

std::vector<std::string_view> embedded_names(std::string_view prefix) {
  std::vector<std::string_view> names;
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name.starts_with(prefix)) names.push_back(file.name);
  }
  for (const auto& [name, path] : overlay()) {
    if (name.starts_with(prefix)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Document embedded_document(std::string_view name) {
  if (const auto own = overlay().find(name); own != overlay().end()) {
    const std::string path = own->second.string();
    return value_or_throw(parse_document(value_or_throw(read_file(path)), path));
  }
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name == name) return {std::string(name), {}, unpack(file.bytes)};
  }
  throw std::out_of_range("no embedded file " + std::string(name));
}

}  // namespace steelyard::load

#include "load/embedded.hpp"

#include <span>
#include <stdexcept>

namespace steelyard::load {

std::span<const EmbeddedFile> embedded_files();  // generated

std::vector<std::string_view> embedded_names(std::string_view prefix) {
  std::vector<std::string_view> names;
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name.substr(0, prefix.size()) == prefix) names.push_back(file.name);
  }
  return names;
}

Document embedded_document(std::string_view name) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name == name) return {std::string(name), {}, unpack(file.bytes)};
  }
  throw std::out_of_range("no embedded file " + std::string(name));
}

}  // namespace steelyard::load

// The data and rules that are compiled into the library. The environment variable STEELYARD_DATA may name a folder with `data/` and `rules/` of the
// same layout: its files replace embedded ones of the same name, others are read beside them. It is looked at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "load/node.hpp"

namespace steelyard::load {

/// Names ("data/boards/nvidia.yaml", "rules/reference/2_network/tier.yaml") that start with a prefix, sorted.
std::vector<std::string_view> embedded_names(std::string_view prefix);
/// The tree of one embedded file; the name must be one of `embedded_names`.
Document embedded_document(std::string_view name);

/// Are there files of the user's own among them?
bool overlaid();

/// One file as the generator writes it; `bytes` is what `pack` made.
struct EmbeddedFile {
  std::string_view name;
  std::string_view bytes;
};

/// A tree as bytes and back: kind, place, text, children in order.
std::string pack(const Node& node);
Node unpack(std::string_view bytes);

}  // namespace steelyard::load

// One request of a batch: its id, its parts, and what is wrong with it.
#pragma once

#include <steelyard/value.hpp>
#include <string>

#include "load/node.hpp"

namespace steelyard::requests {

struct Request {
  Request(std::string text, const std::string& file);

  /// The node of a key, or nullptr.
  const load::Node* part(const char* key) const;
  /// {"id", "error"}
  Value failed() const;
  /// The answer with the id in front.
  Value answered(Value answer) const;

  load::Document document;
  Value id = "";  // as it came: a number stays one
  Issues issues;
};

}  // namespace steelyard::requests

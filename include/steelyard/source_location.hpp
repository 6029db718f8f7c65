// Where a value, a rule or a fault stands in a text file.
#pragma once

#include <string>

namespace steelyard {

/// Place in a text: 1-based line and column; 0 where the place is not known.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;

  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

/// "file:line:column", without the parts that are not known.
std::string to_string(const SourceLocation& where);

}  // namespace steelyard

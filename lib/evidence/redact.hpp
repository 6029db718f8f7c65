// Finds identities in a text and takes them out of any other text, for example out of a message that a reader keeps.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace steelyard::evidence {

class Redactor {
 public:
  /// Learns names of hosts and users, and values of the environment, from the places where tools print them.
  explicit Redactor(std::string_view text);

  /// The text with every learned name and everything that looks like an address, GUID, GID, UUID or serial number replaced.
  std::string apply(std::string_view text);

  /// Kinds that `apply` has found so far, in words.
  const std::set<std::string>& kinds() const { return kinds_; }

 private:
  void learn_line(std::string_view line);
  void learn(std::string_view name, const char* kind);
  std::string without_patterns(std::string_view text);
  std::string without_names(std::string_view text);
  std::string without_values(std::string text);
  std::string_view name_that_begins(std::string_view lower) const;

  std::map<std::string, std::string> names_;  // lower case → kind
  std::set<std::string> values_;              // of environment variables
  std::size_t longest_ = 0;                   // of the names
  std::set<std::string> kinds_;
};

}  // namespace steelyard::evidence

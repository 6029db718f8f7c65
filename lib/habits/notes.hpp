// What readers of foreign files write down, and how they look at what a file says.
#pragma once

#include <initializer_list>
#include <optional>
#include <steelyard/habits.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "load/node.hpp"

namespace steelyard::habits {

/// One setting of a file: a key of a map (dotted where maps are nested) or an option of a command line.
struct Said {
  std::string key;
  std::vector<std::string> values;  // none: an option without a value, an empty map or list
  bool unresolved = false;          // hangs on a variable that the text does not set
  SourceLocation where;
  bool read = false;

  /// The only value, or empty text.
  std::string text() const { return values.size() == 1 ? values.front() : std::string(); }
};

/// What the readers found, in the order of the files.
struct Notes {
  std::vector<Understood> understood;
  std::vector<NotUnderstood> open;
  std::vector<std::string> without_effect;

  void take(std::string field, Value value, const Said& said, const std::string& format);
  /// A default of the program, where the file is silent; whatever another place states wins.
  void assume(std::string field, Value value, std::string key, const std::string& format, SourceLocation where);
  void leave_open(const Said& said, std::string because);
};

/// The settings of one file or command, with the notes that reading them makes. A setting that is left to the program ("auto") or hangs on an
/// unknown variable is noted as open by whatever asks for it, and counts as not said.
class Sayings {
 public:
  Sayings(std::vector<Said> said, std::string format, Notes& notes);

  bool has(std::string_view key) const;
  /// The setting, marked as read; nullptr where it is missing, open or unresolved.
  const Said* find(std::string_view key);
  std::optional<std::string> word(std::string_view key);
  std::optional<bool> flag(std::string_view key);
  std::optional<double> number(std::string_view key);

  /// Takes a whole number above zero, or any number, or a text, for a field of the workload or the run.
  void count(std::string_view key, const char* field);
  void amount(std::string_view key, const char* field);
  void text(std::string_view key, const char* field);
  /// Takes a given value for a field because of a setting.
  void take(std::string_view key, const char* field, Value value);
  void assume(const char* field, Value value, const char* key);
  void leave_open(std::string_view key, std::string because);
  /// A part of the settings could not be read (an unknown variable): silence means nothing then, and `assume` does nothing.
  void incomplete() { complete_ = false; }

  /// Settings that change neither memory nor time nor price; a trailing * stands for any ending.
  void ignore(std::initializer_list<const char*> keys);
  /// Notes what nobody asked for.
  void finish();

  const std::string& format() const { return format_; }
  Notes& notes() { return notes_; }
  const std::vector<Said>& all() const { return said_; }
  SourceLocation start() const { return said_.empty() ? SourceLocation{} : said_.front().where; }

 private:
  Said* raw(std::string_view key);

  std::vector<Said> said_;
  std::string format_;
  Notes& notes_;
  bool complete_ = true;
};

/// A map as settings; nested maps give dotted keys, lists of texts give several values.
std::vector<Said> flatten(const load::Document& document);

/// true, false, yes, no, on, off, 1, 0 in any case.
std::optional<bool> truth(std::string_view word);

}  // namespace steelyard::habits

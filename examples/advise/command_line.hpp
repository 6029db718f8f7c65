// Options of a verb: the common ones, its own, and the flags that mirror the keys of a workload.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <optional>
#include <steelyard/date.hpp>
#include <string>
#include <vector>

#include "verbs.hpp"

namespace advise {

/// One command line: declare options, parse, ask.
class CommandLine {
 public:
  /// `usage` is the line after "advise", `examples` are whole command lines.
  CommandLine(std::string usage, std::string about, std::vector<std::string> examples);

  /// "--name VALUE", "--name" (flag), "--name VALUE" that may be repeated. A name may carry a short form: "format,f".
  CommandLine& value(const char* name, const char* help);
  CommandLine& flag(const char* name, const char* help);
  CommandLine& values(const char* name, const char* help);
  /// --format, --out, --rules, --timeout; what every verb has.
  CommandLine& common(const char* formats = "text or json");

  /// False: help was asked for and printed. UsageError where a word is wrong.
  bool parse(const Words& words);

  bool has(const std::string& name) const { return given_.count(name) > 0; }
  std::string text(const std::string& name, const std::string& otherwise = {}) const;
  std::vector<std::string> texts(const std::string& name) const;
  double number(const std::string& name, double otherwise, double least, double most) const;
  /// A whole number from 1 to `most`.
  std::size_t count(const std::string& name, std::size_t otherwise, std::size_t most) const;
  /// --timeout; 0: no limit.
  double timeout_s() const;
  std::optional<steelyard::Date> date(const std::string& name) const;
  const std::vector<std::string>& files() const { return files_; }
  /// The last `count` words without a flag, which are no files; there must be so many.
  std::vector<std::string> take_last_words(std::size_t count);
  /// "text", "json" or one more that the verb allows.
  std::string format(const std::vector<std::string>& allowed = {"text", "json"}) const;

 private:
  void print_help() const;

  std::string usage_, about_;
  std::vector<std::string> examples_;
  boost::program_options::options_description options_;
  boost::program_options::variables_map given_;
  std::vector<std::string> files_;
};

}  // namespace advise

#include "command_line.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <cmath>
#include <iterator>
#include <sstream>

#include "files.hpp"

namespace advise {

namespace po = boost::program_options;

CommandLine::CommandLine(std::string usage, std::string about, std::vector<std::string> examples)
    : usage_(std::move(usage)), about_(std::move(about)), examples_(std::move(examples)), options_("Options", 80, 44) {
  options_.add_options()("help,h", "show this help");
}

CommandLine& CommandLine::value(const char* name, const char* help) {
  options_.add_options()(name, po::value<std::string>()->value_name("VALUE"), help);
  return *this;
}

CommandLine& CommandLine::flag(const char* name, const char* help) {
  options_.add_options()(name, help);
  return *this;
}

CommandLine& CommandLine::values(const char* name, const char* help) {
  options_.add_options()(name, po::value<std::vector<std::string>>()->composing()->value_name("VALUE"), help);
  return *this;
}

CommandLine& CommandLine::common(const char* formats) {
  value("format,f", formats).value("out,o", "write to this file (atomically) instead of standard output");
  value("rules", "rule book: reference (default), field_guide, or a folder").value("timeout", "seconds to wait for standard input and pipes");
  return *this;
}

namespace {

// A text of several words that starts with dashes is a value: --symptom "--gpus all failed".
bool is_option(const std::string& word) { return word.compare(0, 2, "--") == 0 && word.find_first_of(" \t\n") == std::string::npos; }

}  // namespace

bool CommandLine::parse(const Words& words) {
  po::options_description all;
  all.add(options_).add_options()("files", po::value<std::vector<std::string>>());
  po::positional_options_description positions;
  positions.add("files", -1);
  // Guessing of shortened names is off: a misspelt flag must not be taken for another one.
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    po::store(po::command_line_parser(words).options(all).positional(positions).style(style).run(), given_);
  } catch (const po::error& error) {
    throw UsageError(std::string(error.what()) + "; `advise " + usage_.substr(0, usage_.find(' ')) + " --help` lists the options");
  }
  if (has("help")) return print_help(), false;
  for (const auto& [name, value] : given_) {
    if (const auto* text = boost::any_cast<std::string>(&value.value()); text && is_option(*text)) {
      throw UsageError("--" + name + " needs a value, found the next option '" + *text + "'");
    }
  }
  files_ = texts("files");
  return true;
}

std::vector<std::string> CommandLine::take_last_words(std::size_t count) {
  const auto first = files_.end() - static_cast<std::ptrdiff_t>(count);
  std::vector<std::string> words(first, files_.end());
  files_.erase(first, files_.end());
  return words;
}

std::string CommandLine::text(const std::string& name, const std::string& otherwise) const {
  return has(name) ? given_[name].as<std::string>() : otherwise;
}

std::vector<std::string> CommandLine::texts(const std::string& name) const {
  return has(name) ? given_[name].as<std::vector<std::string>>() : std::vector<std::string>{};
}

namespace {

std::string plain(double value) {
  char text[32] = "";
  const auto written = std::to_chars(std::begin(text), std::end(text) - 1, value, std::chars_format::fixed);
  return std::string(text, written.ptr);
}

}  // namespace

double CommandLine::number(const std::string& name, double otherwise, double least, double most) const {
  if (!has(name)) return otherwise;
  const std::string word = text(name);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = error == std::errc{} && end == word.data() + word.size() && std::isfinite(value);
  if (whole && value >= least && value <= most) return value;
  throw UsageError("--" + name + ": expected a number from " + plain(least) + " to " + plain(most) + ", found '" + word + "'");
}

std::size_t CommandLine::count(const std::string& name, std::size_t otherwise, std::size_t most) const {
  const double value = number(name, static_cast<double>(otherwise), 1, static_cast<double>(most));
  if (value == std::floor(value)) return static_cast<std::size_t>(value);
  throw UsageError("--" + name + ": expected a whole number, found '" + text(name) + "'");
}

double CommandLine::timeout_s() const { return number("timeout", 0, 0, 1e9); }

std::optional<steelyard::Date> CommandLine::date(const std::string& name) const {
  if (!has(name)) return std::nullopt;
  if (const auto date = steelyard::parse_date(text(name))) return date;
  throw UsageError("--" + name + ": expected a date such as 2026-11-30, found '" + text(name) + "'");
}

std::string CommandLine::format(const std::vector<std::string>& allowed) const {
  std::string word = text("format", "text");
  if (std::find(allowed.begin(), allowed.end(), word) != allowed.end()) return word;
  std::string list;
  for (const std::string& one : allowed) list += (list.empty() ? "" : ", ") + one;
  throw UsageError("--format: expected one of " + list + "; found '" + word + "'");
}

void CommandLine::print_help() const {
  std::ostringstream text;
  text << "usage: advise " << usage_ << "\n\n" << about_ << "\n\n" << options_;
  if (!examples_.empty()) text << "\nExamples:\n";
  for (const std::string& example : examples_) text << "  " << example << "\n";
  write_output("", text.str());
}

}  // namespace advise

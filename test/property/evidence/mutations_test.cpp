// What launchers, terminals and mail put around an output changes neither its facts nor its class.
#include <functional>
#include <steelyard/evidence.hpp>

#include "core/text.hpp"
#include "support/catch.hpp"
#include "support/samples.hpp"

using namespace steelyard;

namespace {

using Mutation = std::function<std::string(const std::string&)>;

std::string each_line(const std::string& text, const std::function<std::string(const std::string&, std::size_t)>& change) {
  std::string result;
  std::size_t number = 0;
  std::vector<std::string> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (const std::string& line : lines) result += change(line, number++) + "\n";
  return result;
}

Mutation before_lines(const std::string& prefix) {
  return [prefix](const std::string& text) { return each_line(text, [&](const std::string& line, std::size_t) { return prefix + line; }); };
}

std::string with_line_end(const std::string& text, const std::string& end) {
  std::string result;
  for (const char c : text) result += c == '\n' ? end : std::string(1, c);
  return result;
}

/// Eight blanks at the start of a line as a tab, and tabs as blanks up to the next stop.
std::string tabs_for_indentation(const std::string& text) {
  return each_line(text, [](const std::string& line, std::size_t) {
    std::size_t blanks = 0;
    while (blanks < line.size() && line[blanks] == ' ') ++blanks;
    return std::string(blanks / 8, '\t') + line.substr(blanks / 8 * 8);
  });
}

std::string blanks_for_tabs(const std::string& text) {
  return each_line(text, [](const std::string& line, std::size_t) {
    std::string wide;
    for (const char c : line) {
      if (c == '\t')
        wide += std::string(8 - wide.size() % 8, ' ');
      else
        wide += c;
    }
    return wide;
  });
}

std::string coloured(const std::string& text) {
  return each_line(text, [](const std::string& line, std::size_t number) { return number % 2 == 0 ? "\x1b[1;32m" + line + "\x1b[0m" : line; });
}

/// A host in front of fewer than three lines may as well be a device.
std::string hosts(const std::string& text) {
  std::size_t filled = 0;
  for (const std::string& line : split(text, '\n')) filled += line.find_first_not_of(" \t\r") != std::string::npos;
  return filled < 3 ? text : before_lines("node-7: ")(text);
}

std::string html(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return result;
}

const std::vector<std::pair<std::string, Mutation>>& mutations() {
  static const std::vector<std::pair<std::string, Mutation>> all{
      {"mpirun tags", before_lines("[1,0]<stdout>:")},
      {"mpirun tags of another rank", before_lines("[1,13]<stdout>:")},
      {"srun labels", before_lines("0: ")},
      {"srun labels, aligned", before_lines(" 3: ")},
      {"quote marks", before_lines("> ")},
      {"two quote marks", before_lines("> > ")},
      {"time stamps", before_lines("2026-02-03T10:11:12.123Z ")},
      {"time stamps and level", before_lines("2026-02-03 10:11:12,123 INFO ")},
      {"torchrun tags", before_lines("[rank0]: ")},
      {"torchrun tags of a local rank", before_lines("[default3]:")},
      {"the journal", before_lines("Mar  4 10:11:12 node-7 check[2334]: ")},
      {"hosts of a parallel shell", hosts},
      {"line numbers",
       [](const std::string& text) {
         return each_line(text, [](const std::string& line, std::size_t number) { return "   " + std::to_string(number + 1) + "\t" + line; });
       }},
      {"HTML", html},
      {"Ray workers", before_lines("(worker pid=712, ip=10.0.0.4) ")},
      {"CRLF", [](const std::string& text) { return with_line_end(text, "\r\n"); }},
      {"tabs for blanks", tabs_for_indentation},
      {"blanks for tabs", blanks_for_tabs},
      {"colours", coloured},
      {"byte order mark", [](const std::string& text) { return "\xef\xbb\xbf" + text; }},
      {"a prompt before", [](const std::string& text) { return "user@box-1:~$ cat out.txt\n" + text; }},
      {"a prompt behind", [](const std::string& text) { return text + "\nuser@box-1:~$ \n"; }},
      {"a code fence around", [](const std::string& text) { return "```\n" + text + "\n```\n"; }},
      {"no line end at the end", [](const std::string& text) { return text.substr(0, text.find_last_not_of("\r\n") + 1); }},
  };
  return all;
}

/// Records without their places.
std::string facts_of(const std::vector<ToolRecord>& records) {
  std::string text;
  for (const ToolRecord& record : records)
    text += record.tool + "|" + record.tool_version + "|" + record.subject + "|" + (record.complete ? "whole" : "cut") + "|" + to_json(record.facts) +
            "\n";
  return text;
}

bool quoted_or_tagged(const test::Sample& sample) {  // such samples carry a launcher's marks already
  return sample.text.find("]<stdout>:") != std::string::npos || sample.text.find("\n> ") != std::string::npos ||
         sample.text.find("\n0: ") != std::string::npos || sample.text.substr(0, 3) == "[0]";
}

}  // namespace

TEST_CASE("launchers, terminals and mail change neither facts nor class") {
  const Evidence evidence = Evidence::embedded();
  for (const test::Sample& sample : test::all_samples()) {
    if (quoted_or_tagged(sample)) continue;
    const PasteReading plain = evidence.read(sample.text);
    for (const auto& [name, mutate] : mutations()) {
      INFO(sample.name << ": " << name);
      const PasteReading changed = evidence.read(mutate(sample.text));
      CHECK(facts_of(changed.records) == facts_of(plain.records));
      CHECK(changed.verdict.verdict_class == plain.verdict.verdict_class);
    }
  }
}

TEST_CASE("old line ends lose the numbers of lines, not the facts") {
  const Evidence evidence = Evidence::embedded();
  for (const test::Sample& sample : test::own_samples()) {
    INFO(sample.name);
    if (sample.text.find('\r') != std::string::npos || sample.name.find(".json") != std::string::npos) continue;
    CHECK(facts_of(evidence.read(with_line_end(sample.text, "\r")).records) == facts_of(evidence.read(sample.text).records));
  }
}

TEST_CASE("a decimal comma is a decimal point in tables of numbers") {
  const auto with_commas = [](const std::string& text) {
    return each_line(text, [](const std::string& line, std::size_t) {
      const std::size_t first = line.find_first_not_of(' ');
      const bool row = first != std::string::npos && line[first] >= '0' && line[first] <= '9';
      std::string changed = line;
      for (std::size_t at = 1; row && at + 1 < changed.size(); ++at) {
        if (changed[at] == '.' && std::isdigit(static_cast<unsigned char>(changed[at - 1])) &&
            std::isdigit(static_cast<unsigned char>(changed[at + 1])))
          changed[at] = ',';
      }
      return changed;
    });
  };
  for (const test::Sample& sample : test::own_samples()) {
    const bool table = sample.name.rfind("nccl_all", 0) == 0 || sample.name.rfind("ib_", 0) == 0 || sample.name.rfind("rccl", 0) == 0 ||
                       sample.name.rfind("osu_", 0) == 0;
    if (!table) continue;
    INFO(sample.name);
    CHECK(facts_of(read_tool_output(with_commas(sample.text))) == facts_of(read_tool_output(sample.text)));
  }
}

TEST_CASE("two tools in one paste say what each says alone, and the worse one decides") {
  const Evidence evidence = Evidence::embedded();
  const std::vector<test::Sample> samples = test::own_samples();
  const auto tool_of = [&](const test::Sample& sample) {
    const auto records = read_tool_output(sample.text);
    return records.empty() ? std::string() : records.front().tool;
  };
  for (std::size_t at = 0; at < samples.size(); ++at) {
    const test::Sample& one = samples[at];
    for (const std::size_t step : {std::size_t{1}, std::size_t{31}, std::size_t{67}}) {
      const test::Sample& other = samples[(at + step) % samples.size()];
      if (tool_of(one) == tool_of(other) || tool_of(one).empty() || tool_of(other).empty()) continue;
      INFO(one.name << " and " << other.name);
      const PasteReading both = evidence.read(one.text + "\n$ next command\n" + other.text);
      const PasteReading first = evidence.read(one.text), second = evidence.read(other.text);
      CHECK(facts_of(both.records) == facts_of(first.records) + facts_of(second.records));
      const bool one_of_them =
          both.verdict.verdict_class == first.verdict.verdict_class || both.verdict.verdict_class == second.verdict.verdict_class;
      CHECK(one_of_them);
      if (both.verdict.verdict_class == "healthy") CHECK((first.verdict.verdict_class == "healthy" || first.verdict.verdict_class == "info"));
    }
  }
}

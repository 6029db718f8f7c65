// OSU micro-benchmarks. "MB/s" are 1e6 bytes/s.
#include <algorithm>

#include "core/text.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

struct Row {
  std::int64_t bytes;
  double value;
};

struct Test {
  std::string version, subject, send, receive;
  std::vector<Row> rows;
  std::size_t most_words = 2, least_words = 0;  // of a row, by the heading
  bool ended = false;                           // a line of another kind followed the rows
  bool heading = false, columns = false, cut = false, bandwidth = false;
  int first = 0, last = 0;
};

/// "OSU MPI-CUDA Bi-Directional Bandwidth Test" → bibw; "OSU MPI Allreduce Latency Test" → allreduce.
std::string subject_of(std::string_view title) {
  const std::string key = name_key(title);
  const auto has = [&](std::string_view part) { return contains(key, part); };
  static constexpr std::pair<std::string_view, std::string_view> names[] = {{"bidirectional", "bibw"},
                                                                            {"multiplebandwidth", "mbw_mr"},
                                                                            {"multithreadedlatency", "latency_mt"},
                                                                            {"multilatency", "multi_lat"},
                                                                            {"multiprocesslatency", "latency_mp"},
                                                                            {"allreduce", "allreduce"},
                                                                            {"allgather", "allgather"},
                                                                            {"alltoall", "alltoall"},
                                                                            {"reducescatter", "reduce_scatter"},
                                                                            {"broadcast", "bcast"},
                                                                            {"barrier", "barrier"},
                                                                            {"gather", "gather"},
                                                                            {"scatter", "scatter"},
                                                                            {"reduce", "reduce"},
                                                                            {"putlatency", "put_latency"},
                                                                            {"getlatency", "get_latency"},
                                                                            {"putbandwidth", "put_bw"},
                                                                            {"getbandwidth", "get_bw"},
                                                                            {"bandwidth", "bw"},
                                                                            {"latency", "latency"}};
  for (const auto& [part, name] : names) {
    if (has(part)) return std::string(name);
  }
  return {};
}

std::string buffer_of(std::string_view word) {
  if (starts_with(word, "DEVICE") || word == "D") return "device";
  return starts_with(word, "HOST") || word == "H" ? "host" : "";
}

/// "osu_latency ... D D": buffers as the command line asks for them.
void read_command(std::string_view text, Test& test) {
  const std::vector<std::string_view> word = words(text);
  if (word.size() < 3 || !contains(text, "osu_")) return;
  const std::string send = word[word.size() - 2].size() == 1 ? buffer_of(word[word.size() - 2]) : "";
  const std::string receive = word.back().size() == 1 ? buffer_of(word.back()) : "";
  if (!send.empty() && !receive.empty()) test.send = send, test.receive = receive;
}

bool read_comment(std::string_view text, Test& test) {
  if (contains(text, "Send Buffer on ")) {
    test.send = buffer_of(word_after(text, "Send Buffer on ").value_or(""));
    test.receive = buffer_of(word_after(text, "Receive Buffer on ").value_or(""));
  } else if (contains(text, "# Size")) {
    test.columns = true;
    test.most_words = std::max<std::size_t>(2, words(text).size() - 2);  // "#" and the unit are words of their own
    test.bandwidth = contains(text, "Bandwidth") || contains(text, "MB/s");
  }
  return starts_with(text, "#");
}

bool read_row(std::string_view text, Test& test) {
  const std::vector<std::string_view> word = words(text);
  const auto bytes = word.empty() ? std::nullopt : integer(word[0]);
  if (!test.columns || !bytes || test.ended) return false;
  // "-f" of a collective adds minimum, maximum and iterations, which some versions leave out of the heading.
  const bool full = test.rows.empty() && !test.bandwidth && word.size() > test.most_words && word.size() <= 5;
  if (full && std::all_of(word.begin(), word.end(), [](std::string_view one) { return number(one).has_value(); }))
    test.most_words = test.least_words = word.size();
  if (word.size() < test.least_words && word.size() > 1) return test.cut = true;
  const auto value = word.size() < 2 || !has_decimals(word[1], 2) ? std::nullopt : number(word[1]);
  if (word.size() <= test.most_words && !value) return test.cut = true;
  const bool descends = !test.rows.empty() && *bytes <= test.rows.back().bytes;
  if (word.size() > test.most_words || descends) {
    test.ended = true;  // a row of another tool
    return false;
  }
  test.rows.push_back({*bytes, *value});
  return true;
}

void describe_bandwidth(const Test& test, Value& facts) {
  const auto best = std::max_element(test.rows.begin(), test.rows.end(), [](const Row& a, const Row& b) { return a.value < b.value; });
  if (best == test.rows.end()) return;
  facts["bandwidth_gb_per_s"] = best->value / 1000;
  facts["bandwidth_at_bytes"] = best->bytes;
}

void describe_latency(const Test& test, Value& facts) {
  const Row* least = nullptr;
  const Row* largest = nullptr;
  for (const Row& row : test.rows) {
    if (row.bytes >= 1 && (least == nullptr || row.bytes < least->bytes)) least = &row;
    if (largest == nullptr || row.bytes > largest->bytes) largest = &row;
  }
  if (least == nullptr) return;
  facts["latency_us"] = least->value;
  facts["latency_at_bytes"] = least->bytes;
  facts["largest_bytes"] = largest->bytes;
  facts["largest_us"] = largest->value;
  Value outliers = Value::list();
  for (std::size_t at = 1; at + 1 < test.rows.size(); ++at) {
    const double value = test.rows[at].value;
    if (value > 10 * test.rows[at - 1].value && value > 10 * test.rows[at + 1].value) outliers.push_back(test.rows[at].bytes);
  }
  if (!outliers.as_list().empty()) facts["outlier_bytes"] = std::move(outliers);
}

ToolRecord record_of(const Test& test, const Paste& paste) {
  ToolRecord record;
  record.tool = "osu";
  record.tool_version = test.version;
  record.subject = test.subject;
  record.facts["rows"] = test.rows.size();
  if (test.bandwidth)
    describe_bandwidth(test, record.facts);
  else
    describe_latency(test, record.facts);
  set_text(record.facts, "send_buffer", test.send);
  set_text(record.facts, "receive_buffer", test.receive);
  record.first_line = test.first;
  record.last_line = test.last;
  record.complete = test.heading && test.columns && !test.cut && !test.rows.empty() && !paste.elided_between(test.first, test.last + 1);
  return record;
}

}  // namespace

Records read_osu(const Paste& paste) {
  Records records;
  Test test, command;
  const auto close = [&] {
    if (test.heading) records.push_back(record_of(test, paste));
    test = {};
  };
  for (const Line& line : paste.lines) {
    const std::string_view text = trim(line.text);
    if (!starts_with(text, "#")) read_command(text, command);
    if (starts_with(text, "# OSU ") && contains(text, " Test")) {
      close();
      test.heading = true;
      test.subject = subject_of(before(text, " Test"));
      test.version = word_after(text, " Test v").value_or("");
      test.send = command.send;
      test.receive = command.receive;
      command = {};
    } else if (!test.heading || (!read_comment(text, test) && !read_row(text, test))) {
      continue;
    }
    if (test.first == 0) test.first = line.number;
    test.last = line.number;
  }
  close();
  return records;
}

}  // namespace steelyard::evidence

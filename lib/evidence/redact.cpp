#include "evidence/redact.hpp"

#include <algorithm>
#include <optional>
#include <steelyard/evidence.hpp>

#include "core/text.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

constexpr const char* host_names = "host names";
constexpr const char* user_names = "user names";

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool hex(char c) { return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool name_character(char c) { return digit(c) || letter(c) || c == '-' || c == '_' || c == '.'; }
/// Addresses, GUIDs and UUIDs are made of these.
bool address_character(char c) { return digit(c) || letter(c) || c == ':' || c == '.' || c == '-'; }

bool all_hex(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), hex); }

std::string_view name_at(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && name_character(text[end])) ++end;
  while (end > 0 && text[end - 1] == '.') --end;
  return text.substr(0, end);
}

/// The name that ends where `text` ends.
std::string_view name_before(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && name_character(text[begin - 1])) --begin;
  return text.substr(begin);
}

/// "host:pid:tid [0] NCCL INFO"
std::string_view nccl_host(std::string_view line) {
  const std::size_t mark = std::min(line.find("] NCCL "), line.find("NCCL "));
  if (mark == std::string_view::npos) return {};
  for (const std::string_view word : words(line.substr(0, mark))) {
    const std::size_t colon = word.find(':');
    if (colon != std::string_view::npos && colon + 1 < word.size() && digit(word[colon + 1]) && word.find(':', colon + 1) != std::string_view::npos)
      return word.substr(0, colon);
  }
  return {};
}

bool month(std::string_view word) {
  static constexpr std::string_view names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return std::find(std::begin(names), std::end(names), word) != std::end(names);
}

/// "Aug 17 00:00:24 node-a systemd[1]: ..." and "2026-08-17T00:00:24+0000 node-a kernel: ..."
std::string_view syslog_host(std::string_view line) {
  const std::vector<std::string_view> word = words(line.substr(0, 200));
  const auto process = [&](std::size_t at) { return at < word.size() && ends_with(word[at], ":"); };
  if (word.size() > 4 && month(word[0]) && integer(word[1]) && contains(word[2], ":") && process(4)) return word[3];
  if (word.size() > 2 && word[0].size() >= 19 && word[0][4] == '-' && contains(word[0], "T") && process(2)) return word[1];
  return {};
}

/// Position of the colon-separated group lengths: "0200:0000:00aa:0001" → {4,4,4,4}; empty where a group is not hexadecimal.
std::vector<std::size_t> hex_groups(std::string_view text) {
  std::vector<std::size_t> lengths;
  for (const std::string& group : split(text, ':')) {
    if (!group.empty() && !all_hex(group)) return {};
    lengths.push_back(group.size());
  }
  return lengths;
}

const char* colon_kind(std::string_view text) {
  const std::vector<std::size_t> groups = hex_groups(text);
  const auto all = [&](std::size_t length) { return std::all_of(groups.begin(), groups.end(), [&](std::size_t size) { return size == length; }); };
  if (groups.size() >= 6 && groups.size() <= 8 && all(2)) return "MAC addresses";
  if (groups.size() >= 12) return "GIDs";  // perftest prints 16 bytes, some of them decimal
  if (groups.size() == 8 && all(4)) return "GIDs";
  if (groups.size() == 4 && all(4)) return "GUIDs";
  const bool gap = contains(text, "::") && groups.size() >= 3 && std::any_of(groups.begin(), groups.end(), [](std::size_t size) { return size > 0; });
  return gap || groups.size() == 8 ? "IP addresses" : nullptr;
}

/// 8-4-4-4-12, also cut short after the second group.
bool uuid(std::string_view text) {
  const std::vector<std::string> groups = split(text, '-');
  if (groups.size() < 2 || groups[0].size() != 8 || !all_hex(groups[0])) return false;
  return groups.size() <= 5 &&
         std::all_of(groups.begin() + 1, groups.end() - 1, [](const std::string& group) { return group.size() == 4 && all_hex(group); }) &&
         (groups.size() == 5 || groups.back().size() <= 4) && (groups.back().empty() || all_hex(groups.back()));
}

/// Length of an IPv4 address at the start, 0 where there is none.
std::size_t ipv4_length(std::string_view text) {
  std::size_t at = 0;
  for (int part = 0; part < 4; ++part) {
    std::size_t digits = 0;
    while (at + digits < text.size() && digit(text[at + digits])) ++digits;
    if (digits == 0 || digits > 3 || (part < 3 && (at + digits >= text.size() || text[at + digits] != '.'))) return 0;
    at += digits + (part < 3 ? 1 : 0);
  }
  return at < text.size() && (text[at] == '.' && at + 1 < text.size() && digit(text[at + 1])) ? 0 : at;
}

std::string tag(const std::string& kind) {
  if (kind == host_names) return "<host>";
  if (kind == user_names) return "<user>";
  if (kind == "IP addresses") return "<address>";
  if (kind == "MAC addresses") return "<mac>";
  if (kind == "GUIDs") return "<guid>";
  if (kind == "GIDs") return "<gid>";
  if (kind == "UUIDs") return "<uuid>";
  return kind == "serial numbers" ? "<serial>" : "<value>";
}

}  // namespace

Redactor::Redactor(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    learn_line(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
}

void Redactor::learn(std::string_view name, const char* kind) {
  static const std::set<std::string> common{"localhost", "hostname", "host", "node", "server", "client", "root",   "gpu",    "nccl", "info",
                                            "warn",      "none",     "n/a",  "on",   "off",    "device", "ubuntu", "debian", "linux"};
  const std::string key = to_lower(trim(name));
  if (key.size() < 2 || common.count(key) > 0 || key.find_first_not_of("0123456789.") == std::string::npos) return;
  names_.emplace(key, kind);
  longest_ = std::max(longest_, key.size());
}

void Redactor::learn_line(std::string_view line) {
  learn(nccl_host(line), host_names);
  learn(syslog_host(line), host_names);
  if (contains(line, "Rank") && contains(line, " Pid ")) learn(word_after(line, " on ").value_or(""), host_names);
  for (std::size_t at = line.find('@'); at != std::string_view::npos; at = line.find('@', at + 1)) {
    learn(name_before(line.substr(0, at)), user_names);
    learn(name_at(line.substr(at + 1)), host_names);
  }
  for (const std::string_view mark : {"\"hostname\":", "Local host:", "Hostname:", "hostname:", "Host:", "Nodename:", "nodename:", "Remote host:"}) {
    std::string_view value = after(line, mark).value_or("");
    if (starts_with(value, "\"")) value.remove_prefix(1);
    learn(name_at(value), host_names);
  }
  const std::string_view text = trim(line);
  const std::string_view first = name_at(text);
  for (const std::string_view mark : {": Test CUDA failure", ": Test NCCL failure", ": Test failure", "$ ib_", "# ib_", "> ib_", "$ nvidia", "$ osu",
                                      "$ mpirun", "$ srun", "$ ./"}) {
    if (!first.empty() && starts_with(text.substr(first.size()), mark)) learn(first, host_names);
  }
  for (const std::string_view tool : {"ib_write_", "ib_read_", "ib_send_", "ib_atomic_", "rping ", "ibping "}) {
    const std::vector<std::string_view> word = contains(line, tool) ? words(text) : std::vector<std::string_view>{};
    if (word.size() > 1 && word.back()[0] != '-' && letter(word.back()[0]) && !contains(word.back(), tool) && !starts_with(word.back(), "mlx") &&
        word[word.size() - 2] != "-d")
      learn(word.back(), host_names);
  }
  if (starts_with(text, "CA: ") && contains(text, " HCA-")) learn(before(text.substr(4), " HCA-"), host_names);
  if (contains(text, "==(")) {
    const std::string_view peer = before(after(text, "\"").value_or(""), "\"");
    learn(contains(peer, ";") ? before(after(peer, ";").value_or(""), ":") : before(peer, " HCA-"), host_names);
  }
  for (const std::string_view mark : {"Serial Number", "serial number", "Serial:"}) {
    const auto value = after(line, mark);
    if (const std::string_view serial = value ? name_at(trim(after(*value, ":").value_or(""))) : ""; serial.size() >= 6) {
      names_.emplace(to_lower(serial), "serial numbers");
      longest_ = std::max(longest_, serial.size());
    }
  }
  const std::size_t equal = text.find('=');
  std::string_view key = text.substr(0, equal == std::string_view::npos ? 0 : equal);
  if (starts_with(key, "\"")) key.remove_prefix(1);
  if (starts_with(key, "export ")) key.remove_prefix(7);
  const bool variable = key.size() >= 3 && key.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string_view::npos;
  if (!variable || starts_with(key, "NCCL_") || starts_with(key, "CUDA_")) return;
  std::string_view value = trim(text.substr(equal + 1));
  value = before(before(value, "\""), ",");
  if (value.size() >= 3 && values_.size() < 1000) values_.insert(std::string(value));
}

std::string Redactor::without_patterns(std::string_view text) {
  std::string result;
  std::size_t at = 0;
  const auto replace = [&](std::size_t length, const char* kind) {
    kinds_.insert(kind);
    result += tag(kind);
    at += length;
  };
  while (at < text.size()) {
    const bool starts = at == 0 || !address_character(text[at - 1]);
    if (digit(text[at]) && (at == 0 || (!digit(text[at - 1]) && text[at - 1] != '.'))) {
      if (const std::size_t length = ipv4_length(text.substr(at)); length > 0) {
        replace(length, "IP addresses");
        continue;
      }
    }
    if (!starts || !address_character(text[at])) {
      result.push_back(text[at++]);
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && address_character(text[end])) ++end;
    std::string_view atom = text.substr(at, end - at);
    while (!atom.empty() && (atom.back() == '.' || (atom.back() == ':' && !ends_with(atom, "::")))) atom.remove_suffix(1);
    // NCCL writes the address of the other side without a blank behind this word.
    if (constexpr std::string_view word = "remoteGids"; starts_with(atom, word) && colon_kind(atom.substr(word.size())) != nullptr) {
      result += word;
      at += word.size();
      atom.remove_prefix(word.size());
    }
    const std::string_view bare = starts_with(atom, "GPU-") || starts_with(atom, "MIG-") ? atom.substr(4) : atom;
    if (starts_with(atom, "0x") && atom.size() >= 18 && all_hex(atom.substr(2)))
      replace(atom.size(), "GUIDs");
    else if (uuid(bare))
      replace(atom.size(), "UUIDs");
    else if (const char* kind = contains(atom, ":") ? colon_kind(atom) : nullptr)
      replace(atom.size(), kind);
    else
      result.push_back(text[at++]);
  }
  return result;
}

/// The longest learned name that begins here and ends at the end of a word; empty where there is none.
std::string_view Redactor::name_that_begins(std::string_view lower) const {
  std::string_view run = lower.substr(0, std::min(name_at(lower).size(), longest_));
  while (!run.empty()) {
    const bool ends = run.size() == lower.size() || !(digit(lower[run.size()]) || letter(lower[run.size()]));
    if (ends && names_.count(std::string(run)) > 0) return run;
    run.remove_suffix(1);
  }
  return {};
}

std::string Redactor::without_names(std::string_view text) {
  const std::string lower = to_lower(text);
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool inside = at > 0 && (digit(text[at - 1]) || letter(text[at - 1]));
    const std::string_view name = inside ? std::string_view{} : name_that_begins(std::string_view(lower).substr(at));
    if (name.empty()) {
      result.push_back(text[at++]);
      continue;
    }
    const std::string& kind = names_.at(std::string(name));
    kinds_.insert(kind);
    result += tag(kind);
    at += name.size();
  }
  return result;
}

/// Values of the environment may hold any character: they are looked for as they are.
std::string Redactor::without_values(std::string text) {
  for (const std::string& value : values_) {
    for (std::size_t at = text.find(value); at != std::string::npos; at = text.find(value, at + 7)) {
      text.replace(at, value.size(), "<value>");
      kinds_.insert("environment");
    }
  }
  return text;
}

std::string Redactor::apply(std::string_view text) { return without_names(without_patterns(without_values(std::string(text)))); }

}  // namespace steelyard::evidence

namespace steelyard {

Redaction redact(std::string_view text) {
  evidence::Redactor redactor(text);
  Redaction result;
  result.text = redactor.apply(text);
  result.kinds.assign(redactor.kinds().begin(), redactor.kinds().end());
  return result;
}

}  // namespace steelyard

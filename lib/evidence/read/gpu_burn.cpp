// gpu-burn: its exit code and its "OK" lie, so only Gflop/s of real work, error counters and the final table count.
#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

struct Burn {
  std::int64_t listed = 0, ok = 0, faulty = 0, died = 0, tested = 0, last_died = 0;
  std::string name;
  std::vector<double> gflops;          // of the last progress line with work
  std::optional<std::int64_t> errors;  // of the last progress line
  std::optional<double> max_temperature_c;
  bool table = false, progress = false, gpu_named = false, warned = false, init_failed = false;
  std::optional<double> seconds, percent;
  bool doubles = false, tensor_cores = false, initialised = false;
  std::optional<double> matrix_bytes;
  int first = 0, last = 0;
};

/// Numbers in front of `unit` between `from` and the end: "(7150 Gflop/s)".
std::vector<double> work(std::string_view text) {
  std::vector<double> found;
  for (std::size_t at = text.find('('); at != std::string_view::npos; at = text.find('(', at + 1)) {
    const std::string_view inside = before(text.substr(at + 1), ")");
    if (ends_with(inside, " Gflop/s")) found.push_back(leading_number(inside).value_or(0));
  }
  return found;
}

/// "errors: 0 - 12 (WARNING!)- 0": sum, died GPUs, and whether a counter is garbage: a process died and its memory is read, or so many results
/// were wrong that the counter overflowed.
void read_errors(std::string_view text, Burn& burn) {
  std::int64_t sum = 0, died = 0;
  bool garbage = false;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find("- ", at), text.size());
    const std::string_view item = text.substr(at, end - at);
    if (contains(item, "DIED"))
      ++died;
    else
      sum += std::max<std::int64_t>(0, leading_integer(item).value_or(0));
    garbage = garbage || starts_with(trim(item), "-");
    burn.warned = burn.warned || contains(item, "WARNING");
    at = end + 2;
  }
  burn.last_died = died;
  burn.died = std::max(burn.died, died);
  burn.errors = died > 0 || garbage ? std::nullopt : std::optional(sum);
}

void read_temperatures(std::string_view text, Burn& burn) {
  const std::vector<std::string_view> word = words(text);
  for (std::size_t at = 0; at + 1 < word.size(); ++at) {
    const std::optional<double> value = word[at + 1] == "C" ? number(word[at]) : std::nullopt;
    if (value && *value < 200) burn.max_temperature_c = std::max(burn.max_temperature_c.value_or(*value), *value);
  }
}

/// "100.0%  proc'd: 6783 (16942 Gflop/s) - ...   errors: 0 - ...   temps: 62 C - ..."
bool read_progress(std::string_view text, Burn& burn) {
  if (!contains(text, "proc'd:") || !contains(text, "%")) return false;
  const std::string_view done = before(after(text, "proc'd:").value_or(""), "errors:");
  burn.progress = true;
  burn.percent = leading_number(text);
  std::vector<double> rates = work(done);
  if (std::any_of(rates.begin(), rates.end(), [](double rate) { return rate > 0; })) burn.gflops = std::move(rates);
  if (contains(text, "errors:") && contains(text, "temps:")) {
    read_errors(before(after(text, "errors:").value_or(""), "temps:"), burn);
    read_temperatures(after(text, "temps:").value_or(""), burn);
  }
  return true;
}

bool read_result(std::string_view text, Burn& burn) {
  if (starts_with(text, "Tested ") && contains(text, "GPU")) {
    burn.table = true;
    burn.tested = integer_after(text, "Tested ").value_or(0);
    return true;
  }
  if (!starts_with(text, "GPU ") || !integer_after(text, "GPU ")) return false;
  const std::string_view value = after(text, ": ").value_or("");
  if (burn.table && value == "OK") return ++burn.ok, true;
  if (burn.table && starts_with(value, "FAULTY")) return ++burn.faulty, true;
  if (!contains(text, "(UUID")) return false;
  ++burn.listed;
  if (burn.name.empty()) burn.name = trim(before(value, "(UUID"));
  return burn.gpu_named = true;
}

bool read_line(std::string_view text, Burn& burn, bool& known) {
  if (read_progress(text, burn)) return known = true;
  if (contains(text, "Initialized device ")) {
    burn.initialised = true;
    burn.doubles = contains(text, "DOUBLES");
    burn.tensor_cores = contains(text, "Tensor Cores");
    return known = true;
  }
  if (const auto bytes = starts_with(text, "Results are ") ? number_after(text, "Results are ") : std::nullopt)
    return burn.matrix_bytes = *bytes, true;
  if (contains(text, "Couldn't init a GPU test")) return burn.init_failed = known = true;
  if (const auto seconds = number_after(text, "Burning for ")) return burn.seconds = *seconds, known = true;
  // A list of GPUs above lines of links was that of `nvidia-smi nvlink`.
  const bool of_nvlink = (starts_with(text, "Link ") && integer_after(text, "Link ")) || contains_ci(text, "links are inactive");
  if (of_nvlink && !known) burn = {};
  if (!read_result(text, burn)) return false;
  known = known || burn.table;
  return true;
}

/// Format of the products, and rows of the square matrices ("Results are N bytes each" is one of them).
void set_product(const Burn& burn, Value& facts) {
  if (!burn.initialised || !burn.matrix_bytes) return;
  facts["format"] = burn.doubles ? "fp64" : burn.tensor_cores ? "tf32" : "fp32";
  facts["matrix_rows"] = static_cast<std::int64_t>(std::lround(std::sqrt(std::min(*burn.matrix_bytes, 1e15) / (burn.doubles ? 8 : 4))));
}

Value facts_of(const Burn& burn) {
  Value facts = Value::map();
  const std::int64_t gpus = burn.listed > 0 ? burn.listed : burn.tested;
  if (gpus > 0) facts["gpus"] = gpus;
  set_text(facts, "gpu", burn.name);
  if (burn.table) facts["ok"] = burn.ok, facts["faulty"] = burn.faulty;
  facts["died"] = burn.died;
  const std::int64_t working = std::count_if(burn.gflops.begin(), burn.gflops.end(), [](double rate) { return rate > 0; });
  if (burn.progress) facts["gpus_with_work"] = working;
  if (working > 0) {
    facts["min_gflops"] = *std::min_element(burn.gflops.begin(), burn.gflops.end());
    facts["max_gflops"] = *std::max_element(burn.gflops.begin(), burn.gflops.end());
  }
  set(facts, "errors", burn.errors);
  set(facts, "max_temperature_c", burn.max_temperature_c);
  facts["final_table"] = burn.table && burn.ok + burn.faulty > 0 && (burn.tested == 0 || burn.ok + burn.faulty >= burn.tested);
  if (burn.init_failed) facts["init_failed"] = true;
  if (burn.warned) facts["warned"] = true;
  set_product(burn, facts);
  set(facts, "duration_s", burn.seconds);
  set(facts, "percent_done", burn.percent);
  return facts;
}

}  // namespace

Records read_gpu_burn(const Paste& paste) {
  Burn burn;
  bool known = false;
  for (const Line& line : paste.lines) {
    if (!read_line(trim(line.text), burn, known)) continue;
    if (burn.first == 0) burn.first = line.number;
    burn.last = line.number;
  }
  if (!known) return {};
  ToolRecord record;
  record.tool = "gpu-burn";
  record.subject = "burn_in";
  record.facts = facts_of(burn);
  record.first_line = burn.first;
  record.last_line = burn.last;
  record.complete = burn.gpu_named && burn.progress && record.facts.find("final_table")->as_bool() && !paste.elided_between(burn.first, burn.last);
  return {record};
}

}  // namespace steelyard::evidence

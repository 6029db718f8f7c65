// nvidia-smi topo -m (links between GPUs and adapters) and topo -p2p (peer access), with blanks, tabs or as Markdown table.
#include <algorithm>
#include <map>

#include "core/text.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

bool gpu_name(std::string_view word) { return starts_with(word, "GPU") && integer(word.substr(3)).has_value(); }

/// "NV18" → 18.
std::optional<std::int64_t> nvlinks(std::string_view kind) { return starts_with(kind, "NV") ? integer(kind.substr(2)) : std::nullopt; }

bool link_kind(std::string_view word) {
  return word == "X" || nvlinks(word) || word == "PIX" || word == "PXB" || word == "PHB" || word == "NODE" || word == "SYS" || word == "SOC" ||
         word == "C2C";
}

bool peer_status(std::string_view word) {
  return word == "X" || word == "OK" || word == "CNS" || word == "GNS" || word == "TNS" || word == "NS" || word == "DR" || word == "U";
}

std::vector<std::string> cells(std::string_view line) {
  std::string plain(line);
  std::replace(plain.begin(), plain.end(), '|', ' ');
  std::vector<std::string> found;
  for (const std::string_view word : words(plain)) found.emplace_back(word);
  return found;
}

struct Matrix {
  std::vector<std::string> columns;                                  // GPU0.. and adapters
  std::map<std::pair<std::string, std::string>, std::string> pairs;  // unordered pair of names
  std::vector<std::string> rows;
  bool peers = false, cut = false, of_pcie = false;
  std::string asked;  // letter behind -p2p
  int first = 0, last = 0;
};

/// "GPU0 GPU1 mlx5_0 CPU Affinity ...": the matrix columns end at the first word that names something else.
std::vector<std::string> heading(std::string_view line) {
  std::vector<std::string> columns = cells(line);
  if (columns.empty() || columns[0] != "GPU0") return {};
  const auto end =
      std::find_if(columns.begin(), columns.end(), [](const std::string& word) { return word == "CPU" || word == "NUMA" || word == "GPU"; });
  columns.erase(end, columns.end());
  if (columns.size() > 1 && link_kind(columns[1])) return {};  // this is the row of GPU0
  return columns;
}

bool read_row(std::string_view line, Matrix& matrix) {
  const std::vector<std::string> cell = cells(line);
  if (cell.size() < 2 || std::find(matrix.columns.begin(), matrix.columns.end(), cell[0]) == matrix.columns.end()) return false;
  std::size_t at = 0;
  while (at + 1 < cell.size() && at < matrix.columns.size()) {
    const std::string& kind = cell[at + 1];
    if (!link_kind(kind) && !peer_status(kind)) break;
    if (peer_status(kind) && kind != "X") matrix.peers = true;
    const auto pair = std::minmax(cell[0], matrix.columns[at]);
    if (kind != "X") matrix.pairs.emplace(std::pair(pair.first, pair.second), kind);
    ++at;
  }
  if (at == 0) return false;
  if (at < matrix.columns.size()) matrix.cut = true;
  matrix.rows.push_back(cell[0]);
  return true;
}

/// Rank of a link: more is better.
std::int64_t rank(const std::string& kind) {
  if (const auto links = nvlinks(kind)) return 100 + *links;
  static const std::vector<std::string> order{"SYS", "SOC", "NODE", "PHB", "PXB", "PIX"};
  return std::find(order.begin(), order.end(), kind) - order.begin();
}

Value counts(const std::map<std::string, std::int64_t>& kinds) {
  Value map = Value::map();
  for (const auto& [kind, count] : kinds) map[kind] = count;
  return map;
}

/// GPUs whose whole row shows no NVLink although others form a net of it, which is more than the pairs that bridges make.
Value off_nvlink(const Matrix& matrix, std::size_t gpus) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> links;  // pairs shown, those with NVLink
  for (const auto& [pair, kind] : matrix.pairs) {
    if (!gpu_name(pair.first) || !gpu_name(pair.second)) continue;
    for (const std::string& gpu : {pair.first, pair.second}) {
      ++links[gpu].first;
      links[gpu].second += nvlinks(kind).has_value();
    }
  }
  const bool net = std::any_of(links.begin(), links.end(), [](const auto& gpu) { return gpu.second.second > 1; });
  Value off = Value::list();
  for (std::size_t gpu = 0; net && gpu < gpus; ++gpu) {
    const auto shown = links.find("GPU" + std::to_string(gpu));
    if (shown != links.end() && shown->second.first + 1 == gpus && shown->second.second == 0) off.push_back(static_cast<std::int64_t>(gpu));
  }
  return off;
}

Value link_facts(const Matrix& matrix, std::size_t gpus) {
  Value facts = Value::map();
  std::map<std::string, std::int64_t> gpu_pairs, nic_pairs;
  std::string best, worst;
  bool nvlink = true;
  for (const auto& [pair, kind] : matrix.pairs) {
    const bool both = gpu_name(pair.first) && gpu_name(pair.second);
    if (!both && (gpu_name(pair.first) || gpu_name(pair.second))) ++nic_pairs[kind];
    if (!both) continue;
    ++gpu_pairs[kind];
    nvlink = nvlink && nvlinks(kind);
    if (best.empty() || rank(kind) > rank(best)) best = kind;
    if (worst.empty() || rank(kind) < rank(worst)) worst = kind;
  }
  std::size_t seen = 0;
  for (const auto& [kind, count] : gpu_pairs) seen += static_cast<std::size_t>(count);
  facts["gpus"] = gpus;
  facts["nics"] = matrix.columns.size() - gpus;
  facts["gpu_pairs"] = counts(gpu_pairs);
  set_text(facts, "best_gpu_link", best);
  set_text(facts, "worst_gpu_link", worst);
  const bool all_seen = seen == gpus * (gpus - 1) / 2;
  if (matrix.of_pcie) facts["of_pcie"] = true;
  if (seen > 0 && !matrix.of_pcie && (all_seen || !nvlink)) facts["all_pairs_nvlink"] = nvlink;
  if (Value off = off_nvlink(matrix, gpus); !off.as_list().empty()) facts["gpus_without_nvlink"] = std::move(off);
  if (matrix.columns.size() > gpus) facts["gpu_nic_pairs"] = counts(nic_pairs);
  return facts;
}

Value peer_facts(const Matrix& matrix, std::size_t gpus) {
  Value facts = Value::map();
  std::map<std::string, std::int64_t> status;
  for (const auto& [pair, kind] : matrix.pairs) ++status[kind];
  facts["gpus"] = gpus;
  facts["pairs"] = counts(status);
  if (!status.empty()) facts["all_ok"] = status.size() == 1 && status.begin()->first == "OK";
  return facts;
}

ToolRecord finish(const Matrix& matrix, const Paste& paste) {
  ToolRecord record;
  const auto gpus = static_cast<std::size_t>(std::count_if(matrix.columns.begin(), matrix.columns.end(), gpu_name));
  record.tool = matrix.peers ? "nvidia-smi-topo-p2p" : "nvidia-smi-topo";
  static const std::map<std::string, std::string> subjects{{"r", "read"}, {"w", "write"}, {"n", "nvlink"}, {"a", "atomics"}, {"p", "pcie"}};
  const auto asked = subjects.find(matrix.asked);
  record.subject = !matrix.peers ? "matrix" : asked == subjects.end() ? "" : asked->second;
  record.facts = matrix.peers ? peer_facts(matrix, gpus) : link_facts(matrix, gpus);
  record.first_line = matrix.first;
  record.last_line = matrix.last;
  record.complete = !matrix.cut && matrix.rows.size() == matrix.columns.size() && !paste.elided_between(matrix.first, matrix.last);
  return record;
}

}  // namespace

Records read_nvidia_smi_topo(const Paste& paste) {
  Records records;
  Matrix matrix;
  std::string asked;
  bool of_pcie = false;
  const auto close = [&] {
    if (!matrix.rows.empty()) records.push_back(finish(matrix, paste));
    matrix = {};
  };
  for (const Line& line : paste.lines) {
    if (const auto letter = word_after(line.text, "topo -p2p ")) asked = *letter;
    if (contains(line.text, "topo -m")) of_pcie = contains(line.text, "topo -mp");  // leaves NVLink out
    if (std::vector<std::string> columns = heading(line.text); !columns.empty()) {
      close();
      matrix.columns = std::move(columns);
      matrix.asked = asked;
      matrix.of_pcie = of_pcie;
      matrix.first = matrix.last = line.number;
    } else if (!matrix.columns.empty() && read_row(line.text, matrix)) {
      matrix.last = line.number;
    }
  }
  close();
  return records;
}

}  // namespace steelyard::evidence

#include "targets.hpp"

#include <algorithm>
#include <cstdlib>

#include "catalog/import/csv.hpp"
#include "evidence/read/lenient_json.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/redact.hpp"
#include "expressions.hpp"
#include "load/node.hpp"

namespace steelyard::fuzz {

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// A record names its tool and lies inside the paste; whatever it says can be written as JSON.
template <evidence::Records (*read)(const evidence::Paste&)>
void reader(std::string_view bytes) {
  const evidence::Paste paste = evidence::clean(bytes);
  const int last = paste.lines.empty() ? 0 : paste.lines.back().number;
  for (const ToolRecord& record : read(paste)) {
    require(!record.tool.empty() && record.facts.is_map());
    require(record.first_line >= 1 && record.first_line <= record.last_line && record.last_line <= last);
    require(!to_json(record.facts).empty());
  }
}

/// What was taken out once is not there to be taken out again.
void redaction(std::string_view bytes) {
  evidence::Redactor redactor(bytes);
  (void)redactor.apply(bytes);
}

void lenient_json(std::string_view bytes) {
  const evidence::LenientJson json = evidence::read_lenient_json(bytes);
  require(json.length <= bytes.size());
}

void strict_json(std::string_view bytes) {
  const Loaded<load::Document> document = load::parse_json(std::string(bytes), "fuzz.json");
  require(document.value.has_value() || !document.issues.empty());
}

void yaml(std::string_view bytes) {
  const Loaded<load::Document> document = load::parse_document(std::string(bytes), "fuzz.yaml");
  require(document.value.has_value() || !document.issues.empty());
  if (document) require(!to_json(load::to_value(document.value->root)).empty());
}

void csv(std::string_view bytes) {
  catalog::CsvReader reader(bytes);
  std::size_t records = 0;
  while (reader.next()) {
    require(++records <= bytes.size() + 1 && reader.size() > 0);
    for (std::size_t at = 0; at < reader.size(); ++at) require(reader[at].size() <= bytes.size() && reader.column(at) >= 1);
  }
}

}  // namespace

const std::vector<Target>& targets() {
  using namespace evidence;
  static const std::vector<Target> all{{"babelstream", reader<read_babelstream>},
                                       {"collect_env", reader<read_collect_env>},
                                       {"dcgmi_diag", reader<read_dcgmi_diag>},
                                       {"dcgmi_nvlink", reader<read_dcgmi_nvlink>},
                                       {"dmesg", reader<read_dmesg>},
                                       {"gpu_burn", reader<read_gpu_burn>},
                                       {"gpu_stream", reader<read_gpu_stream>},
                                       {"ib_ports", reader<read_ib_ports>},
                                       {"ibv_devinfo", reader<read_ibv_devinfo>},
                                       {"iblinkinfo", reader<read_iblinkinfo>},
                                       {"json_outputs", reader<read_json_outputs>},
                                       {"lspci", reader<read_lspci>},
                                       {"nccl_log", reader<read_nccl_log>},
                                       {"nccl_tests", reader<read_nccl_tests>},
                                       {"nvbandwidth", reader<read_nvbandwidth>},
                                       {"nvidia_smi", reader<read_nvidia_smi>},
                                       {"nvidia_smi_nvlink", reader<read_nvidia_smi_nvlink>},
                                       {"nvidia_smi_nvlink_errors", reader<read_nvidia_smi_nvlink_errors>},
                                       {"nvidia_smi_q", reader<read_nvidia_smi_q>},
                                       {"nvidia_smi_query", reader<read_nvidia_smi_query>},
                                       {"nvidia_smi_topo", reader<read_nvidia_smi_topo>},
                                       {"osu", reader<read_osu>},
                                       {"p2p_bandwidth", reader<read_p2p_bandwidth>},
                                       {"perftest", reader<read_perftest>},
                                       {"stream", reader<read_stream>},
                                       {"redaction", redaction},
                                       {"lenient_json", lenient_json},
                                       {"json", strict_json},
                                       {"yaml", yaml},
                                       {"csv", csv},
                                       {"expression", expression}};
  return all;
}

const Target* find_target(std::string_view name) {
  const auto found = std::find_if(targets().begin(), targets().end(), [&](const Target& target) { return target.name == name; });
  return found == targets().end() ? nullptr : &*found;
}

}  // namespace steelyard::fuzz

// Hands the paste to every reader and puts the records in the order of the text.
#include <algorithm>
#include <steelyard/evidence.hpp>

#include "evidence/read/readers.hpp"
#include "evidence/redact.hpp"

namespace steelyard {

namespace {

using Reader = evidence::Records (*)(const evidence::Paste&);

constexpr Reader readers[] = {evidence::read_nccl_tests,
                              evidence::read_json_outputs,
                              evidence::read_perftest,
                              evidence::read_ib_ports,
                              evidence::read_ibv_devinfo,
                              evidence::read_iblinkinfo,
                              evidence::read_nccl_log,
                              evidence::read_nvidia_smi,
                              evidence::read_nvidia_smi_q,
                              evidence::read_nvidia_smi_query,
                              evidence::read_nvidia_smi_nvlink,
                              evidence::read_nvidia_smi_nvlink_errors,
                              evidence::read_nvidia_smi_topo,
                              evidence::read_nvbandwidth,
                              evidence::read_p2p_bandwidth,
                              evidence::read_gpu_burn,
                              evidence::read_babelstream,
                              evidence::read_gpu_stream,
                              evidence::read_stream,
                              evidence::read_osu,
                              evidence::read_dcgmi_diag,
                              evidence::read_dcgmi_nvlink,
                              evidence::read_dmesg,
                              evidence::read_lspci,
                              evidence::read_collect_env};

/// Facts that hold text as somebody's machine wrote it; all others are numbers or words of the vocabulary.
void redact_texts(Value& facts, evidence::Redactor& redactor) {
  for (const char* key : {"error", "warning", "plugin"}) {
    if (facts.find(key) && facts.find(key)->is_string()) facts[key] = redactor.apply(facts.find(key)->as_string());
  }
}

}  // namespace

std::vector<ToolRecord> read_tool_output(std::string_view text) {
  const evidence::Paste paste = evidence::clean(text);
  evidence::Redactor redactor(text);
  std::vector<ToolRecord> records;
  for (const Reader read : readers) {
    for (ToolRecord& record : read(paste)) {
      redact_texts(record.facts, redactor);
      records.push_back(std::move(record));
    }
  }
  std::stable_sort(records.begin(), records.end(), [](const ToolRecord& a, const ToolRecord& b) { return a.first_line < b.first_line; });
  return records;
}

}  // namespace steelyard

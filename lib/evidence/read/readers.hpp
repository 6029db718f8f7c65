// One reader a tool: each looks for its own marks in the whole paste and returns a record for each subject it finds.
// Readers are pure, never throw and never guess; what a cut text does not say is absent.
#pragma once

#include <steelyard/evidence.hpp>
#include <string_view>
#include <vector>

#include "evidence/read/paste.hpp"

namespace steelyard::evidence {

using Records = std::vector<ToolRecord>;

Records read_babelstream(const Paste& paste);
Records read_collect_env(const Paste& paste);
Records read_dcgmi_diag(const Paste& paste);
Records read_dcgmi_nvlink(const Paste& paste);
Records read_dmesg(const Paste& paste);
Records read_gpu_burn(const Paste& paste);
Records read_gpu_stream(const Paste& paste);
Records read_ib_ports(const Paste& paste);  // ibstat and ibstatus
Records read_ibv_devinfo(const Paste& paste);
Records read_iblinkinfo(const Paste& paste);
Records read_lspci(const Paste& paste);
Records read_nccl_log(const Paste& paste);
Records read_nccl_tests(const Paste& paste);
Records read_nvbandwidth(const Paste& paste);
Records read_nvidia_smi(const Paste& paste);
Records read_nvidia_smi_nvlink(const Paste& paste);
Records read_nvidia_smi_nvlink_errors(const Paste& paste);
Records read_nvidia_smi_q(const Paste& paste);
Records read_nvidia_smi_query(const Paste& paste);  // --query-gpu=... --format=csv
Records read_nvidia_smi_topo(const Paste& paste);   // topo -m and topo -p2p
Records read_osu(const Paste& paste);
Records read_p2p_bandwidth(const Paste& paste);
Records read_perftest(const Paste& paste);
Records read_stream(const Paste& paste);

/// JSON outputs, whole or cut: nccl-tests (two dialects), perftest, nvbandwidth, dcgmi.
Records read_json_outputs(const Paste& paste);

}  // namespace steelyard::evidence

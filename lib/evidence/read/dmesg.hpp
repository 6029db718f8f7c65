// Parts of the reader of kernel and system logs.
#pragma once

#include <string>

#include "evidence/read/readers.hpp"

namespace steelyard::evidence {

struct Span {
  int first = 0, last = 0;
  void touch(int line) {
    if (first == 0) first = line;
    last = line;
  }
};

/// A log is what it shows; nothing says that more should follow, so its records are whole.
ToolRecord dmesg_record(std::string subject, const Span& span, Value facts);

/// What the NVIDIA driver says without an Xid: a GPU off the bus, one that doesn't start, a driver that doesn't fit.
Records read_driver_messages(const Paste& paste);

/// What an adapter's driver says about its slot and its cable: too little power, a faulty module.
Records read_adapter_messages(const Paste& paste);

/// "nvidia 0000:41:00.0: PCIe Bus Error: severity=Corrected": errors of the bus that a GPU or an adapter reports.
Records read_pcie_errors(const Paste& paste);

}  // namespace steelyard::evidence

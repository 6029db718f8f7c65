// What `dcgmi diag` found, from its table or its JSON.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <steelyard/evidence.hpp>
#include <steelyard/value.hpp>
#include <string>
#include <string_view>

namespace steelyard::evidence {

struct Diagnosis {
  std::map<std::string, std::string> tests;  // lower-case name: pass, fail, warn, error, skip
  std::set<std::int64_t> failed_gpus, named_gpus;
  std::string version, driver, error, warning;
  std::optional<std::size_t> gpus;
};

/// The status that a result begins with ("Fail - GPU: 0" gives "fail"); empty where it is none.
std::string status_of(std::string_view result);

/// Of several results of a test the worst counts.
void add_status(Diagnosis& diagnosis, const std::string& test, const std::string& status);

Value facts_of(const Diagnosis& diagnosis);

/// `dcgmi diag -j` of DCGM 2 to 4; nothing where the document is none.
std::optional<ToolRecord> dcgmi_diag_of_json(const Value& document);

}  // namespace steelyard::evidence

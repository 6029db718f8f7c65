// The training software of a request: which framework family, how old.
#pragma once

#include <optional>
#include <steelyard/workload.hpp>
#include <string>
#include <vector>

#include "load/node.hpp"

namespace steelyard::estimate {

/// A framework as data/efficiency/frameworks.yaml lists it.
struct Framework {
  std::string name;                  // "megatron-bridge"
  std::string engine;                // what does the work beneath: "megatron" "fsdp" "deepspeed" "xla"
  std::vector<std::string> aliases;  // compared without case and punctuation; the longest that the request's text starts with wins
  double usual_year = 0;             // of the runs that name no version; 0: as new as the data
  double tax = 1;                    // time over the law's, published for frameworks without measured rows
  double spread = 0;                 // of that, log of time; 0: the spread of all frameworks
};

/// Names, and the years in which the fast kernels came.
struct SoftwareTable {
  std::vector<Framework> frameworks;
  double newest_year = 2026;         // of a request that says nothing
  double flash_attention_year = 0;   // before: attention scores go through memory
  double second_attention_year = 0;  // from then FlashAttention-2
  double third_attention_year = 0;   // from then FlashAttention-3 and the fused attention of cuDNN 9
  double fused_experts_year = 0;     // before: mixture-of-experts layers launch their kernels one expert at a time
  double unlisted_spread = 0;        // log of time, of frameworks that are not listed
};
SoftwareTable read_software(const load::Document& document, Issues& issues);

struct TrainingSoftware {
  std::string framework;  // canonical name, or the request's own word; empty where it names none
  std::string engine;     // empty: not known
  std::string release;    // "megatron-bridge 26.04"; empty where no version is named
  double year = 0;        // 2025.75
  double tax = 1;         // of the framework
  double tax_spread = 0;
};
TrainingSoftware training_software(const Software& software, const SoftwareTable& table);

/// The year of a version that is a date: "26.04.01" and "24.09" (year.month), "2021", "May 2023". Empty for others ("0.14", "2.3.0").
std::optional<double> year_of_version(const std::string& version);

}  // namespace steelyard::estimate

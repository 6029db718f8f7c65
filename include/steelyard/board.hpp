// GPU boards (accelerators): what a maker builds, before anyone rents it out.
#pragma once

#include <map>
#include <optional>
#include <steelyard/date.hpp>
#include <steelyard/source_location.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

/// Where a fact comes from; every value in data/ has one.
struct Source {
  std::string text;          // document, page or repository@commit
  std::optional<Date> date;  // when it was read or published

  friend bool operator==(const Source&, const Source&) = default;
};

/// One board: vendor, chip, form factor, memory. All figures are per GPU; empty means "not known", never 0.
struct Board {
  std::string id;                                     // "A100-SXM4-80GB"
  std::string vendor;                                 // "nvidia" "amd" "intel" "huawei" "google" "aws" ...
  std::string chip;                                   // "A100"
  std::string form_factor;                            // "sxm4" "pcie" "nvl" "oam" "superchip" ...
  std::string architecture;                           // "Ampere"
  std::string marketing_name;                         // "NVIDIA A100 SXM4 80GB"
  std::vector<std::string> aliases;                   // every other name, compared without case and punctuation
  std::map<std::string, std::string> doubtful_names;  // marketing name -> what to know about it
  bool rare = false;                                  // an odd variant: found by its own names or its memory, not by the name of the chip
  std::string board_class;                            // "datacenter" "workstation" "consumer"
  std::optional<int> release_year;

  double memory_gb_nominal = 0;                     // as sold: 80
  std::optional<double> reported_memory_mib;        // as nvidia-smi prints it
  std::optional<double> usable_memory_gib;          // what PyTorch can have (2^30 bytes)
  bool usable_memory_measured = false;              // false: derived from the nominal size
  std::optional<double> memory_bandwidth_gb_per_s;  // 1e9 bytes/s, vendor peak

  /// Dense peaks in 1e12 op/s, tensor cores with FP32 accumulation where there are any, by format:
  /// "bf16" "fp16" "tf32" "fp8" "mxfp8" "mxfp4" "nvfp4" "fp4" "int8" "int4" "fp32" "fp64" "fp64_tensor".
  /// "fp32" and "fp64" are the plain (non-tensor) rates.
  std::map<std::string, double> dense_tflops;
  std::optional<double> non_tensor_fp16_tflops;  // the figure the field guide uses for GeForce boards
  std::optional<double> fp16_accumulate_tflops;  // dense fp16 with FP16 accumulation: twice the rate on GeForce, of use for inference only
  std::optional<double> measured_bf16_tflops;    // best matrix product that a public test reached

  std::optional<double> tdp_w;
  std::optional<int> pcie_generation;
  std::optional<int> pcie_lanes;
  std::optional<int> nvlink_generation;
  std::optional<double> nvlink_gb_per_s_bidirectional;  // sum over all links, both directions
  std::string nvlink_kind;                              // "nvswitch" "mesh" "pairs" "none" or empty: not known
  std::optional<bool> peer_access;                      // GPU-to-GPU copies without staging through host memory

  // Software facts, read by step 3.
  std::optional<double> compute_capability;      // 8.9; empty for other vendors
  std::string gfx;                               // AMD "gfx942"
  std::string first_cuda, last_cuda;             // "11.8", "12.9"; empty: not known or no upper limit
  std::string first_stack;                       // other vendors: "ROCm 6.3", "CANN"
  std::string first_driver, last_driver_branch;  // "525.60.13", "R580"
  std::string kernel_module;                     // "proprietary_only" "either" "open_only"
  std::optional<bool> fabric_manager;            // NVSwitch board that needs a fabric manager
  std::optional<bool> mig;

  std::optional<int> slice_units_per_chip;  // TPU: units (cores or chips) in the name of a slice per chip

  std::vector<std::string> warnings;  // e.g. disputed figures, in words
  std::vector<Source> sources;
  SourceLocation where;
};

/// Dense peak in 1e12 op/s for a number format; "mxfp8" falls back to "fp8", "mxfp4" and "nvfp4" to "fp4". Empty: not known or not there.
std::optional<double> dense_peak_tflops(const Board& board, std::string_view format);

}  // namespace steelyard

// The time law of folding one protein or complex on one GPU. Formulas and sources: docs/reference/estimate-classic.md.
#pragma once

#include <optional>
#include <span>
#include <steelyard/configuration.hpp>
#include <steelyard/workload.hpp>
#include <string>
#include <vector>

#include "estimate/offsets/offsets.hpp"

namespace steelyard::estimate {

/// Whose architecture a model has: pair representation with diffusion (AlphaFold 3) or with structure module (AlphaFold 2).
enum class FoldingFamily : unsigned char { alphafold3, alphafold2 };

struct FoldingJob {
  FoldingFamily family = FoldingFamily::alphafold3;
  double kilotokens = 0;                        // tokens or residues of one input, thousands
  double memory_gb_per_s = 0, peak_tflops = 0;  // of the board, 16 bits
  int gpus = 1;
  std::string model, board, framework;  // for the levels
};
std::optional<FoldingJob> folding_job(const Workload& workload, const Configuration& configuration, std::vector<std::string>& missing);

struct FoldingLaw {
  double start_3_s = 3, start_2_s = 5;       // whatever the size, by family
  double square_s = 60;                      // of a thousand tokens squared on an A100 SXM 80GB
  double second_2 = 1;                       // factor of AlphaFold 2's family
  double knee_kilotokens = 5, growth = 1.5;  // where triangle products outgrow the square, and with which power
  double memory_part = 0.7;                  // share of the time that goes with the memory's rate; the rest with the peak
};
struct FoldingParameter {
  const char* name;
  double FoldingLaw::*member;
  double median, spread;
};
std::span<const FoldingParameter> folding_parameters();

/// Seconds: start + square x k^2 x (1 + (k / knee)^growth) x (memory_part x 2039 / memory rate + (1 - memory_part) x 312 / peak).
double folding_time_s(const FoldingJob& job, const FoldingLaw& law);

std::vector<Level> folding_levels(const FoldingJob& job);

}  // namespace steelyard::estimate

// Diffusion models: fitted to published runs, not to a table of measured rows.
#pragma once

#include "family.hpp"

namespace steelyard::fit {

/// Reads diffusion_runs.yaml and diffusion_priors.yaml in the folder of efficiencies, writes diffusion.yaml.
std::string fit_diffusion(const Request& request);

}  // namespace steelyard::fit

// What a launcher (mpirun, srun, torchrun) tells its processes through the environment.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace steelyard::probes {

struct Launcher {
  std::string kind = "none";  // "none" "mpirun" "srun" "torchrun"
  int rank = 0, size = 1;
  int local_rank = 0, local_size = 1;
  int nodes = 1;
  std::string address;  // of rank 0; empty: not told
  int port = 0;         // first port to try; 0: not told
  std::string job;      // tells two jobs on one address apart
};

using Environment = std::function<std::optional<std::string>(std::string_view name)>;
/// The environment of this process.
Environment process_environment();

/// From the variables of Open MPI, PMI, torchrun or Slurm, in this order; a size of 1 or a broken number counts as "none".
Launcher find_launcher(const Environment& environment);
/// First host of a Slurm node list: "gpu[03-07,9],x1" -> "gpu03".
std::string first_host(std::string_view node_list);

}  // namespace steelyard::probes

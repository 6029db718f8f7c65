#include "probes/ranks/launcher.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/text.hpp"

namespace steelyard::probes {

namespace {

constexpr int kDefaultPort = 29511;

int number(const Environment& environment, std::string_view name, int otherwise) {
  const auto text = environment(name);
  const auto value = text ? parse_integer(*text) : std::nullopt;
  return value && *value >= 0 && *value < 1 << 24 ? static_cast<int>(*value) : otherwise;
}

int port_of(const std::string& job) {
  unsigned sum = 0;
  for (const char c : job) sum = sum * 31 + static_cast<unsigned char>(c);
  return kDefaultPort + static_cast<int>(sum % 2000);
}

void finish(Launcher& out, const Environment& environment) {
  out.address = environment("MASTER_ADDR").value_or(out.address);
  out.port = number(environment, "MASTER_PORT", out.port > 0 ? out.port : port_of(out.job));
  out.local_size = std::clamp(out.local_size, 1, std::max(1, out.size));
  if (out.nodes <= 1) out.nodes = std::max(1, out.size / out.local_size);
  if (out.address.empty() && out.nodes == 1) out.address = "127.0.0.1";
}

bool mpirun(Launcher& out, const Environment& environment) {
  out.size = number(environment, "OMPI_COMM_WORLD_SIZE", number(environment, "PMI_SIZE", 1));
  if (out.size < 2) return false;
  out.kind = "mpirun";
  out.rank = number(environment, "OMPI_COMM_WORLD_RANK", number(environment, "PMI_RANK", 0));
  out.local_rank = number(environment, "OMPI_COMM_WORLD_LOCAL_RANK", number(environment, "MPI_LOCALRANKID", out.rank));
  out.local_size = number(environment, "OMPI_COMM_WORLD_LOCAL_SIZE", number(environment, "MPI_LOCALNRANKS", out.size));
  out.job = environment("PMIX_NAMESPACE").value_or(environment("PMI_JOBID").value_or("mpi"));
  return true;
}

bool torchrun(Launcher& out, const Environment& environment) {
  out.size = number(environment, "WORLD_SIZE", 1);
  if (out.size < 2 || !environment("MASTER_ADDR")) return false;
  out.kind = "torchrun";
  out.rank = number(environment, "RANK", 0);
  out.local_rank = number(environment, "LOCAL_RANK", out.rank);
  out.local_size = number(environment, "LOCAL_WORLD_SIZE", out.size);
  out.job = environment("TORCHELASTIC_RUN_ID").value_or("torchrun");
  return true;
}

bool srun(Launcher& out, const Environment& environment) {
  out.size = number(environment, "SLURM_STEP_NUM_TASKS", number(environment, "SLURM_NTASKS", 1));
  if (out.size < 2 || !environment("SLURM_PROCID")) return false;
  out.kind = "srun";
  out.rank = number(environment, "SLURM_PROCID", 0);
  out.local_rank = number(environment, "SLURM_LOCALID", 0);
  out.nodes = number(environment, "SLURM_STEP_NUM_NODES", number(environment, "SLURM_NNODES", 1));
  out.local_size = (out.size + out.nodes - 1) / std::max(1, out.nodes);
  const auto list = environment("SLURM_STEP_NODELIST");
  out.address = first_host(list ? *list : environment("SLURM_NODELIST").value_or(""));
  out.job = environment("SLURM_JOB_ID").value_or("") + "." + environment("SLURM_STEP_ID").value_or("");
  return true;
}

}  // namespace

Environment process_environment() {
  return [](std::string_view name) -> std::optional<std::string> {
    const char* value = std::getenv(std::string(name).c_str());
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
  };
}

Launcher find_launcher(const Environment& environment) {
  for (const auto read : {&mpirun, &torchrun, &srun}) {
    Launcher out;
    if (!read(out, environment) || out.rank >= out.size) continue;
    finish(out, environment);
    return out;
  }
  return {};
}

std::string first_host(std::string_view node_list) {
  const auto bracket = node_list.find_first_of("[,");
  if (bracket == std::string_view::npos || node_list[bracket] == ',') return std::string(node_list.substr(0, bracket));
  const std::string_view inside = node_list.substr(bracket + 1);
  return std::string(node_list.substr(0, bracket)) + std::string(inside.substr(0, inside.find_first_of("-,]")));
}

}  // namespace steelyard::probes

#include "probes/ranks/launcher.hpp"

#include <map>

#include "support/catch.hpp"

using namespace steelyard::probes;

namespace {

Launcher with(const std::map<std::string, std::string>& variables) {
  return find_launcher([&](std::string_view name) {
    const auto found = variables.find(std::string(name));
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

}  // namespace

TEST_CASE("no launcher: one process") {
  CHECK(with({}).kind == "none");
  CHECK(with({}).size == 1);
  CHECK(with({{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"MASTER_ADDR", "x"}}).kind == "none");
  CHECK(with({{"SLURM_JOB_ID", "7"}}).kind == "none");
}

TEST_CASE("mpirun of Open MPI and of others") {
  const Launcher open =
      with({{"OMPI_COMM_WORLD_SIZE", "16"}, {"OMPI_COMM_WORLD_RANK", "9"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "8"}});
  CHECK(open.kind == "mpirun");
  CHECK(open.rank == 9);
  CHECK(open.nodes == 2);
  CHECK(open.address.empty());  // several nodes and nobody said where rank 0 is
  const Launcher hydra = with({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}});
  CHECK(hydra.kind == "mpirun");
  CHECK(hydra.nodes == 1);
  CHECK(hydra.address == "127.0.0.1");
}

TEST_CASE("torchrun") {
  const Launcher out = with(
      {{"WORLD_SIZE", "4"}, {"RANK", "3"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "2"}, {"MASTER_ADDR", "10.0.0.1"}, {"MASTER_PORT", "29400"}});
  CHECK(out.kind == "torchrun");
  CHECK(out.nodes == 2);
  CHECK(out.address == "10.0.0.1");
  CHECK(out.port == 29400);
  CHECK(out.local_rank == 1);
}

TEST_CASE("srun") {
  const Launcher out = with({{"SLURM_PROCID", "5"},
                             {"SLURM_NTASKS", "8"},
                             {"SLURM_STEP_NUM_NODES", "2"},
                             {"SLURM_LOCALID", "1"},
                             {"SLURM_STEP_NODELIST", "gpu[03-04]"},
                             {"SLURM_JOB_ID", "77"},
                             {"SLURM_STEP_ID", "0"}});
  CHECK(out.kind == "srun");
  CHECK(out.rank == 5);
  CHECK(out.local_size == 4);
  CHECK(out.address == "gpu03");
  CHECK(out.job == "77.0");
  CHECK(out.port > 1024);
}

TEST_CASE("broken numbers are no launcher") {
  CHECK(with({{"WORLD_SIZE", "-4"}, {"MASTER_ADDR", "x"}}).kind == "none");
  CHECK(with({{"WORLD_SIZE", "4"}, {"RANK", "4"}, {"MASTER_ADDR", "x"}}).kind == "none");
  CHECK(with({{"WORLD_SIZE", "four"}, {"MASTER_ADDR", "x"}}).kind == "none");
}

TEST_CASE("first host of a node list") {
  CHECK(first_host("a1") == "a1");
  CHECK(first_host("a1,a2") == "a1");
  CHECK(first_host("gpu[007-012,20]") == "gpu007");
  CHECK(first_host("n[3,5],m1") == "n3");
  CHECK(first_host("") == "");
}

// Ranks behind the C table of a plugin, so that nothing else links with MPI.
#include <dlfcn.h>
#include <steelyard/probe_abi.h>

#include "probes/ranks/ranks.hpp"

namespace steelyard::probes {

namespace {

void check(int result, const char* what) {
  if (result != 0) throw RanksError(std::string("MPI: ") + what + " failed");
}

class PluginRanks final : public Ranks {
 public:
  explicit PluginRanks(const steelyard_ranks_table* table) : table_(table) {
    char error[512] = "";
    if (table_->open(error, sizeof error) != 0) throw RanksError(error);
    nodes_ = table_->node_count();  // a collective call: once
  }
  ~PluginRanks() override { table_->close(); }

  std::string kind() const override { return table_->kind; }
  std::string version() const override {
    char text[256] = "";
    return table_->version(text, sizeof text) == 0 ? text : "";
  }
  int rank() const override { return table_->rank(); }
  int size() const override { return table_->size(); }
  int nodes() const override { return nodes_; }

  void barrier() override { check(table_->barrier(), "barrier"); }
  void broadcast(void* data, std::size_t bytes, int root) override { check(table_->broadcast(data, bytes, root), "broadcast"); }
  double most(double value) override {
    check(table_->most(&value), "maximum");
    return value;
  }
  void all_reduce(float* out, const float* in, std::size_t count) override { check(table_->all_reduce(out, in, count), "all_reduce"); }
  void all_gather(float* out, const float* in, std::size_t each) override { check(table_->all_gather(out, in, each), "all_gather"); }
  void reduce_scatter(float* out, const float* in, std::size_t each) override { check(table_->reduce_scatter(out, in, each), "reduce_scatter"); }
  void alltoall(float* out, const float* in, std::size_t each) override { check(table_->alltoall(out, in, each), "alltoall"); }
  void send_recv(float* out, const float* in, std::size_t count) override { check(table_->send_recv(out, in, count), "send_recv"); }

 private:
  const steelyard_ranks_table* table_;
  int nodes_ = 1;
};

}  // namespace

std::unique_ptr<Ranks> mpi_ranks(const std::string& plugin) {
  void* library = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);  // never unloaded
  if (!library) throw RanksError(dlerror());
  const auto entry = reinterpret_cast<steelyard_ranks_entry_function>(dlsym(library, STEELYARD_RANKS_ENTRY));
  if (!entry) throw RanksError(plugin + ": exports no " STEELYARD_RANKS_ENTRY);
  const steelyard_ranks_table* table = entry();
  if (!table || table->abi != STEELYARD_RANKS_ABI) throw RanksError(plugin + ": built for another version of the interface");
  return std::make_unique<PluginRanks>(table);
}

std::unique_ptr<Ranks> open_ranks(const Launcher& launcher, const std::vector<std::string>& mpi_plugins, const std::string& channel,
                                  double patience_s) {
  if (launcher.size < 2) return nullptr;
  std::string tried;
  if (launcher.kind == "mpirun") {
    for (const std::string& plugin : mpi_plugins) {
      try {
        return mpi_ranks(plugin);
      } catch (const RanksError& error) {
        tried += std::string("; ") + error.what();
      }
    }
  }
  try {
    return tcp_ranks(launcher, channel, patience_s);
  } catch (const RanksError& error) {
    throw RanksError(error.what() + tried);
  }
}

}  // namespace steelyard::probes

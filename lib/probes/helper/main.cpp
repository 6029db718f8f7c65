// steelyard-probe: runs one probe of one backend in this process, so that a crash, a hang or a poisoned GPU context stays here.
//   steelyard-probe host|PLUGIN list           prints the names of the probes, one a line
//   steelyard-probe host|PLUGIN available      exit 0, or 2 with the reason on standard error
//   steelyard-probe host|PLUGIN run FD PARENT  reads a request from standard input, writes JSON lines to that descriptor; exit code of probe_abi.h
#include <dlfcn.h>
#include <steelyard/probe_abi.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <string>

#include "probes/probe.hpp"
#include "probes/run/lines.hpp"

namespace {

using namespace steelyard::probes;

constexpr int kBadPlugin = 3;

int list_host() {
  for (const auto& probe : host_probes()) std::puts(std::string(probe->name()).c_str());
  return STEELYARD_PROBE_OK;
}

int run_host(const std::string& json, int descriptor, char* error, std::size_t error_size) {
  return run_request(host_probes(), json, descriptor, error, error_size);
}

const steelyard_probe_table* load(const char* plugin) {
  void* library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);  // never unloaded
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    return nullptr;
  }
  const auto entry = reinterpret_cast<steelyard_probe_entry_function>(dlsym(library, STEELYARD_PROBE_ENTRY));
  if (!entry) {
    std::fprintf(stderr, "%s: exports no %s\n", plugin, STEELYARD_PROBE_ENTRY);
    return nullptr;
  }
  const steelyard_probe_table* table = entry();
  if (table && table->abi == STEELYARD_PROBE_ABI) return table;
  std::fprintf(stderr, "%s: interface version %u, this program needs %u\n", plugin, table ? table->abi : 0u, STEELYARD_PROBE_ABI);
  return nullptr;
}

int list_plugin(const steelyard_probe_table* table) {
  for (const char* const* name = table->probes; *name; ++name) std::puts(*name);
  return STEELYARD_PROBE_OK;
}

int available_plugin(const steelyard_probe_table* table) {
  char why[1024] = "";
  if (table->available(why, sizeof why)) return STEELYARD_PROBE_OK;
  std::fprintf(stderr, "%s\n", why);
  return STEELYARD_PROBE_NOT_AVAILABLE;
}

int report(int result, const char* error) {
  if (result != STEELYARD_PROBE_OK) std::fprintf(stderr, "\n%s\n", error);
  return result;
}

// The parent may be killed while a probe runs, or before it: then nobody waits for the result.
void end_with_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) std::exit(kBadPlugin);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: steelyard-probe host|PLUGIN list|available|run [FD PARENT]\nstarted by `advise calibrate`\n");
    return kBadPlugin;
  }
  const std::string what = argv[1], verb = argv[2];
  const bool host = what == "host";
  const steelyard_probe_table* table = host ? nullptr : load(argv[1]);
  if (!host && !table) return kBadPlugin;
  if (verb == "list") return host ? list_host() : list_plugin(table);
  if (verb == "available") return host ? STEELYARD_PROBE_OK : available_plugin(table);
  if (verb != "run" || argc < 5) return kBadPlugin;
  end_with_parent(static_cast<pid_t>(std::atol(argv[4])));
  const std::string json{std::istreambuf_iterator<char>(std::cin), {}};
  char error[4096] = "";
  const int descriptor = std::atoi(argv[3]);
  const int result = host ? run_host(json, descriptor, error, sizeof error) : table->run(json.c_str(), descriptor, error, sizeof error);
  return report(result, error);
}

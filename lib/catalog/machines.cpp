#include "catalog/machines.hpp"

#include <algorithm>

#include "catalog/sources.hpp"
#include "core/text.hpp"

namespace steelyard {

namespace catalog {

using load::Fields;

Loaded<Fabrics> load_fabrics(const load::Document& document) {
  Loaded<Fabrics> loaded{Fabrics(), {}};
  Fields file(document, document.root, loaded.issues, "fabric file");
  const Sources sources = read_sources(file);
  if (const load::Node* list = file.node("fabrics")) {
    each_map(document, *list, loaded.issues, "fabric", [&](Fields& fields) {
      InterNode network;
      const std::string id = fields.required_text("id");
      network.kind = fields.word("kind", {"infiniband", "roce", "efa", "tcpx", "omnipath", "ethernet", "none"}).value_or("");
      network.gbit_per_s_per_node = fields.number("gbit_per_s_per_node", 0.1, 1e6);
      network.ports_per_node = fields.integer("ports_per_node", 1, 1024);
      network.gbit_per_s_per_port = fields.number("gbit_per_s_per_port", 0.1, 1e5);
      network.gpudirect = fields.flag("gpudirect");
      named_sources(fields, sources);
      fields.finish();
      loaded.value->emplace(id, network);
    });
  }
  file.finish();
  if (has_errors(loaded.issues)) loaded.value.reset();
  return loaded;
}

namespace {

MachineType read_machine(Fields& fields, const Fabrics& fabrics, const Sources& sources) {
  MachineType machine;
  machine.where = fields.where();
  machine.provider = fields.required_text("provider");
  machine.types = fields.texts("types");
  if (machine.types.empty()) fields.fault("types", "machine: types is missing", "add types: [name]");
  machine.board = fields.text("board").value_or("");
  machine.gpu = fields.text("gpu").value_or("");
  machine.gpus = fields.number("gpus", 0.01, 1024);
  machine.intra_node = fields.word("intra_node", {"nvlink", "nvlink_pairs", "pcie", "none"}).value_or("");
  machine.gpu_peer_access = fields.flag("gpu_peer_access");
  machine.nvlink_domain_gpus = fields.integer("nvlink_domain_gpus", 1, 100000);
  if (const auto name = fields.text("fabric")) {
    const auto found = fabrics.find(*name);
    if (found != fabrics.end()) machine.inter_node = found->second;
    if (found == fabrics.end()) fields.fault("fabric", "fabric: no fabric is known as '" + *name + "'", "add it to data/fabrics");
  }
  machine.host_memory_gib = fields.number("host_memory_gib", 0.1, 1e6);
  machine.vcpus = fields.integer("vcpus", 1, 100000);
  machine.sources = named_sources(fields, sources);
  fields.finish();
  return machine;
}

}  // namespace

Loaded<std::vector<MachineType>> load_machines(const load::Document& document, const Fabrics& fabrics) {
  Loaded<std::vector<MachineType>> loaded{std::vector<MachineType>(), {}};
  Fields file(document, document.root, loaded.issues, "machine file");
  const Sources sources = read_sources(file);
  if (const load::Node* list = file.node("machines")) {
    each_map(document, *list, loaded.issues, "machine", [&](Fields& fields) { loaded.value->push_back(read_machine(fields, fabrics, sources)); });
  }
  file.finish();
  if (has_errors(loaded.issues)) loaded.value.reset();
  return loaded;
}

}  // namespace catalog

bool fits_pattern(std::string_view text, std::string_view pattern) {
  std::size_t at = 0, in = 0, star = pattern.npos, retry = 0;
  while (at < text.size()) {
    if (in < pattern.size() && pattern[in] == '*') {
      star = in++;
      retry = at;
    } else if (in < pattern.size() && pattern[in] == text[at]) {
      ++in;
      ++at;
    } else if (star != pattern.npos) {
      in = star + 1;
      at = ++retry;
    } else {
      return false;
    }
  }
  while (in < pattern.size() && pattern[in] == '*') ++in;
  return in == pattern.size();
}

std::string provider_of_stem(std::string_view stem) {
  std::vector<std::string> words = split(stem, '_');
  const auto is_version = [](const std::string& word) {
    return word == "fork" || (word.size() > 1 && word[0] == 'v' && word.find_first_not_of("0123456789", 1) == word.npos);
  };
  while (words.size() > 1 && is_version(words.back())) words.pop_back();
  return to_lower(join(words, "_"));
}

MachineIndex::MachineIndex(const std::deque<MachineType>& machines) {
  for (const MachineType& machine : machines) {
    for (const std::string& type : machine.types) {
      if (type.find('*') != type.npos) {
        patterns_.push_back({machine.provider, type, &machine});
        continue;
      }
      exact_.emplace(machine.provider + "\n" + type, &machine);
      const auto [found, added] = anywhere_.emplace(type, &machine);
      if (!added) found->second = nullptr;
    }
  }
  std::stable_sort(patterns_.begin(), patterns_.end(), [](const Pattern& one, const Pattern& other) { return one.text.size() > other.text.size(); });
}

const MachineType* MachineIndex::find(std::string_view provider, std::string_view type) const {
  const std::string name(type), home = provider_of_stem(provider);
  if (const auto found = exact_.find(home + "\n" + name); found != exact_.end()) return found->second;
  for (const Pattern& pattern : patterns_) {
    if (pattern.provider == home && fits_pattern(type, pattern.text)) return pattern.machine;
  }
  const auto found = anywhere_.find(name);
  return found == anywhere_.end() ? nullptr : found->second;
}

}  // namespace steelyard

// Machine types: what stands behind a name that a provider sells. Links, network and host belong to the type, not to an offer of it.
#pragma once

#include <deque>
#include <map>
#include <steelyard/configuration.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "load/fields.hpp"

namespace steelyard {

struct MachineType {
  std::string provider;
  std::vector<std::string> types;  // names; a star stands for any characters
  std::string board;               // id; empty: not known
  std::string gpu;                 // name of the GPU where the board is not known
  std::optional<double> gpus;      // per machine; below 1: a part of one
  std::string intra_node;
  std::optional<bool> gpu_peer_access;
  std::optional<int> nvlink_domain_gpus;
  InterNode inter_node;
  std::optional<double> host_memory_gib;
  std::optional<int> vcpus;
  std::vector<Source> sources;
  SourceLocation where;
};

namespace catalog {

/// Networks by their short name.
using Fabrics = std::map<std::string, InterNode>;

Loaded<Fabrics> load_fabrics(const load::Document& document);
Loaded<std::vector<MachineType>> load_machines(const load::Document& document, const Fabrics& fabrics);

}  // namespace catalog

/// Machine types by provider and name. An exact name comes before a pattern, a longer pattern before a shorter one.
class MachineIndex {
 public:
  explicit MachineIndex(const std::deque<MachineType>& machines);

  /// The type of that name at that provider; a catalog whose file is not named after a known provider finds exact names of any.
  const MachineType* find(std::string_view provider, std::string_view type) const;

 private:
  struct Pattern {
    std::string provider, text;
    const MachineType* machine;
  };
  std::unordered_map<std::string, const MachineType*> exact_;     // "provider\ntype"
  std::unordered_map<std::string, const MachineType*> anywhere_;  // type; null where two providers use it
  std::vector<Pattern> patterns_;
};

/// Does a text fit a pattern in which a star stands for any characters?
bool fits_pattern(std::string_view text, std::string_view pattern);

/// "aws" for "aws_v9", "alicloud" for "alicloud_fork_v8": the provider in the name of a catalog file.
std::string provider_of_stem(std::string_view stem);

}  // namespace steelyard

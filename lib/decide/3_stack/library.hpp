// What is known of software stacks: data/stacks/*.yaml as structs. Immutable.
#pragma once

#include <optional>
#include <steelyard/issue.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "decide/3_stack/version.hpp"

namespace steelyard::stack {

/// A version with the text that its source writes ("525.60.13", "570.124.06"). Empty text: not known.
struct Known {
  std::string text;
  double number = 0;  // Version::number

  explicit operator bool() const { return !text.empty(); }
};

struct CudaRelease {
  Known cuda, linux, windows;        // toolkit, and the driver it came with
  int branch = 0;                    // driver branch
  std::vector<int> compat_branches;  // host branches of its forward-compatibility package; empty: not known
};

/// Minor-version compatibility: the oldest driver for every toolkit of a major version.
struct CudaFamily {
  int major = 0;
  Known linux, windows;
};

/// A compute capability (x 10) and the toolkits that compile for it.
struct Architecture {
  int sm = 0;
  Known first, last;
};

struct Wheel {
  std::string variant;  // "cu121"
  Known cuda, driver, glibc;
  std::vector<int> sm;     // machine code inside; empty: not known
  std::optional<int> ptx;  // capability of the PTX inside
  std::string nccl, cudnn;
  bool is_default = false, unlisted = false;
};

struct TorchRelease {
  Known version;  // major and minor
  std::string date, python;
  std::vector<std::string> rocm;
  std::vector<Wheel> wheels;
};

struct Image {
  std::string image, tag;  // `*` in the tag: runtime or devel
  Known cuda, torch, driver;
  std::vector<int> compat_branches;
  std::string nccl;
};

/// Needs of a range of releases of one framework or package.
struct Needs {
  Known from, to, cuda, driver, glibc;
  std::vector<int> cuda_majors;
  std::optional<int> min_sm, max_sm, cudnn;
};

struct Framework {
  std::string name;
  std::vector<std::string> aliases;
  std::string on;  // "torch": built against one PyTorch and one CUDA
  std::vector<Needs> releases;
};

/// A number format or method and the compute capability (x 10) it needs; `words` name it in texts.
struct Feature {
  std::string name;
  int min_sm = 0;
  std::vector<std::string> words;
};

struct System {
  std::vector<std::string> names;
  std::string version;  // "20.04"; a prefix of what the user says
  Known glibc;
};

struct KnownBad {
  std::string id, code, what, workaround, module;
  Known from, below, good;
  std::vector<std::string> chips;  // name keys of the boards it concerns; empty: all
  int gpus_min = 1;
};

/// Software facts of a board that the catalog doesn't hold, or of a chip family.
struct OtherBoard {
  std::vector<std::string> names;
  std::optional<int> sm;
  std::string board_class, module;
};

struct VendorStack {
  std::string vendor, about;
};

/// First ROCm that knows an AMD chip, and the first with which vLLM runs on it (empty: it doesn't).
struct RocmChip {
  std::string gfx;
  Known first, vllm;
};

struct Library {
  std::vector<CudaRelease> releases;  // newest first
  std::vector<CudaFamily> families;
  std::vector<Architecture> architectures;
  std::vector<TorchRelease> torch;  // oldest first
  std::vector<Image> images;        // oldest first within one image name
  std::vector<Framework> frameworks;
  std::vector<Feature> features;
  std::vector<System> systems;
  std::vector<KnownBad> known_bad;
  std::vector<OtherBoard> boards, chip_families;
  std::vector<std::pair<int, int>> last_branches;  // below this capability, this is the last driver branch
  std::vector<VendorStack> vendors;
  std::vector<RocmChip> rocm;

  /// The library compiled in.
  static const Library& embedded();

  const CudaFamily* family(int major) const;
  const Architecture* architecture(int sm) const;
  const TorchRelease* torch_release(const Version& version) const;
  const Framework* framework(std::string_view name) const;
  const VendorStack* vendor(std::string_view name) const;
  /// The release of exactly that toolkit, or of its first update where only major and minor are given (`newest`: of its last).
  const CudaRelease* release(const Version& cuda, bool newest = false) const;
  /// The newest toolkit that came with a driver no newer than this (Version::number); nullptr: older than all.
  const CudaRelease* newest_covered(double driver, bool windows) const;
};

/// Reads the files of data/stacks; issues where one has faults.
Loaded<Library> load_library();

}  // namespace steelyard::stack

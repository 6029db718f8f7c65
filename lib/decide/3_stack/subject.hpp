// A stack with everything that follows from it: what the board, the driver, the toolkit and the build are, as far as they are known.
#pragma once

#include <map>
#include <optional>
#include <steelyard/stack.hpp>
#include <string>
#include <vector>

#include "decide/3_stack/library.hpp"
#include "words/phrases.hpp"

namespace steelyard::stack {

/// Software facts of the board. Where a name fits several boards, only what they agree on.
struct BoardFacts {
  std::string name;                     // as printed in messages; empty: no board
  std::vector<std::string> candidates;  // ids, where the name is ambiguous
  std::vector<std::string> nearest;     // known names, where the name is unknown
  std::string vendor, board_class, architecture, chip, module, gfx;
  std::optional<int> sm, last_branch, nvlink_generation;
  Known first_cuda, last_cuda, first_driver, first_cuda_driver;
  std::optional<bool> fabric_manager, peer_access, mig;
};

/// Driver: [low, high] in Version::number, equal where the version is exact.
struct DriverFacts {
  std::string text;
  double low = 0, high = 0;
  int branch = 0;
  bool windows = false;
  Known cuda;  // newest toolkit that it covers wholly; also where only that is known
  std::vector<const KnownBad*> bad;
};

/// The CUDA runtime of the stack and where it comes from.
struct CudaFacts {
  std::string text;    // "12.4", "cu121"
  std::string origin;  // "toolkit" "wheel" "image" "framework"
  Version version;
  const CudaRelease* release = nullptr;  // nullptr: no such toolkit known
  Known own_driver, floor;               // the toolkit's own driver; oldest driver of its family (before CUDA 11: the own driver)
  std::vector<int> compat_branches;
};

/// The framework build.
struct BuildFacts {
  std::string name;  // "pytorch", "vllm" ...; as written where it is not known
  bool known = false;
  std::optional<Version> version;
  bool prerelease = false;
  std::string variant;  // asked for, or the default one
  bool variant_given = false;
  const TorchRelease* torch = nullptr;  // PyTorch of a known release
  const Wheel* wheel = nullptr;
  const Framework* framework = nullptr;
  const Needs* needs = nullptr;
};

/// What packages, formats and the framework need of board and system; `by` names who needs it.
struct Need {
  double value = 0;
  std::string by;
};

struct Subject {
  StackRequest request;
  BoardFacts board;
  DriverFacts driver;
  std::optional<Version> toolkit;  // CUDA toolkit that the user names (not a wheel variant)
  std::optional<CudaFacts> cuda;
  BuildFacts build;
  const Image* image = nullptr;
  std::string image_cuda;  // toolkit of the image, from the table or its tag
  bool container = false;
  std::string system;  // "linux" "windows" "wsl2"
  Known glibc;
  std::optional<Need> min_sm, max_sm, needs_glibc;
  std::string symptom, words;            // normalised: the error text; everything the user wrote
  std::map<std::string, double> stated;  // figures in the words
  std::vector<std::string> variants;     // cuNNN words
};

/// Where the board comes from: a name looked up in a catalog, or the board itself.
struct BoardSource {
  const Catalog* catalog = nullptr;
  const Board* board = nullptr;  // goes before the name
};

Subject gather(const StackRequest& request, const BoardSource& source, const Library& library);

/// Facts of the rules, as declared in data/schema/facts/stack.yaml; those that are sentences are said in the language of the phrases.
Value facts_of(const Subject& subject, const Library& library, const words::Phrases& phrases);

// The parts of `gather`.
BoardFacts board_facts(const std::string& name, const std::string& words, const BoardSource& source, const Library& library);
DriverFacts driver_facts(const Subject& subject, const Library& library);
void gather_build(Subject& subject, const Library& library);
void gather_host(Subject& subject, const Library& library);

}  // namespace steelyard::stack

// The facts that the rules of step 3 see. What is not known is left out; what is known not to apply is null.
#include <algorithm>

#include "core/entries.hpp"
#include "core/text.hpp"
#include "decide/3_stack/subject.hpp"
#include "decide/3_stack/symptom.hpp"

namespace steelyard::stack {

namespace {

using words::Phrases;

// Sets "key" and "key_text" where the version is known.
void put(Value& map, const std::string& key, const Known& version) {
  if (!version) return;
  map[key] = version.number;
  map[key + "_text"] = version.text;
}

using steelyard::put;

Value list_of(const std::vector<int>& numbers) {
  Value list = Value::list();
  for (const int number : numbers) list.push_back(number);
  return list;
}

Value board_value(const BoardFacts& board, const Library& library, const Phrases& phrases) {
  Value map = Value::map();
  map["known"] = !board.name.empty() && board.candidates.empty();
  put(map, "name", phrases.say(board.name));
  put(map, "vendor", board.vendor);
  put(map, "class", board.board_class);
  put(map, "architecture", board.architecture);
  put(map, "chip", board.chip);
  put(map, "module", board.module);
  put(map, "sm", board.sm);
  put(map, "nvlink_generation", board.nvlink_generation);
  put(map, "fabric_manager", board.fabric_manager);
  put(map, "peer_access", board.peer_access);
  put(map, "mig", board.mig);
  put(map, "first_cuda", board.first_cuda);
  put(map, "first_driver", board.first_driver);
  put(map, "first_cuda_driver", board.first_cuda_driver);
  const bool nvidia = board.vendor == "nvidia";
  // No upper limit, or none of that vendor: known not to apply.
  if (!board.vendor.empty() && !board.last_cuda) map["last_cuda"] = nullptr;
  put(map, "last_cuda", board.last_cuda);
  if (!board.vendor.empty()) map["last_branch"] = board.last_branch ? Value(*board.last_branch) : Value();
  if (const VendorStack* stack = nvidia ? nullptr : library.vendor(board.vendor)) map["other_stack"] = phrases.say(stack->about);
  for (const RocmChip& chip : library.rocm) {
    if (chip.gfx == board.gfx) put(map, "first_rocm", chip.first);
  }
  return map;
}

// "what it does; newer: ..." of the driver's known faults with that code, or null.
Value fault_of(const DriverFacts& driver, const std::string& code, const Phrases& phrases) {
  for (const KnownBad* bad : driver.bad) {
    if (bad->code == code) return phrases.say("{}; driver {} is good", phrases.say(bad->what), bad->good.text);
  }
  return {};
}

// Enough GPUs, and the module it is about, are stated: the fault will show.
bool is_certain(const KnownBad& bad, const StackRequest& request) {
  return request.gpu_count.value_or(1) >= bad.gpus_min && (bad.module.empty() || request.kernel_module == bad.module);
}

Value driver_value(const DriverFacts& driver, const StackRequest& request, const std::map<std::string, double>& stated, const Phrases& phrases) {
  Value map = Value::map();
  map["given"] = !driver.text.empty();
  map["windows"] = driver.windows;
  put(map, "text", driver.text);
  if (!driver.text.empty()) {
    map["low"] = driver.low;
    map["high"] = driver.high;
    map["branch"] = driver.branch;
    map["fault"] = fault_of(driver, "DRIVER_BUG", phrases);
    map["false_p2p"] = fault_of(driver, "P2P_BROKEN", phrases);
    map["fault_certain"] = std::any_of(driver.bad.begin(), driver.bad.end(), [&](const KnownBad* bad) { return is_certain(*bad, request); });
  }
  put(map, "cuda", driver.cuda);
  // nvidia-smi prints the CUDA that the driver brings; in a container that of the libcuda loaded, so the driver's own version goes first.
  const auto said = stated.find("driver_cuda");
  if (!driver.cuda && said != stated.end()) {
    map["cuda"] = said->second;
    map["cuda_text"] = version_text(said->second);
  }
  return map;
}

// Capabilities that a toolkit compiles for.
std::vector<int> compiled_for(const CudaFacts& cuda, const Library& library) {
  std::vector<int> all;
  for (const Architecture& one : library.architectures) {
    const double number = cuda.version.minor_number();
    if (one.first.number <= number && (!one.last || number <= one.last.number)) all.push_back(one.sm);
  }
  return all;
}

Value cuda_value(const Subject& subject, const Library& library) {
  Value map = Value::map();
  map["given"] = subject.cuda.has_value();
  map["asked"] = subject.toolkit ? Value(subject.toolkit->minor_number()) : Value();
  if (!subject.cuda) return map;
  const CudaFacts& cuda = *subject.cuda;
  map["text"] = cuda.text;
  map["name"] = cuda.version.text();
  map["origin"] = cuda.origin;
  map["number"] = cuda.version.number();
  map["minor"] = cuda.version.minor_number();
  map["major"] = cuda.version.first();
  map["known"] = cuda.release != nullptr;
  if (cuda.release) map["branch"] = cuda.release->branch;
  put(map, "own_driver", cuda.own_driver);
  if (cuda.release && !cuda.own_driver) map["own_driver"] = nullptr;
  put(map, "floor", cuda.floor);
  map["sms"] = list_of(compiled_for(cuda, library));
  map["compat_branches"] = list_of(cuda.compat_branches);
  return map;
}

std::string variants_of(const TorchRelease& release) {
  std::vector<std::string> names;
  for (const Wheel& wheel : release.wheels) names.push_back(wheel.variant);
  return join(names, ", ");
}

// Null where the stack's framework is no PyTorch of a known release: the rules on wheels don't apply.
void put_wheel(Value& map, const BuildFacts& build) {
  map["wheel"] = build.wheel != nullptr;
  map["torch"] = build.torch != nullptr;
  map["sm"] = Value();
  map["ptx"] = Value();
  map["rocm"] = Value::list();
  if (!build.torch) return;
  for (const std::string& version : build.torch->rocm) map["rocm"].push_back(version);
  map["release"] = build.torch->version.text;
  map["variants"] = variants_of(*build.torch);
  if (!build.wheel) return;
  if (build.wheel->sm.empty()) {
    map.as_map().erase(std::remove_if(map.as_map().begin(), map.as_map().end(), [](const auto& entry) { return entry.first == "sm"; }),
                       map.as_map().end());
    return;
  }
  map["sm"] = list_of(build.wheel->sm);
  if (build.wheel->ptx) map["ptx"] = *build.wheel->ptx;
}

Value build_value(const BuildFacts& build) {
  Value map = Value::map();
  map["name"] = build.name;
  map["known"] = build.known;
  map["prerelease"] = build.prerelease;
  map["variant"] = build.variant;
  map["variant_given"] = build.variant_given;
  if (build.version) map["version"] = build.version->number();
  if (build.version) map["version_text"] = build.version->text();
  put_wheel(map, build);
  Value majors = Value::list();
  if (build.needs) majors = list_of(build.needs->cuda_majors);
  map["cuda_majors"] = majors;
  map["default_cuda"] = build.needs && build.needs->cuda ? Value(build.needs->cuda.text) : Value();
  map["default_cuda_major"] = build.needs && build.needs->cuda ? Value(parse_version(build.needs->cuda.text)->first()) : Value();
  map["driver"] = build.needs && build.needs->driver ? Value(build.needs->driver.number) : Value();
  map["driver_text"] = build.needs && build.needs->driver ? Value(build.needs->driver.text) : Value();
  return map;
}

Value need_value(const Subject& subject, const Phrases& phrases) {
  Value map = Value::map();
  const auto set = [&](const std::string& key, const std::optional<Need>& need) {
    map[key] = need ? Value(need->value) : Value();
    map[key + "_by"] = need ? Value(phrases.say(need->by)) : Value();
  };
  set("sm", subject.min_sm);
  set("max_sm", subject.max_sm);
  set("glibc", subject.needs_glibc);
  if (subject.needs_glibc) map["glibc_text"] = version_text(subject.needs_glibc->value);
  return map;
}

// A cuNNN word whose toolkit needs the newest driver: what a text about "the cu130 build" is about.
void put_newest_variant(Value& map, const Subject& subject, const Library& library) {
  std::optional<Version> newest;
  for (const std::string& word : subject.variants) {
    const auto version = parse_variant(word);
    if (!newest || version->number() > newest->number()) newest = version, map["variant"] = word;
  }
  if (!newest) return;
  map["variant_cuda"] = newest->number();
  const CudaFamily* family = library.family(newest->first());
  if (family) put(map, "variant_floor", subject.system == "linux" ? family->linux : family->windows);
}

Value stated_value(const Subject& subject, const Library& library) {
  Value map = Value::map();
  for (const char* name :
       {"required_cuda", "container_cuda", "glibc", "lib_cuda", "sm", "needed_sm", "good_driver", "manager_version", "driver_cuda"}) {
    const auto found = subject.stated.find(name);
    map[name] = found == subject.stated.end() ? Value() : Value(found->second);
  }
  map["variant"] = Value();
  map["variant_cuda"] = Value();
  map["variant_floor"] = Value();
  put_newest_variant(map, subject, library);
  map["feature"] = Value();
  map["feature_sm"] = Value();
  for (const Feature& feature : library.features) {
    const auto named = [&](const std::string& word) { return has_word(subject.words, word); };
    if (!std::any_of(feature.words.begin(), feature.words.end(), named)) continue;
    map["feature"] = feature.name;
    map["feature_sm"] = feature.min_sm;
  }
  return map;
}

// Version of the fabric manager, from a package name such as nvidia-fabricmanager-550=550.90.07; -1: none named.
double fabric_manager_version(const StackRequest& request) {
  for (const std::string& package : request.packages) {
    const std::size_t at = to_lower(package).find("fabricmanager");
    const std::size_t end = at == std::string::npos ? at : package.find_first_of("=<> ", at);
    if (end == std::string::npos) continue;
    const std::size_t digits = package.find_first_of("0123456789", end);
    if (digits == std::string::npos) continue;
    if (const auto version = parse_version(package.substr(digits))) return version->number();
  }
  return -1;
}

bool has_package(const StackRequest& request, std::string_view name) {
  return std::any_of(request.packages.begin(), request.packages.end(),
                     [&](const std::string& package) { return to_lower(package).rfind(name, 0) == 0; });
}

Value host_value(const Subject& subject) {
  Value map = Value::map();
  map["system"] = subject.system;
  map["container"] = subject.container;
  map["image"] = subject.image ? Value(subject.image->image + ":" + subject.image->tag) : Value();
  map["image_cuda"] = subject.image_cuda.empty() ? Value() : Value(parse_version(subject.image_cuda)->number());
  put(map, "glibc", subject.glibc);
  put(map, "module", subject.request.kernel_module);
  map["compat_package"] = has_package(subject.request, "cuda-compat");
  const double manager = fabric_manager_version(subject.request);
  map["manager_version"] = manager < 0 ? Value() : Value(manager);
  return map;
}

}  // namespace

Value facts_of(const Subject& subject, const Library& library, const Phrases& phrases) {
  Value stack = Value::map();
  stack["symptom"] = subject.symptom;
  stack["words"] = subject.words;
  put(stack, "gpu_count", subject.request.gpu_count);
  stack["board"] = board_value(subject.board, library, phrases);
  stack["driver"] = driver_value(subject.driver, subject.request, subject.stated, phrases);
  stack["cuda"] = cuda_value(subject, library);
  stack["build"] = build_value(subject.build);
  stack["need"] = need_value(subject, phrases);
  stack["host"] = host_value(subject);
  stack["stated"] = stated_value(subject, library);
  Value facts = Value::map();
  facts["stack"] = std::move(stack);
  return facts;
}

}  // namespace steelyard::stack

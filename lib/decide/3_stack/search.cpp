// The search for the smallest change: other builds, compatibility package, kernel module, driver; one change before two.
#include <algorithm>
#include <cmath>

#include "decide/3_stack/checker.hpp"
#include "words/phrases.hpp"

namespace steelyard::stack {

namespace {

using words::Phrases;

struct Change {
  StackRequest changed;
  StackFix fix;
};
using Changes = std::vector<Change>;

// Known drivers of the system, oldest first: those that toolkits came with, the floors, and what the board and the wheel name.
std::vector<Known> known_drivers(const Subject& subject, const Library& library) {
  const bool windows = subject.system != "linux";
  std::vector<Known> drivers;
  for (const CudaRelease& release : library.releases) drivers.push_back(windows ? release.windows : release.linux);
  for (const CudaFamily& family : library.families) drivers.push_back(windows ? family.windows : family.linux);
  if (!windows) drivers.push_back(subject.board.first_driver);
  std::erase_if(drivers, [](const Known& driver) { return !driver; });
  std::sort(drivers.begin(), drivers.end(), [](const Known& one, const Known& other) { return one.number < other.number; });
  drivers.erase(std::unique(drivers.begin(), drivers.end(), [](const Known& one, const Known& other) { return one.number == other.number; }),
                drivers.end());
  return drivers;
}

std::string driver_package(const Subject& subject, int branch) {
  if (subject.system != "linux") return "";
  const bool open = subject.board.module == "open_only";
  const std::string name = subject.board.board_class == "datacenter" ? "cuda-drivers-" : "nvidia-driver-";
  return "sudo apt-get install " + (open ? "nvidia-open-" : name) + std::to_string(branch);
}

Change with_driver(const Subject& subject, const StackRequest& base, const Known& driver, const std::string& words) {
  Change change{base, {words, true, driver_package(subject, static_cast<int>(driver.number)), true, {}}};
  change.changed.driver = driver.text;
  return change;
}

const Change* first_that_runs(Checker& checker, const Changes& changes) {
  const auto found = std::find_if(changes.begin(), changes.end(), [&](const Change& change) { return checker.runs(change.changed); });
  return found == changes.end() ? nullptr : &*found;
}

bool board_knows(const Subject& subject, const Known& driver) {
  return !subject.board.last_branch || static_cast<int>(driver.number) <= *subject.board.last_branch;
}

// The oldest newer driver with which the stack runs. What one driver runs, newer ones that the board knows run too, so that halving finds it.
std::optional<Change> newer_driver(Checker& checker, const Subject& subject, const StackRequest& base, const std::vector<Known>& drivers) {
  Changes newer;
  for (const Known& driver : drivers) {
    const bool fits = driver.number > subject.driver.high && board_knows(subject, driver);
    if (fits) newer.push_back(with_driver(subject, base, driver, checker.phrases().say("install driver {} or newer", driver.text)));
  }
  if (newer.empty() || !checker.runs(newer.back().changed)) return std::nullopt;
  return *std::partition_point(newer.begin(), newer.end() - 1, [&](const Change& change) { return !checker.runs(change.changed); });
}

// The newest older driver with which it runs: for boards that newer branches have dropped.
std::optional<Change> older_driver(Checker& checker, const Subject& subject, const StackRequest& base, const std::vector<Known>& drivers) {
  Changes older;
  for (auto driver = drivers.rbegin(); driver != drivers.rend(); ++driver) {
    if (driver->number >= subject.driver.low || !board_knows(subject, *driver)) continue;
    const std::string branch = "R" + std::to_string(static_cast<int>(driver->number));
    older.push_back(with_driver(subject, base, *driver, checker.phrases().say("go back to driver {} (branch {})", driver->text, branch)));
  }
  const Change* found = first_that_runs(checker, older);
  return found ? std::optional(*found) : std::nullopt;
}

std::optional<Change> other_driver(Checker& checker, const Subject& subject, const StackRequest& base) {
  if (subject.driver.text.empty()) return std::nullopt;
  const std::vector<Known> drivers = known_drivers(subject, checker.library());
  const bool dropped = subject.board.last_branch && subject.driver.branch > *subject.board.last_branch;
  return dropped ? older_driver(checker, subject, base, drivers) : newer_driver(checker, subject, base, drivers);
}

std::string pip_command(const std::string& release, const std::string& variant) {
  return "pip install 'torch==" + release + ".*' --index-url $PYTORCH_WHEELS/" + variant;
}

// "2.5.1+cu121" -> "2.5.1"
std::string without_variant(const std::string& version) { return version.substr(0, version.find('+')); }

// The wheels of one release, newest CUDA first.
void add_wheels(Changes& changes, const Subject& subject, const TorchRelease& release, const Phrases& phrases) {
  const bool same = subject.build.torch == &release;
  for (auto wheel = release.wheels.rbegin(); wheel != release.wheels.rend(); ++wheel) {
    if (same && subject.build.wheel == &*wheel) continue;
    Change change{subject.request, {}};
    change.changed.framework = "pytorch";
    change.changed.framework_version = same ? without_variant(subject.request.framework_version) : "";
    if (change.changed.framework_version.empty()) change.changed.framework_version = release.version.text + ".0";
    change.changed.cuda = wheel->variant;
    change.changed.image.clear();
    change.fix.change = same ? phrases.say("use the {} wheel of PyTorch {}", wheel->variant, release.version.text)
                             : phrases.say("use PyTorch {} with the {} wheel", release.version.text, wheel->variant);
    change.fix.command = pip_command(release.version.text, wheel->variant);
    changes.push_back(std::move(change));
  }
}

// Wheels of the same release, then of the releases around it, the newer side first.
Changes wheel_changes(const Subject& subject, const Library& library, const Phrases& phrases) {
  Changes changes;
  const auto count = static_cast<std::ptrdiff_t>(library.torch.size());
  const std::ptrdiff_t here = subject.build.torch ? subject.build.torch - library.torch.data() : count - 1;
  for (std::ptrdiff_t distance = 0; distance < count; ++distance) {
    if (here + distance < count) add_wheels(changes, subject, library.torch[static_cast<std::size_t>(here + distance)], phrases);
    if (distance > 0 && here >= distance) add_wheels(changes, subject, library.torch[static_cast<std::size_t>(here - distance)], phrases);
  }
  return changes;
}

std::string short_name(const CudaRelease& release) {
  const Version version = *parse_version(release.cuda.text);
  return std::to_string(version.first()) + "." + std::to_string(version.parts[1]);
}

Change with_toolkit(const Subject& subject, const CudaRelease& release, const Phrases& phrases) {
  const std::string name = short_name(release);
  Change change{subject.request, {}};
  change.changed.image.clear();
  const bool wheel = subject.cuda->origin == "wheel";
  change.changed.cuda = name;
  if (wheel) change.changed.cuda = "cu" + std::to_string(static_cast<int>(release.cuda.number)) + name.substr(name.find('.') + 1);
  if (subject.cuda->origin == "image") {
    change.fix.change = phrases.say("use an image for CUDA {}", name);
  } else if (subject.build.known) {
    change.fix.change = phrases.say("use the build of {} for CUDA {}", subject.build.name, name);
  } else {
    change.fix.change = phrases.say(subject.cuda->origin == "toolkit" ? "use CUDA {}" : "use a build for CUDA {}", name);
  }
  if (subject.cuda->origin == "toolkit") {
    std::string package = name;
    std::replace(package.begin(), package.end(), '.', '-');
    change.fix.command = "sudo apt-get install cuda-toolkit-" + package;
  }
  return change;
}

// Toolkits by their distance from the one asked for, the older side first; the newest update of each.
Changes toolkit_changes(const Subject& subject, const Library& library, const Phrases& phrases) {
  std::vector<const CudaRelease*> minors;
  for (const CudaRelease& release : library.releases) {
    if (minors.empty() || short_name(*minors.back()) != short_name(release)) minors.push_back(&release);
  }
  const double here = subject.cuda->version.minor_number();
  std::stable_sort(minors.begin(), minors.end(), [&](const CudaRelease* one, const CudaRelease* other) {
    const auto rank = [&](const CudaRelease& release) {
      const double distance = std::abs(parse_version(release.cuda.text)->minor_number() - here);
      return std::pair(distance, release.cuda.number);
    };
    return rank(*one) < rank(*other);
  });
  Changes changes;
  for (const CudaRelease* release : minors) {
    if (parse_version(release->cuda.text)->minor_number() != here) changes.push_back(with_toolkit(subject, *release, phrases));
  }
  return changes;
}

Changes build_changes(const Subject& subject, const Checker& checker) {
  const bool torch = subject.build.torch || (subject.build.name == "pytorch" && subject.build.known);
  if (torch) return wheel_changes(subject, checker.library(), checker.phrases());
  return subject.cuda ? toolkit_changes(subject, checker.library(), checker.phrases()) : Changes{};
}

// The forward-compatibility package: the driver stays, its libcuda is brought along. Data-centre boards and listed branches only.
Changes compat_changes(const Subject& subject, const Phrases& phrases) {
  if (!subject.cuda || subject.cuda->compat_branches.empty()) return {};
  std::string version = subject.cuda->version.text();
  std::replace(version.begin(), version.end(), '.', '-');
  const std::string package = "cuda-compat-" + version.substr(0, version.find('-', version.find('-') + 1));
  Change change{subject.request,
                {phrases.say("install {}: forward compatibility, the driver stays", package), false, "sudo apt-get install " + package, true, {}}};
  change.changed.packages.push_back("cuda-compat");
  return {change};
}

StackFix fix_of(const Change& change) {
  StackFix fix = change.fix;
  fix.stack = change.changed;
  return fix;
}

// The second is a change of what the first leads to.
StackFix both(const StackFix& one, const StackFix& other, const Phrases& phrases) {
  const std::string command = one.command.empty() || other.command.empty() ? one.command + other.command : one.command + " && " + other.command;
  return {phrases.say("{}, and {}", one.change, other.change), one.touches_driver || other.touches_driver, command, true, other.stack};
}

// Two changes: another build and the driver it needs.
void add_pair(Checker& checker, const Subject& subject, std::vector<StackFix>& fixes) {
  for (const Change& build : build_changes(subject, checker)) {
    if (const auto driver = other_driver(checker, subject, build.changed))
      return fixes.push_back(both(build.fix, fix_of(*driver), checker.phrases()));
  }
}

}  // namespace

std::vector<StackFix> search_fixes(Checker& checker, const Subject& asked) {
  Subject subject = asked;
  subject.request.symptom.clear();  // it belongs to the stack as it was
  std::optional<StackFix> module;
  const bool needs_open = asked.board.module == "open_only" && asked.request.kernel_module == "proprietary";
  const bool needs_closed = asked.board.module == "proprietary_only" && asked.request.kernel_module == "open";
  if (needs_open || needs_closed) {
    const std::string flavour = needs_open ? "open" : "proprietary";
    subject.request.kernel_module = flavour;
    module = StackFix{checker.phrases().say("install the {} flavour of the kernel module", flavour), true,
                      needs_open ? "sudo apt-get install nvidia-open" : "", true, subject.request};
    if (checker.runs(subject.request)) return {*module};
  }
  std::vector<StackFix> fixes;
  for (const Changes& changes : {build_changes(subject, checker), compat_changes(subject, checker.phrases())}) {
    if (const Change* change = first_that_runs(checker, changes)) fixes.push_back(fix_of(*change));
  }
  if (const auto change = other_driver(checker, subject, subject.request)) fixes.push_back(fix_of(*change));
  if (fixes.empty() && !subject.driver.text.empty()) add_pair(checker, subject, fixes);
  for (StackFix& fix : fixes) {
    fix.verified = true;
    if (module) fix = both(*module, fix, checker.phrases());
  }
  return fixes;
}

}  // namespace steelyard::stack

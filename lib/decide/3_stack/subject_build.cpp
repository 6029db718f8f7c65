// Framework build, CUDA runtime and image of a stack.
#include <algorithm>

#include "core/text.hpp"
#include "decide/3_stack/subject.hpp"
#include "decide/3_stack/symptom.hpp"

namespace steelyard::stack {

namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return contains(text, part); });
}

// "flash-attn==2.8.0" -> name and version.
struct Package {
  std::string name;
  std::optional<Version> version;
};

Package parse_package(const std::string& text) {
  const std::size_t end = std::min(text.find_first_of("=<>~![; "), text.size());
  const std::size_t digits = text.find_first_of("0123456789", end);
  Package package{to_lower(trim(text.substr(0, end))), {}};
  if (digits != std::string::npos) package.version = parse_version(text.substr(digits));
  return package;
}

const Needs* needs_of(const Framework& framework, const std::optional<Version>& version) {
  if (!version) return framework.releases.size() == 1 ? &framework.releases.front() : nullptr;
  const double number = version->number();
  for (const Needs& needs : framework.releases) {
    const Version to = needs.to ? *parse_version(needs.to.text) : Version{{999}};
    if (number >= needs.from.number && number <= to.upper()) return &needs;
  }
  return nullptr;
}

void raise(std::optional<Need>& need, double value, const std::string& by) {
  if (!need || value > need->value) need = Need{value, by};
}

void lower(std::optional<Need>& need, double value, const std::string& by) {
  if (!need || value < need->value) need = Need{value, by};
}

void add_needs(Subject& subject, const Needs& needs, const std::string& by) {
  if (needs.min_sm) raise(subject.min_sm, *needs.min_sm, by);
  if (needs.max_sm) lower(subject.max_sm, *needs.max_sm, by);
  if (needs.glibc) raise(subject.needs_glibc, needs.glibc.number, by);
}

const Wheel* find_wheel(const TorchRelease& release, const std::string& variant) {
  const auto wanted = [&](const Wheel& wheel) { return variant.empty() ? wheel.is_default : wheel.variant == variant; };
  const auto found = std::find_if(release.wheels.begin(), release.wheels.end(), wanted);
  return found == release.wheels.end() ? nullptr : &*found;
}

std::string variant_of(const Version& cuda) {
  return "cu" + std::to_string(cuda.first()) + std::to_string(cuda.parts.size() > 1 ? cuda.parts[1] : 0);
}

// The variant that the version text names: one cuNNN word, and no word that takes it back.
std::string named_variant(const std::string& text) {
  const std::vector<std::string> variants = variants_in(text);
  return variants.size() == 1 && !contains_any(text, {"before", "pre-", "not ", "without", "until"}) ? variants.front() : "";
}

void find_framework(BuildFacts& build, const std::string& text, const Library& library) {
  build.name = text;
  build.framework = library.framework(text);
  if (!build.framework && has_word(text, "torch") + has_word(text, "pytorch") > 0) {
    build.name = "pytorch";
    build.known = true;
    return;
  }
  for (const Framework& framework : library.frameworks) {
    if (!build.framework && has_word(text, framework.name)) build.framework = &framework;
  }
  build.known = build.framework != nullptr;
  if (build.known) build.name = build.framework->name;
}

void find_build(Subject& subject, const Library& library) {
  BuildFacts& build = subject.build;
  const std::string version = to_lower(subject.request.framework_version);
  if (subject.request.framework.empty() && subject.image && subject.image->torch) build.name = "pytorch", build.known = true;
  if (!subject.request.framework.empty()) find_framework(build, to_lower(subject.request.framework), library);
  build.version = parse_version(version);
  build.prerelease = contains_any(version, {"dev", "a0", "rc", "nightly", "alpha", "beta"});
  build.variant = named_variant(version);
  if (parse_variant(to_lower(subject.request.cuda))) build.variant = to_lower(subject.request.cuda);
  build.variant_given = !build.variant.empty();
  if (build.name == "pytorch" && build.version && !build.prerelease) build.torch = library.torch_release(*build.version);
  if (build.framework) build.needs = needs_of(*build.framework, build.version);
}

// A PyTorch of a known release: the wheel asked for, that of the toolkit the user names, or the default one.
void find_torch_wheel(BuildFacts& build, const std::optional<Version>& toolkit) {
  if (!build.torch) return;
  if (!build.variant_given && toolkit) build.wheel = find_wheel(*build.torch, variant_of(*toolkit));
  if (!build.wheel) build.wheel = find_wheel(*build.torch, build.variant);
  if (build.wheel && !build.variant_given) build.variant = build.wheel->variant;
}

void set_cuda(Subject& subject, const Version& version, const std::string& text, const std::string& origin, const Library& library) {
  CudaFacts cuda;
  cuda.text = text;
  cuda.origin = origin;
  cuda.version = version;
  cuda.release = library.release(version);
  const bool windows = subject.system != "linux";
  if (cuda.release) cuda.own_driver = windows ? cuda.release->windows : cuda.release->linux;
  if (cuda.release) cuda.compat_branches = cuda.release->compat_branches;
  if (const CudaFamily* family = library.family(version.first()))
    cuda.floor = windows ? family->windows : family->linux;
  else
    cuda.floor = cuda.own_driver;
  subject.cuda = std::move(cuda);
}

// What the runtime is, most definite first: the build, the image, the toolkit the user names, the framework's usual build.
void find_cuda(Subject& subject, const Library& library) {
  const BuildFacts& build = subject.build;
  if (build.wheel) {
    set_cuda(subject, *parse_version(build.wheel->cuda.text), build.variant, "wheel", library);
    subject.cuda->floor = build.wheel->driver;
  } else if (const auto variant = parse_variant(build.variant)) {
    set_cuda(subject, *variant, build.variant, "wheel", library);
  } else if (subject.toolkit) {
    set_cuda(subject, *subject.toolkit, subject.request.cuda, "toolkit", library);
  } else if (!subject.image_cuda.empty()) {
    set_cuda(subject, *parse_version(subject.image_cuda), subject.image_cuda, "image", library);
  } else if (build.needs && build.needs->cuda) {
    set_cuda(subject, *parse_version(build.needs->cuda.text), build.needs->cuda.text, "framework", library);
  }
  if (subject.image && subject.cuda && !subject.image->compat_branches.empty()) subject.cuda->compat_branches = subject.image->compat_branches;
}

// "*" in a tag of the table stands for any word.
bool tag_fits(std::string_view pattern, std::string_view tag) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == tag;
  return tag.substr(0, star) == pattern.substr(0, star);
}

void find_image(Subject& subject, const Library& library) {
  const std::string text = to_lower(subject.request.image);
  if (text.empty()) return;
  subject.container = true;
  const std::size_t colon = text.rfind(':');
  const std::string name = text.substr(0, colon), tag = colon == std::string::npos ? "" : text.substr(colon + 1);
  for (const Image& image : library.images) {
    const bool same = name.size() >= image.image.size() && name.substr(name.size() - image.image.size()) == image.image;
    if (same && tag_fits(image.tag, tag)) subject.image = &image;
  }
  if (subject.image) {
    subject.image_cuda = subject.image->cuda.text;
    return;
  }
  // "2.3.0-cuda12.4-cudnn8-runtime", "nvidia/cuda:12.4.1-devel-ubuntu22.04": the tag says it.
  const std::size_t at = tag.find("cuda");
  const std::string written = at != std::string::npos ? tag.substr(at + 4) : contains(name, "cuda") ? tag : "";
  if (const auto cuda = parse_version(written)) subject.image_cuda = cuda->text();
}

// "12.4", "CUDA 12.4 toolkit", "nvcc 11.3"; not "cu121", not "12.2 driver".
std::optional<Version> named_toolkit(const std::string& text) {
  const std::string lower = to_lower(text);
  if (contains(lower, "driver") || parse_variant(lower)) return std::nullopt;
  const std::size_t digits = lower.find_first_of("0123456789");
  return digits == std::string::npos ? std::nullopt : parse_version(lower.substr(digits));
}

// An image of the table or a tag like "2.3.0-cuda12.4-..." names framework and release when the user did not.
void fill_in_from_image(Subject& subject) {
  const std::string image = to_lower(subject.request.image);
  if (!subject.request.framework.empty() || image.rfind("pytorch/pytorch:", 0) == std::string::npos) return;
  subject.request.framework = "pytorch";
  if (subject.request.framework_version.empty()) subject.request.framework_version = image.substr(image.rfind(':') + 1);
  if (subject.request.cuda.empty() && !subject.image_cuda.empty()) subject.request.cuda = variant_of(*parse_version(subject.image_cuda));
}

void add_feature_needs(Subject& subject, const std::string& package, const Library& library) {
  for (const Feature& feature : library.features) {
    if (package == feature.name) raise(subject.min_sm, feature.min_sm, feature.name);
  }
}

}  // namespace

void gather_build(Subject& subject, const Library& library) {
  find_image(subject, library);
  fill_in_from_image(subject);
  subject.toolkit = named_toolkit(subject.request.cuda);
  find_build(subject, library);
  find_torch_wheel(subject.build, subject.toolkit);
  find_cuda(subject, library);
  if (subject.build.needs) add_needs(subject, *subject.build.needs, subject.build.name);
  if (subject.build.wheel && subject.build.wheel->glibc) raise(subject.needs_glibc, subject.build.wheel->glibc.number, "the PyTorch wheel");
  for (const std::string& text : subject.request.packages) {
    const Package package = parse_package(text);
    add_feature_needs(subject, package.name, library);
    if (const Framework* framework = library.framework(package.name)) {
      if (const Needs* needs = needs_of(*framework, package.version)) add_needs(subject, *needs, text);
    }
  }
}

}  // namespace steelyard::stack

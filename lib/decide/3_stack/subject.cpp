#include "decide/3_stack/subject.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "decide/3_stack/symptom.hpp"

namespace steelyard::stack {

namespace {

std::string all_words(const StackRequest& request) {
  std::string words = request.symptom;
  for (const std::string* field : {&request.framework, &request.framework_version, &request.image, &request.os, &request.cuda, &request.gpu}) {
    if (!field->empty()) words += "; " + *field;
  }
  for (const std::string& package : request.packages) words += "; " + package;
  return words;
}

std::string system_of(const StackRequest& request, const std::string& words) {
  const std::string os = to_lower(request.os);
  if (os.find("wsl") != std::string::npos) return "wsl2";
  if (os.find("windows") != std::string::npos) return "windows";
  if (os.empty() && has_word(words, "wsl2")) return "wsl2";
  return "linux";
}

bool names_system(const System& system, const std::string& os) {
  const auto named = [&](const std::string& name) { return os.find(name) != std::string::npos; };
  return std::any_of(system.names.begin(), system.names.end(), named);
}

// "Ubuntu 20.04 (glibc 2.31)", "RHEL 8.6", "ubuntu22.04": what the text says of the C library, else what the distribution brings.
Known glibc_of(const StackRequest& request, const Library& library) {
  const std::string os = to_lower(request.os);
  const std::size_t named = os.find("glibc");
  std::string text = request.glibc;
  if (text.empty() && named != std::string::npos) text = os.substr(std::min(os.find_first_of("0123456789", named), os.size()));
  if (const auto version = parse_version(text)) return {version->text(), version->number()};
  const std::size_t digits = os.find_first_of("0123456789");
  if (digits == std::string::npos) return {};
  for (const System& system : library.systems) {
    const bool same = names_system(system, os) && os.compare(digits, system.version.size(), system.version) == 0;
    const std::size_t end = digits + system.version.size();
    if (same && (end >= os.size() || os[end] < '0' || os[end] > '9')) return system.glibc;
  }
  return {};
}

bool speaks_of_container(const std::string& words) {
  for (const char* word : {"container", "containers", "docker", "image", "pod", "kubernetes", "k8s", "k3s", "kubelet", "podman", "devcontainer",
                           "containerd", "ngc", "apptainer", "singularity", "enroot", "device plugin"}) {
    if (has_word(words, word)) return true;
  }
  return false;
}

}  // namespace

void gather_host(Subject& subject, const Library& library) {
  subject.glibc = glibc_of(subject.request, library);
  subject.container = subject.container || speaks_of_container(subject.words);
}

Subject gather(const StackRequest& request, const BoardSource& source, const Library& library) {
  Subject subject;
  subject.request = request;
  subject.symptom = normalised(request.symptom);
  subject.words = normalised(all_words(request));
  subject.stated = stated_in(subject.words);
  subject.variants = variants_in(subject.words);
  subject.system = system_of(request, subject.words);
  subject.board = board_facts(request.gpu, subject.words, source, library);
  gather_build(subject, library);
  gather_host(subject, library);
  subject.driver = driver_facts(subject, library);
  return subject;
}

}  // namespace steelyard::stack

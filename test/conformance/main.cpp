// steelyard_conformance [--profile core|extended|table|graph|boxed|feel] DIR
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "cases.hpp"
#include "load/node.hpp"

namespace {

using namespace steelyard;
using namespace steelyard::conformance;

std::vector<std::string> files_of(const std::filesystem::path& folder, const std::string& extension) {
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == extension) paths.push_back(at->path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Value read(const std::string& path) {
  const auto document = load::read_document(path, {64u << 20, 64});
  if (document) return load::to_value(document.value->root);
  for (const Issue& issue : document.issues) std::cerr << to_string(issue) << "\n";
  return {};
}

class Report {
 public:
  explicit Report(std::string profile) : profile_(std::move(profile)) {}

  bool wants(const std::string& profile) const { return profile_.empty() || profile == profile_; }

  void add(const Verdict& verdict) {
    if (!wants(verdict.profile)) return;
    std::cout << to_json(Value::Map{{"id", verdict.id}, {"profile", verdict.profile}, {"result", verdict.result}, {"detail", verdict.detail}})
              << "\n";
    ++(verdict.result == "pass" ? passed_ : verdict.result == "fail" ? failed_ : skipped_);
  }

  int finish() const {
    std::cout << passed_ << " passed, " << failed_ << " failed, " << skipped_ << " skipped\n";
    return failed_ == 0 ? 0 : 1;
  }

 private:
  std::string profile_;
  int passed_ = 0, failed_ = 0, skipped_ = 0;
};

template <class Run>
void run_cases(const Value& file, Report& report, Run run) {
  const Value* cases = file.find("cases");
  if (!cases || !cases->is_list()) return;
  for (const Value& one : cases->as_list()) report.add(run(one));
}

}  // namespace

int main(int argc, char** argv) {
  std::string profile, folder;
  for (int at = 1; at < argc; ++at) {
    const std::string word = argv[at];
    if (word == "--profile" && at + 1 < argc) {
      profile = argv[++at];
    } else {
      folder = word;
    }
  }
  if (folder.empty()) return std::cerr << "usage: steelyard_conformance [--profile core|extended|table|graph|boxed|feel] DIR\n", 2;
  Report report(profile);
  for (const std::string& path : files_of(folder + "/cel", ".json")) run_cases(read(path), report, run_cel);
  for (const std::string& path : files_of(folder + "/dmn/feel", ".json")) run_cases(read(path), report, skip_feel);
  for (const std::string& path : files_of(folder + "/dmn/tables", ".yaml")) {
    for (const Verdict& verdict : run_dmn(read(path))) report.add(verdict);
  }
  return report.finish();
}

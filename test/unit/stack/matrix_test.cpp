// Every toolkit on every board with six drivers: always a verdict, never an exception, and a newer driver never makes it worse unless a rule says
// why.
#include <algorithm>
#include <map>
#include <steelyard/stack.hpp>

#include "decide/3_stack/checker.hpp"
#include "rules/rules.hpp"
#include "support/catch.hpp"

using namespace steelyard;

namespace {

constexpr const char* drivers[] = {"440.33.01", "450.80.02", "525.60.13", "550.54.14", "580.95.05", "610.43.02"};

int rank_of(const std::string& verdict) {
  static const std::map<std::string, int> ranks{{"impossible", 0}, {"fixable", 1}, {"unknown", 1}, {"limited", 2}, {"ok", 3}};
  const auto found = ranks.find(verdict);
  return found == ranks.end() ? -1 : found->second;
}

std::string verdict_of(stack::Checker& checker, const Board& board, const std::string& cuda, const char* driver) {
  StackRequest request;
  request.gpu = board.id;
  request.driver = driver;
  request.cuda = cuda;
  request.os = "linux";
  return checker.verdict_of(request);
}

// A board's last branch, or a rule on known faults, may make a newer driver worse.
bool has_reason(stack::Checker& checker, const Board& board, const std::string& cuda, const char* driver) {
  StackRequest request;
  request.gpu = board.id;
  request.driver = driver;
  request.cuda = cuda;
  const auto found = checker.structural(checker.subject_of(request));
  return std::any_of(found.begin(), found.end(), [](const stack::Found& one) {
    return one.finding.rule == "stack.check.board.branch_dropped" || one.finding.rule.find("known_bad") != std::string::npos;
  });
}

}  // namespace

TEST_CASE("every toolkit, every board, six drivers") {
  stack::Checker checker(Catalog::embedded(), rules::embedded_book("reference"));
  int without_verdict = 0, worse = 0;
  for (const Board& board : Catalog::embedded().boards()) {
    for (const stack::CudaRelease& release : checker.library().releases) {
      int before = 0;
      for (const char* driver : drivers) {
        const int rank = rank_of(verdict_of(checker, board, release.cuda.text, driver));
        without_verdict += rank < 0;
        const bool falls = rank < before && !has_reason(checker, board, release.cuda.text, driver);
        if (falls) UNSCOPED_INFO(board.id << " CUDA " << release.cuda.text << " driver " << driver << ": worse than with an older driver");
        worse += falls;
        before = rank;
      }
    }
  }
  CHECK(without_verdict == 0);
  CHECK(worse == 0);
}

TEST_CASE("the library of stacks is sound") {
  const stack::Library& library = stack::Library::embedded();
  CHECK(library.releases.size() > 50);
  for (std::size_t i = 1; i < library.releases.size(); ++i) {
    CHECK(library.releases[i].cuda.number < library.releases[i - 1].cuda.number);
    if (library.releases[i - 1].linux) CHECK(library.releases[i].linux.number <= library.releases[i - 1].linux.number);
  }
  for (const stack::TorchRelease& release : library.torch) {
    CHECK(std::count_if(release.wheels.begin(), release.wheels.end(), [](const stack::Wheel& wheel) { return wheel.is_default; }) == 1);
    for (const stack::Wheel& wheel : release.wheels) {
      CHECK(library.release(*stack::parse_version(wheel.cuda.text)) != nullptr);
      CHECK(std::is_sorted(wheel.sm.begin(), wheel.sm.end()));
    }
  }
  for (const stack::Image& image : library.images) CHECK(library.release(*stack::parse_version(image.cuda.text)) != nullptr);
}

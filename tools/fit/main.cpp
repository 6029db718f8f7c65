// steelyard_fit --data FOLDER --out FOLDER [--family NAME] [--quick yes] [--show FOLD]: fits the shipped efficiencies from measured rows and prints
// how well they predict. Every family is one entry of `families`: its own file in this folder, its own YAML file.
#include <cstdio>
#include <exception>
#include <string>

#include "family.hpp"

namespace {

int usage() {
  std::fputs(
      "usage: steelyard_fit --data FOLDER --out FOLDER [--family NAME] [--quick yes] [--show FOLD]\n"
      "  --data    folder of the measured rows (*.csv)\n"
      "  --out     data/efficiency: holds *_priors.yaml, gets the fitted *.yaml\n"
      "  --family  only that one\n"
      "  --quick   yes: cross-validate by the linear shortcut, write nothing\n"
      "  --show    family, source, board, model or release: print each row predicted without its own\n",
      stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  steelyard::fit::Request request;
  std::string only;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--data")
      request.data = argv[i + 1];
    else if (option == "--out")
      request.out = argv[i + 1];
    else if (option == "--family")
      only = argv[i + 1];
    else if (option == "--quick")
      request.quick = std::string(argv[i + 1]) == "yes";
    else if (option == "--show")
      request.show = argv[i + 1];
    else
      return usage();
  }
  if (argc % 2 == 0 || request.data.empty() || request.out.empty()) return usage();
  int done = 0;
  for (const steelyard::fit::Family& family : steelyard::fit::families()) {
    if (!only.empty() && only != family.name) continue;
    std::fputs(family.fit(request).c_str(), stdout);
    ++done;
  }
  return done ? 0 : usage();
} catch (const std::exception& fault) {
  std::fprintf(stderr, "steelyard_fit: %s\n", fault.what());
  return 2;
}

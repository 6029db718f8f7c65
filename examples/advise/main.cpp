// advise: which multi-GPU server or cluster to rent, and why. A client of the public headers and nothing else.
#include <algorithm>
#include <cctype>
#include <exception>
#include <iostream>
#include <steelyard/issue.hpp>

#include "files.hpp"
#include "verbs.hpp"

namespace advise {

int run_estimate(const Words& words);
int run_recommend(const Words& words);
int run_explain(const Words& words);
int run_compare(const Words& words);
int run_stack(const Words& words);
int run_calibrate(const Words& words);
int run_import(const Words& words);
int run_lint(const Words& words);
int run_rules(const Words& words);
int run_understand(const Words& words);
int run_launch(const Words& words);

int run_read(const Words& words);
int run_verify(const Words& words);
int run_diagnose(const Words& words);
int run_acceptance(const Words& words);

namespace {

constexpr Verb verbs[] = {
    {"recommend", "rank the offers of a catalog for a job (the default verb)", run_recommend},
    {"explain", "why one offer is accepted or rejected: the whole trace", run_explain},
    {"estimate", "memory, time and cost of a job on one configuration", run_estimate},
    {"compare", "two offers side by side: where they differ, and the terms of their cost", run_compare},
    {"launch", "the files that start the job as planned: commands, configurations, container", run_launch},
    {"understand", "what the files that you have say about a job, and what is missing", run_understand},
    {"stack", "does a software stack run on a board, and what makes it run", run_stack},
    {"calibrate", "measure this machine; the file is taken by --calibration", run_calibrate},
    {"import", "the offers of a price list", run_import},
    {"lint", "faults of price lists and of job, offer and board files, each at its line", run_lint},
    {"rules", "are rule books sound, do their tests hold, what hangs on what", run_rules},

    {"read", "what the output of a tool says, and whether it is sound", run_read},
    {"verify", "does the evidence prove what was promised", run_verify},
    {"diagnose", "likely causes of what a text shows", run_diagnose},
    {"acceptance", "the acceptance test of an offer, as a script", run_acceptance},
};

const Verb* find_verb(const std::string& word) {
  const auto found = std::find_if(std::begin(verbs), std::end(verbs), [&](const Verb& verb) { return word == verb.name; });
  return found == std::end(verbs) ? nullptr : found;
}

int print_help() {
  std::string text = "advise: which multi-GPU server or cluster to rent for a job, and why.\n\nusage: advise [VERB] ...\n\nVerbs:\n";
  for (const Verb& verb : verbs) text += "  " + std::string(verb.name) + std::string(12 - std::string(verb.name).size(), ' ') + verb.summary + "\n";
  text +=
      "\n`advise VERB --help` shows the options and examples of a verb; `advise --version` the version.\n"
      "`advise job.yaml` and `advise --task llm_inference --model Qwen2-VL-7B` mean `advise recommend ...`.\n";
  write_output("", text);
  return answered;
}

// The verb that a mistyped word is one edit away from: a letter more, less, other, or two swapped.
const Verb* verb_like(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto like = [&](const Verb& verb) {
    const std::string name = verb.name;
    const std::size_t shorter = std::min(name.size(), word.size());
    std::size_t front = 0, back = 0;
    while (front < shorter && name[front] == word[front]) ++front;
    while (back < shorter - front && name[name.size() - 1 - back] == word[word.size() - 1 - back]) ++back;
    const std::size_t left = std::max(name.size(), word.size()) - front - back;
    return left <= 1 || (left == 2 && name.size() == word.size() && name[front] == word[front + 1] && name[front + 1] == word[front]);
  };
  const auto found = std::find_if(std::begin(verbs), std::end(verbs), like);
  return found == std::end(verbs) ? nullptr : found;
}

int run(Words words) {
  if (words.size() > 1 && words[0] == "help" && find_verb(words[1])) words = {words[1], "--help"};
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") return print_help();
  if (words[0] == "--version" || words[0] == "-V") {
    write_output("", "advise " STEELYARD_VERSION "\n");
    return answered;
  }
  if (const Verb* verb = find_verb(words[0])) return verb->run({words.begin() + 1, words.end()});
  const bool looks_like_job = words[0][0] == '-' || words[0].find('.') != std::string::npos || words[0].find('/') != std::string::npos;
  if (looks_like_job) return run_recommend(words);
  const Verb* near = verb_like(words[0]);
  throw UsageError("unknown verb '" + words[0] + "'; " + (near ? std::string("did you mean ") + near->name + "? " : std::string()) +
                   "`advise --help` lists the verbs, and a job file ends in .yaml or .json");
}

}  // namespace
}  // namespace advise

int main(int argc, char** argv) {
  advise::occupy_standard_streams();
  advise::install_signal_handlers();
  try {
    return advise::run({argv + 1, argv + argc});
  } catch (const advise::UsageError& error) {
    std::cerr << "advise: " << error.what() << "\n";
    return advise::bad_input;
  } catch (const steelyard::LoadError& error) {
    std::cerr << error.what() << "\n";
    return advise::bad_input;
  } catch (const std::exception& error) {
    std::cerr << "advise: internal error: " << error.what() << "\n";
    return advise::internal_error;
  }
}

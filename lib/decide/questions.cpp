#include "decide/questions.hpp"

#include <algorithm>

#include "words/phrases.hpp"

namespace steelyard::decide {

namespace {

bool starts_with(const std::string& text, const char* beginning) { return text.rfind(beginning, 0) == 0; }

bool computed(const std::string& fact) {
  for (const char* group : {"time.", "exchange.", "scaling.", "memory.", "plan.", "price.total"}) {
    if (starts_with(fact, group)) return true;
  }
  return false;
}

}  // namespace

void ask(Estimate& estimate, const std::string& fact, const std::string& decision, Language language) {
  const auto known = std::find_if(estimate.questions.begin(), estimate.questions.end(), [&](const Question& one) { return one.field == fact; });
  if (known != estimate.questions.end()) {
    known->decides.push_back(decision);
    return;
  }
  const words::Phrases& phrases = words::Phrases::of(language);
  const std::string meaning = phrases.fact(fact);
  const std::string what = meaning.empty() ? fact : phrases.say("{} ({})", fact, meaning);
  estimate.questions.push_back({phrases.say("What is {}? It is not stated, and {} hangs on it.", what, decision), fact, {decision}});
}

void ask_what_can_be_answered(Estimate& estimate, Language language) {
  auto& questions = estimate.questions;
  const auto first = std::stable_partition(questions.begin(), questions.end(), [](const Question& one) { return !computed(one.field); });
  if (first == questions.end()) return;
  std::vector<std::string> decides = first->decides;
  questions.erase(first, questions.end());
  if (!questions.empty()) return;
  questions.push_back({words::Phrases::of(language).say(
                           "How fast does this job run here? Its speed can't be predicted from what is known: measure it and state `measured`"),
                       "configuration.measured.samples_per_s", std::move(decides)});
}

}  // namespace steelyard::decide

#include "decide/questions.hpp"

#include <algorithm>
#include <map>

#include "load/embedded.hpp"

namespace steelyard::decide {

namespace {

// What each declared fact means, from data/schema.
const std::map<std::string, std::string>& meanings() {
  static const std::map<std::string, std::string> known = [] {
    std::map<std::string, std::string> abouts;
    for (const std::string_view file : load::embedded_names("data/schema/facts/")) {
      const load::Document document = load::embedded_document(file);
      const load::Node* facts = document.root.find("facts");
      for (const load::Node& fact : facts ? facts->items : std::vector<load::Node>{}) {
        const load::Node *name = fact.find("name"), *about = fact.find("about");
        if (name && about) abouts[name->text] = about->text;
      }
    }
    return abouts;
  }();
  return known;
}

bool starts_with(const std::string& text, const char* beginning) { return text.rfind(beginning, 0) == 0; }

bool computed(const std::string& fact) {
  for (const char* group : {"time.", "exchange.", "scaling.", "memory.", "plan.", "price.total"}) {
    if (starts_with(fact, group)) return true;
  }
  return false;
}

}  // namespace

void ask(Estimate& estimate, const std::string& fact, const std::string& decision) {
  const auto known = std::find_if(estimate.questions.begin(), estimate.questions.end(), [&](const Question& one) { return one.field == fact; });
  if (known != estimate.questions.end()) {
    known->decides.push_back(decision);
    return;
  }
  const auto meaning = meanings().find(fact);
  const std::string what = meaning == meanings().end() ? fact : fact + " (" + meaning->second + ")";
  estimate.questions.push_back({"What is " + what + "? It is not stated, and " + decision + " hangs on it.", fact, {decision}});
}

void ask_what_can_be_answered(Estimate& estimate) {
  auto& questions = estimate.questions;
  const auto first = std::stable_partition(questions.begin(), questions.end(), [](const Question& one) { return !computed(one.field); });
  if (first == questions.end()) return;
  std::vector<std::string> decides = first->decides;
  questions.erase(first, questions.end());
  if (!questions.empty()) return;
  questions.push_back({"How fast does this job run here? Its speed can't be predicted from what is known: measure it and state `measured`",
                       "configuration.measured.samples_per_s", std::move(decides)});
}

}  // namespace steelyard::decide

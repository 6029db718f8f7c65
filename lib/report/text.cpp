// Text for a terminal.
#include "core/text.hpp"

#include <algorithm>
#include <steelyard/report.hpp>
#include <steelyard/stack.hpp>

#include "core/printable.hpp"
#include "report/groups.hpp"
#include "report/words.hpp"

namespace steelyard::report {

namespace {

constexpr std::size_t page_width = 80;

// The characters of a text, each with all its bytes.
std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> found;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    found.push_back(text.substr(at, end - at));
    at = end;
  }
  return found;
}

bool is_one_of(std::string_view character, std::initializer_list<std::string_view> marks) {
  return std::find(marks.begin(), marks.end(), character) != marks.end();
}

// May a line end between two characters: behind a space, and around those of East Asia but for marks that belong to what is beside them.
bool may_break(std::string_view before, std::string_view behind) {
  if (before == " ") return true;
  const bool wide = display_width(before) == 2 || display_width(behind) == 2;
  return wide && behind != " " && !is_one_of(before, {"（"}) && !is_one_of(behind, {"，", "。", "；", "：", "、", "）", "？"});
}

// What stays together on a line; a piece ends with the space behind it.
std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces;
  std::string_view before;
  for (const std::string_view character : characters(text)) {
    if (pieces.empty() || may_break(before, character)) pieces.emplace_back();
    pieces.back() += character;
    before = character;
  }
  return pieces;
}

// Breaks a sentence so that it fits the page, later lines indented.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string page, line;
  const auto without_end = [](std::string piece) {
    while (!piece.empty() && piece.back() == ' ') piece.pop_back();
    return piece;
  };
  for (const std::string& piece : pieces_of(text)) {
    if (!line.empty() && indent + display_width(line) + display_width(without_end(piece)) > page_width) {
      page += without_end(line) + "\n" + std::string(indent, ' ');
      line.clear();
    }
    line += piece;
  }
  return page + without_end(line);
}

std::string item(const std::string& text) { return "  - " + wrapped(text, 4) + "\n"; }

std::string padded(const std::string& text, std::size_t columns) {
  const std::size_t width = display_width(text);
  return text + std::string(width < columns ? columns - width : 1, ' ');
}

// "  speed    " and what follows, all lines aligned.
std::string row(const std::string& label, const std::string& text) {
  constexpr std::size_t column = 9;
  return "  " + padded(label, column) + wrapped(text, 2 + column) + "\n";
}

/// One report in one language.
class Page {
 public:
  explicit Page(Language language) : words_(language), language_(language) {}

  std::string reasons(const std::vector<Reason>& list) const {
    std::string text;
    for (const Reason& reason : list) {
      const std::string meaning = language_ == Language::english ? "" : words_.code(reason.code) + words_.say(": ");
      const std::string rule = reason.rule.empty() ? "" : words_.say(", rule {}", reason.rule);
      text += item(fmt::format("{}{} [{}{}]", meaning, reason.message, reason.code, rule));
    }
    return text;
  }

  std::string questions(const std::vector<Question>& list, std::size_t most) const {
    std::string text;
    for (std::size_t index = 0; index < std::min(most, list.size()); ++index) text += item(list[index].ask);
    if (list.size() > most) text += "  " + words_.say("... and {} more", list.size() - most) + "\n";
    return text;
  }

  std::string trace(const std::vector<TraceStep>& steps) const {
    std::string text, last;
    int number = 0;
    for (const TraceStep& step : steps) {
      if (step.step != last) text += fmt::format("  {} {}\n", ++number, words_.say(step.step));
      last = step.step;
      text += "      " + wrapped(step.because, 8) + "\n        " + step.rule + "  " + to_string(step.where) + "\n";
    }
    return text;
  }

  std::string figures(const Estimate& estimate, bool scaling) const {
    std::string text;
    if (estimate.plan) text += row(words_.say("plan"), words_.plan(*estimate.plan));
    if (estimate.software) text += row(words_.say("software"), words_.software(*estimate.software));
    text += row(words_.say("memory"), words_.memory(estimate.memory));
    text += row(words_.say("speed"), words_.speed(estimate));
    text += row(words_.say("cost"), words_.costs(estimate));
    if (estimate.cost_parts) text += row("", words_.cost_parts(*estimate.cost_parts));
    if (estimate.scaling && scaling) text += row(words_.say("scaling"), words_.scaling(*estimate.scaling));
    if (estimate.csi) {
      const std::string tier = estimate.tier.empty() ? words_.say("not known") : estimate.tier;
      text += row(words_.say("network"), words_.say("{} needed (communication index {})", tier, figure(*estimate.csi, 5)));
    }
    if (!estimate.time.confidence.empty()) text += row(words_.say("rests on"), words_.say(estimate.time.confidence));
    return text;
  }

  std::string headline(const Decision& decision) const {
    const RankedOffer* best = decision.best();
    if (!best) return words_.say("Nothing fits: none of {} offers is accepted.", decision.offers) + "\n";
    return words_.say("Rent {}: {}", best->offer, words_.machine(best->configuration)) + "\n" +
           row(words_.say("link"), words_.network(best->configuration)) + figures(best->estimate, false) + words_.say("Why, step by step:") + "\n" +
           trace(best->estimate.trace);
  }

  std::string ranking(const Decision& decision, std::size_t top) const {
    if (decision.ranking.empty()) return {};
    std::string page = "\n" + words_.say("{} of {} offers are accepted. Best first:", decision.counts.accepted, decision.offers) + "\n";
    for (std::size_t index = 0; index < std::min(top, decision.ranking.size()); ++index) {
      const RankedOffer& one = decision.ranking[index];
      page += fmt::format("{:>4} {}  {}\n     {}\n", one.rank, one.offer, words_.machine(one.configuration),
                          wrapped(words_.speed(one.estimate) + words_.say("; ") + words_.costs(one.estimate), 5));
      if (!one.dominated_by.empty() && index < 3) page += "     " + words_.say("slower and dearer than {}", one.dominated_by) + "\n";
    }
    return page;
  }

  // What stands beside the first place: how firm it is, other bests, the way up from a small cluster.
  std::string beside(const Decision& decision) const {
    std::string page;
    if (decision.sensitivity) page += "\n" + words_.say("How firm:") + "\n" + item(words_.sensitivity(*decision.sensitivity));
    if (decision.choices.size() > 1) page += "\n" + words_.say("Also best in something:") + "\n";
    for (const std::string& line : words_.choices(decision.choices)) page += item(line);
    if (decision.minimal) {
      page += "\n" + wrapped(words_.say("Start small: {}; {}", decision.minimal->offer, decision.minimal->because), 2) + "\n";
    }
    if (decision.growth.size() > 1) page += words_.say("Then grow:") + "\n";
    for (std::size_t index = 1; index < decision.growth.size(); ++index) {
      page += item(decision.growth[index].offer + words_.say(": ") + decision.growth[index].because);
    }
    return page;
  }

  std::string rejections(const Decision& decision) const {
    std::string page;
    if (decision.counts.rejected > 0) page += "\n" + words_.say("Why not the others ({} rejected):", decision.counts.rejected) + "\n";
    for (const RejectionGroup& group : grouped(decision)) {
      const RejectedOffer& example = *group.offers.front();
      const std::string code = language_ == Language::english ? group.code : words_.code(group.code) + " [" + group.code + "]";
      page += item(words_.say("{}: {} offers, such as {}: {}", code, group.count, example.offer, example.reason.message));
    }
    if (!decision.feasible.empty()) page += "\n" + words_.say("What would make it feasible:") + "\n";
    for (const Explanation& way : decision.feasible) {
      for (const WhatIf& what_if : way.what_if) page += item(way.offer + words_.say(": ") + words_.changes(what_if));
    }
    if (decision.counts.undecided > 0) {
      page += "\n" + words_.say("{} offers can't be decided. What would decide them:", decision.counts.undecided) + "\n";
    }
    return page + questions(decision.questions, 5);
  }

  const Words& words() const { return words_; }

 private:
  Words words_;
  Language language_;
};

}  // namespace

std::string text(const Estimate& estimate, Language language) {
  const Page made(language);
  const Words& words = made.words();
  std::string page = words.say("Verdict: {}", words.say(estimate.verdict)) + "\n" + made.figures(estimate, true);
  if (!estimate.reasons.empty()) page += words.say("Because:") + "\n" + made.reasons(estimate.reasons);
  if (!estimate.questions.empty()) page += words.say("To be answered:") + "\n" + made.questions(estimate.questions, 10);
  if (!estimate.warnings.empty()) page += words.say("Mind:") + "\n" + made.reasons(estimate.warnings);
  return page;
}

std::string text(const Decision& decision, std::size_t top, Language language) {
  const Page made(language);
  std::string page = made.headline(decision) + made.ranking(decision, top) + made.beside(decision);
  if (const RankedOffer* best = decision.best(); best && !best->estimate.warnings.empty()) {
    page += "\n" + made.words().say("Mind:") + "\n" + made.reasons(best->estimate.warnings);
  }
  return page + made.rejections(decision);
}

std::string text(const Explanation& explanation, Language language) {
  const Page made(language);
  const Words& words = made.words();
  std::string page = explanation.offer + ": " + words.machine(explanation.configuration) + "\n" + text(explanation.estimate, language);
  page += words.say("Step by step:") + "\n" + made.trace(explanation.estimate.trace);
  if (explanation.runnable) page += words.say("On its driver:") + "\n" + to_text(*explanation.runnable, 5, language);
  for (const WhatIf& what_if : explanation.what_if) page += item(words.changes(what_if));
  return page;
}

std::string text(const Comparison& comparison, Language language) {
  const Page made(language);
  const Words& words = made.words();
  const auto& [one, other] = std::tie(comparison.one, comparison.other);
  std::string page = (comparison.better.empty() ? words.say("Neither is accepted") : words.say("Better: {}", comparison.better)) + words.say(": ") +
                     comparison.because + "\n";
  page += "  A " + one.offer + ": " + words.machine(one.configuration) + ", " + words.say(one.estimate.verdict) + "\n";
  page += "  B " + other.offer + ": " + words.machine(other.configuration) + ", " + words.say(other.estimate.verdict) + "\n";
  page += (comparison.first_difference.empty() ? words.say("No rule tells them apart")
                                               : words.say("First difference: step {}", words.say(comparison.first_difference))) +
          "\n";
  for (const ComparedStep& step : comparison.steps) {
    if (!step.differs) continue;
    page += "  " + words.say(step.step) + "\n    A " + wrapped(step.one, 6) + "\n    B " + wrapped(step.other, 6) + "\n";
  }
  page += words.say("Terms of the cost") + "\n" + fmt::format("  {:<18}{:>14}{:>14}\n", "", "A", "B");
  const auto shown = [](const std::optional<double>& value) { return value ? figure(*value) : std::string("-"); };
  for (const ComparedTerm& term : comparison.terms) {
    const std::string unit = term.unit.empty() ? "" : words.say(term.unit);
    page += "  " + padded(words.say(term.term), 18) + fmt::format("{:>14}{:>14}  {}\n", shown(term.one), shown(term.other), unit);
  }
  return page;
}

std::string printable(std::string_view text) { return steelyard::printable(text); }

}  // namespace steelyard::report

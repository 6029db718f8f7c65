// One page of HTML that needs nothing but itself.
#include <algorithm>
#include <steelyard/report.hpp>

#include "core/text.hpp"
#include "report/groups.hpp"
#include "report/picture.hpp"
#include "report/words.hpp"

namespace steelyard::report {

namespace {

// Tables scroll inside their own frame, so that the page itself never does on a phone.
constexpr const char* style = R"(
:root{--ink:#1d2530;--soft:#5b6675;--line:#d8dee6;--paper:#fff;--panel:#f5f7fa;--accent:#0b6b53;--bad:#a33025}
@media(prefers-color-scheme:dark){:root{--ink:#e6eaf0;--soft:#9aa6b5;--line:#38424f;--paper:#151a21;--panel:#1e252e;--accent:#4fc3a1;--bad:#f08a7e}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:960px;padding:16px;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,"Noto Sans CJK SC",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:.2em 0 .6em}h2{font-size:1.15rem;margin:1.8em 0 .5em}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:8px;margin:0}
.figures div{background:var(--panel);border-radius:8px;padding:10px 12px}dt{color:var(--soft);font-size:.85rem}dd{margin:0}
.frame{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:6px 10px;border-bottom:1px solid var(--line);overflow-wrap:normal}th{color:var(--soft);font-weight:600;white-space:nowrap}
td.wide{min-width:16rem}code{font-size:.85em;color:var(--soft)}.bad{color:var(--bad)}
svg{width:100%;height:auto;max-width:640px;display:block;font:12px system-ui,sans-serif}svg text{fill:var(--ink)}
.grid{stroke:var(--line)}.front{fill:var(--accent)}.other{fill:none;stroke:var(--soft)}.line{fill:none;stroke:var(--accent);stroke-dasharray:4 3}
@media(max-width:560px){svg{font-size:19px}}
#path{list-style:none;margin:0;padding:0;max-width:640px}#path li{background:var(--panel);border:1px solid var(--accent);border-radius:8px;padding:8px 12px;margin-bottom:26px;position:relative}
#path li.idle{border-color:var(--line)}#path li:not(:last-child)::after{content:"\2193";position:absolute;left:50%;bottom:-26px;color:var(--soft)}#path code{float:right}
td.figure{white-space:nowrap}td.name{min-width:11rem;overflow-wrap:anywhere}
details{margin:.6em 0}summary{cursor:pointer}
)";

std::string element(const char* name, const std::string& inner) { return fmt::format("<{0}>{1}</{0}>\n", name, inner); }

std::string row(const char* cell, const std::vector<std::string>& cells) {
  std::string inner;
  for (const std::string& one : cells) inner += fmt::format("<{0}>{1}</{0}>", cell, one);
  return element("tr", inner);
}

std::string cell(const char* kind, const std::string& inner) { return fmt::format("<td class=\"{}\">{}</td>", kind, inner); }

std::string table(const char* id, const std::vector<std::string>& head, const std::string& rows) {
  return fmt::format("<div class=\"frame\"><table id=\"{}\"><thead>{}</thead><tbody>{}</tbody></table></div>\n", id, row("th", head), rows);
}

std::string section(const std::string& title, const std::string& inner) { return inner.empty() ? "" : element("h2", escaped(title)) + inner; }

std::string figure_box(const std::string& label, const std::string& text) {
  return "<div><dt>" + escaped(label) + "</dt><dd>" + escaped(text) + "</dd></div>";
}

std::string best_figures(const RankedOffer& best, const Words& words) {
  const Estimate& estimate = best.estimate;
  std::string inner = figure_box(words.say("cost"), words.costs(estimate)) + figure_box(words.say("speed"), words.speed(estimate)) +
                      figure_box(words.say("memory"), words.memory(estimate.memory)) +
                      figure_box(words.say("link"), words.network(best.configuration));
  if (estimate.plan) inner += figure_box(words.say("plan"), words.plan(*estimate.plan));
  if (estimate.software) inner += figure_box(words.say("software"), words.software(*estimate.software));
  if (estimate.cost_parts) inner += figure_box(words.say("made of"), words.cost_parts(*estimate.cost_parts));
  if (estimate.scaling) inner += figure_box(words.say("scaling"), words.scaling(*estimate.scaling));
  if (!estimate.time.confidence.empty()) inner += figure_box(words.say("rests on"), words.say(estimate.time.confidence));
  return "<dl class=\"figures\">" + inner + "</dl>\n";
}

std::string ranking(const Decision& decision, std::size_t top, const Words& words) {
  std::string rows;
  for (std::size_t index = 0; index < std::min(top, decision.ranking.size()); ++index) {
    const RankedOffer& one = decision.ranking[index];
    const std::string time = one.estimate.time_h ? words.hours(*one.estimate.time_h) : "",
                      cost = one.estimate.cost ? words.money(*one.estimate.cost) : "";
    rows += element("tr", cell("figure", std::to_string(one.rank)) + cell("name", escaped(one.offer)) +
                              cell("name", escaped(words.machine(one.configuration))) + cell("figure", escaped(words.speed(one.estimate))) +
                              cell("figure", escaped(time)) + cell("figure", escaped(cost)));
  }
  if (rows.empty()) return {};
  return table("ranking",
               {escaped(words.say("Rank")), escaped(words.say("Offer")), escaped(words.say("Machine")), escaped(words.say("Speed")),
                escaped(words.say("Time")), escaped(words.say("Cost"))},
               rows);
}

std::string list(const std::vector<std::string>& lines) {
  std::string inner;
  for (const std::string& line : lines) inner += element("li", escaped(line));
  return inner.empty() ? "" : element("ul", inner);
}

std::string rejections(const Decision& decision, const Words& words) {
  constexpr std::size_t most_examples = 50;
  std::string rows, details;
  for (const RejectionGroup& group : grouped(decision)) {
    rows += row("td", {"<span class=\"bad\">" + escaped(words.code(group.code)) + "</span> <code>" + escaped(group.code) + "</code>",
                       std::to_string(group.count), escaped(group.offers.front()->offer + words.say(": ") + group.offers.front()->reason.message)});
    std::vector<std::string> lines;
    for (std::size_t index = 0; index < std::min(most_examples, group.offers.size()); ++index) {
      lines.push_back(group.offers[index]->offer + words.say(": ") + group.offers[index]->reason.message);
    }
    if (group.count > lines.size()) lines.push_back(words.say("... and {} more", group.count - lines.size()));
    details +=
        "<details><summary>" + escaped(words.code(group.code)) + " (" + std::to_string(group.count) + ")</summary>" + list(lines) + "</details>\n";
  }
  if (rows.empty()) return {};
  return table("rejected", {escaped(words.say("Reason")), escaped(words.say("Offers")), escaped(words.say("Example"))}, rows) + details;
}

std::string trace(const Estimate& estimate, const Words& words) {
  std::string rows;
  for (const TraceStep& step : estimate.trace) {
    rows += row("td", {escaped(words.say(step.step)), escaped(step.because),
                       "<code>" + escaped(step.rule) + "</code><br><code>" + escaped(to_string(step.where)) + "</code>"});
  }
  if (rows.empty()) return {};
  return "<details><summary>" + escaped(words.say("Whole trace")) + "</summary>" + table("trace", {"", "", ""}, rows) + "</details>\n";
}

std::string beside(const Decision& decision, const Words& words) {
  std::vector<std::string> growth;
  for (const GrowthStep& step : decision.growth) growth.push_back(step.offer + words.say(": ") + step.because);
  std::string page;
  if (decision.sensitivity) page += section(words.say("How firm:"), element("p", escaped(words.sensitivity(*decision.sensitivity))));
  page += section(words.say("Also best in something:"), list(words.choices(decision.choices)));
  if (growth.size() > 1) page += section(words.say("Then grow:"), list(growth));
  return page;
}

std::string questions(const Decision& decision, const Words& words) {
  std::vector<std::string> ways, asks, warnings;
  for (const Explanation& way : decision.feasible) {
    for (const WhatIf& what_if : way.what_if) ways.push_back(way.offer + words.say(": ") + words.changes(what_if));
  }
  for (const Question& question : decision.questions) asks.push_back(question.ask);
  return section(words.say("What would make it feasible:"), list(ways)) + section(words.say("Questions"), list(asks));
}

std::string warnings(const Estimate& estimate, const Words& words) {
  std::vector<std::string> lines;
  for (const Reason& reason : estimate.warnings) lines.push_back(reason.message + " [" + reason.code + "]");
  return section(words.say("Mind:"), list(lines));
}

std::string acceptance(const Decision& decision, const Words& words) {
  const Value* commands = decision.acceptance.find("commands");
  if (!commands || !commands->is_list()) return {};
  std::string lines;
  for (const Value& command : commands->as_list()) {
    if (command.is_string()) lines += command.as_string() + "\n";
  }
  return section(words.say("Before you pay"), "<div class=\"frame\"><pre>" + escaped(lines) + "</pre></div>\n");
}

}  // namespace

std::string html(const Decision& decision, std::size_t top, Language language) {
  const Words words(language);
  const RankedOffer* best = decision.best();
  const std::string title = best ? words.say("Rent {}: {}", best->offer, words.machine(best->configuration))
                                 : words.say("Nothing fits: none of {} offers is accepted.", decision.offers);
  std::string body = element("h1", escaped(title));
  body += element("p", escaped(words.say("{} offers: {} accepted, {} rejected, {} undecided", decision.offers, decision.counts.accepted,
                                         decision.counts.rejected, decision.counts.undecided)));
  if (best) {
    body += best_figures(*best, words) + section(words.say("Decision path"), decision_path(best->estimate, words)) + warnings(best->estimate, words);
    const std::string plot = plot_of_time_and_cost(decision, words);
    body += section(words.say("Time and cost"), plot.empty() ? element("p", escaped(words.say("no offer has both a time and a cost")))
                                                             : plot + element("p", "<small>" + escaped(words.say("hollow: dominated")) + "</small>"));
    body += section(words.say("Ranking"), ranking(decision, top, words)) + beside(decision, words);
  }
  body += section(words.say("Rejected"), rejections(decision, words)) + questions(decision, words);
  if (best) body += acceptance(decision, words) + trace(best->estimate, words);
  return "<!DOCTYPE html>\n<html lang=\"" + words.tag() +
         "\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, " + "initial-scale=1\"><title>" + escaped(title) +
         "</title><style>" + style + "</style></head>\n<body>\n" + body + "</body>\n</html>\n";
}

}  // namespace steelyard::report

// Markdown and CSV.
#include <algorithm>
#include <cctype>
#include <steelyard/report.hpp>

#include "core/text.hpp"
#include "report/forms.hpp"
#include "report/groups.hpp"
#include "report/words.hpp"

namespace steelyard::report {

namespace {

// A cell of a Markdown table: bars and line ends would end it.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char letter : text) safe += letter == '|' ? std::string("\\|") : letter == '\n' ? std::string(" ") : std::string(1, letter);
  return safe;
}

std::string table_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& one : cells) line += " " + cell(one) + " |";
  return line + "\n";
}

std::string table_head(const std::vector<std::string>& cells) {
  std::string line = table_row(cells) + "|";
  for (std::size_t index = 0; index < cells.size(); ++index) line += "---|";
  return line + "\n";
}

std::string items(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "- " + line + "\n";
  return text;
}

std::string markdown_best(const Words& words, const RankedOffer& best) {
  const Estimate& estimate = best.estimate;
  std::string page = "# " + words.say("Rent {}: {}", best.offer, words.machine(best.configuration)) + "\n\n";
  page += table_head({"", ""});
  page += table_row({words.say("link"), words.network(best.configuration)});
  if (estimate.plan) page += table_row({words.say("plan"), words.plan(*estimate.plan)});
  if (estimate.software) page += table_row({words.say("software"), words.software(*estimate.software)});
  page += table_row({words.say("memory"), words.memory(estimate.memory)});
  page += table_row({words.say("speed"), words.speed(estimate)});
  page += table_row({words.say("cost"), words.costs(estimate)});
  if (estimate.cost_parts) page += table_row({words.say("made of"), words.cost_parts(*estimate.cost_parts)});
  if (!estimate.time.confidence.empty()) page += table_row({words.say("rests on"), words.say(estimate.time.confidence)});
  page += "\n## " + words.say("Why, step by step:") + "\n\n";
  for (const TraceStep& step : estimate.trace) {
    page += "- **" + words.say(step.step) + "** " + step.because + " (`" + step.rule + "`, " + to_string(step.where) + ")\n";
  }
  return page;
}

std::string markdown_ranking(const Words& words, const Decision& decision, std::size_t top) {
  std::string page = "\n## " + words.say("Ranking") + "\n\n";
  page += table_head({words.say("Rank"), words.say("Offer"), words.say("Machine"), words.say("Speed"), words.say("Cost")});
  for (std::size_t index = 0; index < std::min(top, decision.ranking.size()); ++index) {
    const RankedOffer& one = decision.ranking[index];
    page += table_row({std::to_string(one.rank), one.offer, words.machine(one.configuration), words.speed(one.estimate), words.costs(one.estimate)});
  }
  return page;
}

std::string markdown_beside(const Words& words, const Decision& decision) {
  std::string page;
  if (decision.sensitivity) page += "\n**" + words.say("How firm:") + "** " + words.sensitivity(*decision.sensitivity) + "\n";
  std::vector<std::string> lines = words.choices(decision.choices);
  if (!lines.empty()) page += "\n## " + words.say("Also best in something:") + "\n\n" + items(lines);
  lines.clear();
  for (const GrowthStep& step : decision.growth) lines.push_back(step.offer + words.say(": ") + step.because);
  if (lines.size() > 1) page += "\n## " + words.say("Then grow:") + "\n\n" + items(lines);
  return page;
}

std::string markdown_rejections(const Words& words, const Decision& decision) {
  std::string page;
  if (decision.counts.rejected > 0) {
    page += "\n## " + words.say("Why not the others ({} rejected):", decision.counts.rejected) + "\n\n";
    page += table_head({words.say("Reason"), words.say("Offers"), words.say("Example")});
    for (const RejectionGroup& group : grouped(decision)) {
      const RejectedOffer& example = *group.offers.front();
      page += table_row({words.code(group.code) + " (`" + group.code + "`)", std::to_string(group.count),
                         example.offer + words.say(": ") + example.reason.message});
    }
  }
  std::vector<std::string> lines;
  for (const Explanation& way : decision.feasible) {
    for (const WhatIf& what_if : way.what_if) lines.push_back(way.offer + words.say(": ") + words.changes(what_if));
  }
  if (!lines.empty()) page += "\n## " + words.say("What would make it feasible:") + "\n\n" + items(lines);
  lines.clear();
  for (const Question& question : decision.questions) lines.push_back(question.ask);
  if (!lines.empty()) page += "\n## " + words.say("Questions") + "\n\n" + items(lines);
  return page;
}

// RFC 4180: quotes where a comma, a quote or a line end stands inside.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

std::string number(const Value* value) { return value && value->is_number() ? format_number(value->as_number()) : std::string(); }
std::string number(const std::optional<double>& value) { return value ? format_number(*value) : std::string(); }

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& one : fields) line += (line.empty() && &one == &fields.front() ? "" : ",") + field(one);
  return line + "\r\n";
}

std::vector<std::string> machine_fields(const Configuration& box) {
  return {box.board ? box.board->id : box.gpu,
          std::to_string(box.gpus_per_node),
          std::to_string(box.nodes),
          box.price ? format_number(box.price->amount) : "",
          box.price ? box.price->currency : "",
          box.price ? box.price->per : "",
          box.price ? box.price->purchase : ""};
}

std::string ranked_line(const RankedOffer& ranked) {
  const Estimate& estimate = ranked.estimate;
  std::vector<std::string> fields = {ranked.offer, estimate.verdict, std::to_string(ranked.rank), "", ""};
  for (std::string& one : machine_fields(ranked.configuration)) fields.push_back(std::move(one));
  const Value rate = throughput(estimate);
  const Value* unit = rate.find("unit");
  for (std::string& one : std::vector<std::string>{
           number(rate.find("value")), number(rate.find("low")), number(rate.find("high")), unit ? unit->as_string() : "", number(estimate.time_h),
           estimate.cost ? format_number(estimate.cost->amount) : "", estimate.cost ? estimate.cost->currency : "",
           estimate.unit_cost ? format_number(estimate.unit_cost->money.amount) : "", number(estimate.memory.peak_gib),
           number(estimate.memory.usable_gib), estimate.time.confidence, ranked.dominated_by}) {
    fields.push_back(std::move(one));
  }
  return csv_line(fields);
}

std::string turned_down_line(const RejectedOffer& offer, const char* verdict) {
  std::vector<std::string> fields = {offer.offer, verdict, "", offer.reason.code, offer.reason.message};
  for (std::string& one : machine_fields(offer.configuration)) fields.push_back(std::move(one));
  fields.resize(fields.size() + 12);
  return csv_line(fields);
}

}  // namespace

namespace {

// A name from a foreign price list must not become a tag where the page is shown.
std::string without_tags(const std::string& page) {
  std::string safe;
  for (std::size_t at = 0; at < page.size(); ++at) {
    const unsigned char next = at + 1 < page.size() ? static_cast<unsigned char>(page[at + 1]) : ' ';
    const bool tag = page[at] == '<' && (std::isalpha(next) || next == '/' || next == '!' || next == '?');
    safe += tag ? std::string("&lt;") : std::string(1, page[at]);
  }
  return safe;
}

}  // namespace

std::string markdown(const Decision& decision, std::size_t top, Language language) {
  const Words words(language);
  std::string page = decision.best() ? markdown_best(words, *decision.best())
                                     : "# " + words.say("Nothing fits: none of {} offers is accepted.", decision.offers) + "\n";
  if (decision.best()) page += markdown_ranking(words, decision, top) + markdown_beside(words, decision);
  return without_tags(page + markdown_rejections(words, decision));
}

std::string csv(const Decision& decision) {
  std::string page = csv_line({"offer",
                               "verdict",
                               "rank",
                               "code",
                               "reason",
                               "gpu",
                               "gpus_per_node",
                               "nodes",
                               "price",
                               "price_currency",
                               "price_per",
                               "purchase",
                               "throughput",
                               "throughput_low",
                               "throughput_high",
                               "throughput_unit",
                               "time_h",
                               "cost",
                               "cost_currency",
                               "unit_cost",
                               "memory_peak_gib",
                               "memory_usable_gib",
                               "confidence",
                               "dominated_by"});
  for (const RankedOffer& ranked : decision.ranking) page += ranked_line(ranked);
  for (const RejectedOffer& offer : decision.undecided) page += turned_down_line(offer, "unknown");
  for (const RejectedOffer& offer : decision.rejected) page += turned_down_line(offer, "reject");
  return page;
}

}  // namespace steelyard::report

// advise import: what a price list says, as offers.
#include <filesystem>
#include <iostream>
#include <steelyard/catalog.hpp>

#include "common.hpp"
#include "files.hpp"

namespace advise {

using namespace steelyard;

namespace {

constexpr std::size_t most_issues_shown = 10;

Value answer_of(const Imported& imported) {
  Value answer = Value::map(), offers = Value::list();
  answer["schema"] = "steelyard.import/1";
  answer["format"] = imported.format;
  for (const Offer& offer : imported.offers) offers.push_back(to_value(offer));
  answer["offers"] = std::move(offers);
  Value& rows = answer["rows"];
  rows["used"] = imported.used;
  rows["merged"] = imported.merged;
  rows["unusable"] = imported.unusable;
  rows["without_gpu"] = imported.without_gpu;
  return answer;
}

std::string text_of(const Imported& imported) {
  std::string text;
  for (const Offer& offer : imported.offers) {
    const Configuration& box = offer.configuration;
    text += offer.id + ": " + std::to_string(box.gpus_per_node) + " x " + box.gpu;
    if (box.price)
      text += ", " + to_json(Value(box.price->amount)) + " " + box.price->currency + " per " + (box.price->per == "gpu_hour" ? "GPU" : "node") +
              " and hour";
    text += "\n";
    for (const std::string& warning : offer.warnings) text += "  " + warning + "\n";
  }
  return text + std::to_string(imported.offers.size()) + " offers (" + imported.format + "): " + std::to_string(imported.used) + " rows used, " +
         std::to_string(imported.merged) + " merged, " + std::to_string(imported.unusable) + " unusable, " + std::to_string(imported.without_gpu) +
         " without GPU\n";
}

void report_issues(const Issues& issues) {
  for (std::size_t index = 0; index < issues.size() && index < most_issues_shown; ++index) std::cerr << to_string(issues[index]) << "\n";
  if (issues.size() > most_issues_shown) std::cerr << issues.size() << " rows with remarks in all; the first " << most_issues_shown << " are shown\n";
}

}  // namespace

int run_import(const Words& words) {
  CommandLine line("import skypilot|gpuhunt|aws|azure|steelyard|auto FILE", "The offers of a price list, with the facts of their machine types.",
                   {"advise import auto prices.csv", "advise import skypilot aws.csv --format json --out offers.json"});
  line.common();
  if (!line.parse(words)) return answered;
  if (line.files().size() != 2) throw UsageError("import needs a format and a file: `advise import auto prices.csv`");
  const std::string &format = line.files()[0], &file = line.files()[1];
  const std::string text = read_input(file, line.timeout_s(), most_input_bytes);
  Imported imported = import_offers_text(text, file == "-" ? "stdin.csv" : file, format, Catalog::embedded());
  if (imported.offers.empty() && has_errors(imported.issues)) throw LoadError(std::move(imported.issues));
  report_issues(imported.issues);
  print_answer(line, answer_of(imported), text_of(imported));
  return imported.offers.empty() ? nothing_fits : answered;
}

}  // namespace advise

// What was understood, as JSON and as text.
#include "report/forms.hpp"

#include <steelyard/habits.hpp>
#include <steelyard/requests.hpp>

namespace steelyard {

Value to_value(const Understanding& all) {
  Value value;
  value["schema"] = "steelyard.understand/1";
  for (const char* list : {"files", "understood", "open", "without_effect", "questions"}) value[list] = Value::list();
  for (const RecognisedInput& file : all.files) {
    Value entry;
    entry["file"] = file.name;
    entry["format"] = file.format;
    value["files"].push_back(std::move(entry));
  }
  for (const Understood& one : all.understood) {
    Value entry;
    entry["key"] = one.key;
    entry["field"] = one.field;
    entry["value"] = one.value;
    entry["format"] = one.format;
    entry["where"] = to_string(one.where);
    entry["by_default"] = one.by_default;
    value["understood"].push_back(std::move(entry));
  }
  for (const NotUnderstood& one : all.open) {
    Value entry;
    entry["key"] = one.key;
    entry["because"] = one.because;
    entry["where"] = to_string(one.where);
    value["open"].push_back(std::move(entry));
  }
  for (const std::string& key : all.without_effect) value["without_effect"].push_back(key);
  value["run"] = all.run;
  value["workload"] = all.workload;
  for (const Question& question : all.questions) value["questions"].push_back(report::form(question));
  return value;
}

}  // namespace steelyard

namespace steelyard::report {

namespace {

std::string shown(const Value& value) { return value.is_string() ? value.as_string() : to_json(value); }

std::string line_of(const Understood& one) {
  const std::string why = one.by_default ? "default of " + one.format + "; " + one.key + " is not said" : one.key + ", " + to_string(one.where);
  return "  " + one.field + " = " + shown(one.value) + "  (" + why + ")\n";
}

}  // namespace

std::string text(const Understanding& all) {
  std::string page;
  for (const RecognisedInput& file : all.files) page += file.name + ": " + file.format + "\n";
  page += "\nUnderstood\n";
  for (const Understood& one : all.understood) {
    if (one.field.rfind("run.", 0) != 0) page += line_of(one);
  }
  std::string run;
  for (const Understood& one : all.understood) {
    if (one.field.rfind("run.", 0) == 0) run += line_of(one);
  }
  if (!run.empty()) page += "\nThe present run, which does not bind the one to come\n" + run;
  if (!all.open.empty()) page += "\nLeft open or not understood\n";
  for (const NotUnderstood& one : all.open) page += "  " + one.key + ": " + one.because + "  (" + to_string(one.where) + ")\n";
  if (!all.questions.empty()) page += "\nMissing\n";
  for (const Question& question : all.questions) page += "  " + question.field + ": " + question.ask + "\n";
  if (!all.without_effect.empty()) page += "\nWithout effect on memory, time or price: " + std::to_string(all.without_effect.size()) + " keys\n";
  return page;
}

}  // namespace steelyard::report

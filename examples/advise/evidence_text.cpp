#include "evidence_text.hpp"

#include <cmath>
#include <steelyard/requests.hpp>

#include "files.hpp"

namespace advise {

using namespace steelyard;

namespace {

std::string fact_text(const Value& value) {
  constexpr std::size_t most_shown = 16;  // curves of measurements are for programs
  if (value.is_list() && value.as_list().size() > most_shown) return std::to_string(value.as_list().size()) + " entries";
  return value.is_string() ? value.as_string() : to_json(value);
}

}  // namespace

Evidence make_evidence(const CommandLine& line) { return value_or_throw(Evidence::with_rules(line.text("rules", "reference"))); }

std::string read_texts(const CommandLine& line) {
  if (line.files().empty()) throw UsageError("expected a file with the output of a tool, or - for standard input");
  std::string text;
  for (const std::string& file : line.files()) text += (text.empty() ? "" : "\n") + read_input(file, line.timeout_s(), most_evidence_bytes);
  return text;
}

Value answer_text(std::string request, const std::string& place, const std::function<Value(const std::string&)>& answer) {
  Value result = Value::map();
  Loaded<Value> parsed = parse_value(std::move(request), place);
  if (parsed && parsed.value->find("id")) result["id"] = *parsed.value->find("id");
  try {
    const Value* text = parsed ? parsed.value->find("text") : nullptr;
    const Value* file = parsed ? parsed.value->find("file") : nullptr;
    if (!parsed) throw LoadError(parsed.issues);
    if (!(text && text->is_string()) && !(file && file->is_string())) {
      Issue issue;
      issue.where.file = place;
      issue.message = "a request needs `text` or `file`";
      issue.fix = "write {\"id\": 1, \"text\": \"...\"}";
      throw LoadError({std::move(issue)});
    }
    const Value found = answer(text && text->is_string() ? text->as_string() : read_input(file->as_string(), 0, most_evidence_bytes));
    for (const auto& [key, value] : found.as_map()) result[key] = value;
  } catch (const LoadError& error) {
    result["error"] = to_value(error.issues());
  }
  return result;
}

std::string text_of(const PasteReading& reading) {
  std::string text = "Verdict: " + reading.verdict.verdict_class + "\n  " + reading.verdict.because + "\n";
  if (reading.verdict.line > 0) text += "  line " + std::to_string(reading.verdict.line) + ": " + reading.verdict.quote + "\n";
  for (const ToolRecord& record : reading.records) {
    text += "\n" + record.tool + (record.subject.empty() ? "" : " " + record.subject) + " (lines " + std::to_string(record.first_line) + " to " +
            std::to_string(record.last_line) + (record.complete ? ")" : ", not whole)") + "\n";
    for (const auto& [key, value] : record.facts.as_map()) text += "  " + key + ": " + fact_text(value) + "\n";
  }
  for (const std::string& ask : reading.verdict.ask) text += "\nWhat would help: " + ask;
  return text + (reading.verdict.ask.empty() ? "" : "\n");
}

std::string text_of(const VerifyReport& report) {
  std::string text = "Result: " + report.result + "\n";
  for (const VerifyStep& step : report.steps) {
    text += "\n" + step.step + ": " + step.result + "\n  promised: " + step.promised + "\n  measured: " + step.measured + "\n";
    if (!step.evidence.empty()) text += "  evidence: " + step.evidence + "\n";
  }
  return text;
}

std::string text_of(const Diagnosis& diagnosis) {
  std::string text = diagnosis.causes.empty() ? "No known cause in this text.\n" : "";
  for (const Cause& cause : diagnosis.causes) {
    text += cause.id + " (" + std::to_string(std::lround(cause.score * 100)) + " %): " + cause.cause + "\n  seen:   " + cause.evidence +
            "\n  check:  " + cause.check + "\n  remedy: " + cause.remedy + "\n";
  }
  for (const std::string& ask : diagnosis.ask) text += "What would help: " + ask + "\n";
  return text;
}

}  // namespace advise

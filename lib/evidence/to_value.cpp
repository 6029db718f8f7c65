// Answers as values, in the words of the contract.
#include <steelyard/evidence.hpp>

namespace steelyard {

namespace {

Value texts(const std::vector<std::string>& items) {
  Value list = Value::list();
  for (const std::string& item : items) list.push_back(item);
  return list;
}

void set_rule(Value& entry, const std::string& rule, const SourceLocation& where) {
  if (rule.empty()) return;
  entry["rule"] = rule;
  entry["where"] = to_string(where);
}

}  // namespace

Value to_value(const ToolRecord& record) {
  Value entry = Value::map();
  entry["tool"] = record.tool;
  entry["tool_version"] = record.tool_version.empty() ? Value() : Value(record.tool_version);
  entry["subject"] = record.subject.empty() ? Value() : Value(record.subject);
  entry["facts"] = record.facts;
  entry["lines"] = Value(Value::List{Value(record.first_line), Value(record.last_line)});
  entry["complete"] = record.complete;
  return entry;
}

Value to_value(const PasteReading& reading) {
  Value answer = Value::map();
  answer["schema"] = "steelyard.read/1";
  Value records = Value::list();
  for (const ToolRecord& record : reading.records) records.push_back(to_value(record));
  answer["records"] = std::move(records);
  Value verdict = Value::map();
  verdict["class"] = reading.verdict.verdict_class;
  verdict["because"] = reading.verdict.because;
  verdict["ask"] = texts(reading.verdict.ask);
  set_rule(verdict, reading.verdict.rule, reading.verdict.where);
  if (reading.verdict.line > 0) {
    verdict["line"] = reading.verdict.line;
    verdict["quote"] = reading.verdict.quote;
  }
  answer["verdict"] = std::move(verdict);
  answer["redacted"] = texts(reading.redacted);
  return answer;
}

Value to_value(const VerifyReport& report) {
  Value answer = Value::map();
  answer["schema"] = "steelyard.verify/1";
  answer["result"] = report.result;
  Value steps = Value::list();
  for (const VerifyStep& step : report.steps) {
    Value entry = Value::map();
    entry["step"] = step.step;
    entry["result"] = step.result;
    entry["promised"] = step.promised;
    entry["measured"] = step.measured;
    entry["evidence"] = step.evidence.empty() ? Value() : Value(step.evidence);
    entry["because"] = step.because;
    set_rule(entry, step.rule, step.where);
    steps.push_back(std::move(entry));
  }
  answer["steps"] = std::move(steps);
  answer["redacted"] = texts(report.redacted);
  return answer;
}

Value to_value(const Diagnosis& diagnosis) {
  Value answer = Value::map();
  answer["schema"] = "steelyard.diagnose/1";
  Value causes = Value::list();
  for (const Cause& cause : diagnosis.causes) {
    Value entry = Value::map();
    entry["id"] = cause.id;
    entry["cause"] = cause.cause;
    entry["check"] = cause.check;
    entry["remedy"] = cause.remedy;
    entry["score"] = cause.score;
    entry["evidence"] = cause.evidence;
    set_rule(entry, cause.rule, cause.where);
    causes.push_back(std::move(entry));
  }
  answer["causes"] = std::move(causes);
  answer["ask"] = texts(diagnosis.ask);
  return answer;
}

}  // namespace steelyard

// The step's answer in the contract's form, and the batch.
#include <steelyard/requests.hpp>
#include <steelyard/stack.hpp>

#include "core/text.hpp"
#include "decide/3_stack/checker.hpp"
#include "load/fields.hpp"
#include "words/phrases.hpp"

namespace steelyard {

namespace {

StackRequest read_request(load::Fields& fields) {
  StackRequest request;
  const auto text = [&](const char* key, std::string& field) { field = fields.text(key).value_or(""); };
  text("gpu", request.gpu);
  request.gpu_count = fields.integer("gpu_count", 1, 1'000'000);
  text("driver", request.driver);
  text("cuda", request.cuda);
  text("framework", request.framework);
  text("framework_version", request.framework_version);
  text("image", request.image);
  text("os", request.os);
  text("glibc", request.glibc);
  text("kernel_module", request.kernel_module);
  request.packages = fields.texts("packages");
  text("symptom", request.symptom);
  fields.finish();
  return request;
}

Value to_value(const StackFinding& finding) {
  Value map = Value::map();
  map["code"] = finding.code;
  map["severity"] = finding.severity;
  map["message"] = finding.message;
  map["rule"] = finding.rule;
  map["evidence"] = finding.evidence;
  map["score"] = finding.score;
  map["where"] = to_string(finding.where);
  return map;
}

Value to_value(const StackFix& fix) {
  Value map = Value::map();
  map["change"] = fix.change;
  map["touches_driver"] = fix.touches_driver;
  map["command"] = fix.command;
  map["verified"] = fix.verified;
  return map;
}

Value to_value(const Question& question) {
  Value map = Value::map();
  map["ask"] = question.ask;
  map["field"] = question.field;
  Value decides = Value::list();
  for (const std::string& one : question.decides) decides.push_back(one);
  map["decides"] = std::move(decides);
  return map;
}

template <class T>
Value list_of(const std::vector<T>& items) {
  Value list = Value::list();
  for (const T& item : items) list.push_back(to_value(item));
  return list;
}

// The stack of a document: the map under `stack`, or the document itself.
std::optional<StackRequest> read_stack(const load::Document& document, Issues& issues) {
  const load::Node* inner = document.root.find("stack");
  load::Fields fields(document, inner ? *inner : document.root, issues, "stack");
  if (!inner) fields.node("id");
  StackRequest request = read_request(fields);
  return has_errors(issues) ? std::nullopt : std::optional(std::move(request));
}

}  // namespace

Value to_value(const StackReport& report) {
  Value map = Value::map();
  map["verdict"] = report.verdict;
  Value codes = Value::list();
  for (const std::string& code : report.codes) codes.push_back(code);
  map["codes"] = std::move(codes);
  map["findings"] = list_of(report.findings);
  map["fixes"] = list_of(report.fixes);
  map["questions"] = list_of(report.questions);
  return map;
}

StackReport check_stack(const StackRequest& request, const Catalog& catalog, const rules::Book& book) {
  return stack::Checker(catalog, book).check(request);
}

Loaded<StackRequest> parse_stack(std::string text, const std::string& file) {
  auto document = load::parse_document(std::move(text), file);
  if (!document) return {std::nullopt, std::move(document.issues)};
  Loaded<StackRequest> loaded{std::nullopt, std::move(document.issues)};
  loaded.value = read_stack(*document.value, loaded.issues);
  return loaded;
}

Value answer_stack(const Catalog& catalog, const rules::Book& book, std::string text, const std::string& file) {
  Value answer = Value::map();
  answer["schema"] = "steelyard.stack/1";
  auto document = load::parse_document(std::move(text), file);
  Issues issues = std::move(document.issues);
  std::optional<StackRequest> request;
  if (document) {
    if (const load::Node* id = document.value->root.find("id")) answer["id"] = load::to_value(*id);
    request = read_stack(*document.value, issues);
  }
  if (!request) {
    answer["error"] = to_value(issues);
    return answer;
  }
  const Value report = to_value(check_stack(*request, catalog, book));
  for (const auto& [key, value] : report.as_map()) answer[key] = value;
  return answer;
}

std::string to_text(const StackReport& report, Language language) {
  const auto& phrases = words::Phrases::of(language);
  std::string text = phrases.say("verdict: {}", phrases.say(report.verdict)) + "\n";
  if (!report.codes.empty()) text += phrases.say("codes, most likely first: {}", join(report.codes, ", ")) + "\n";
  for (const StackFinding& finding : report.findings)
    text += "  " + phrases.say(finding.severity) + " " + finding.code + ": " + finding.message + " [" + finding.rule + "]\n";
  if (!report.fixes.empty()) text += phrases.say("changes, smallest first:") + "\n";
  for (const StackFix& fix : report.fixes) {
    text += "  - " + fix.change + (fix.touches_driver ? phrases.say(" (changes the driver)") : "") + (fix.verified ? phrases.say(" (checked)") : "") +
            "\n";
    if (!fix.command.empty()) text += "      " + fix.command + "\n";
  }
  for (const Question& question : report.questions) text += phrases.say("question: {}", question.ask) + "\n";
  return text;
}

}  // namespace steelyard

#include "evidence/read/dcgmi_diagnosis.hpp"

#include <algorithm>
#include <vector>

#include "core/text.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

int severity(const std::string& status) {
  static const std::vector<std::string> order{"skip", "pass", "warn", "error", "fail"};
  return static_cast<int>(std::find(order.begin(), order.end(), status) - order.begin());
}

std::string text_of(const Value* value) { return value != nullptr && value->is_string() ? std::string(trim(value->as_string())) : ""; }

const Value::List& list_of(const Value* value) {
  static const Value::List none;
  return value != nullptr && value->is_list() ? value->as_list() : none;
}

/// "gpu_id" and "gpu_ids": "0" or "0,1" of DCGM 2 and 3; "entity_id": 0 of DCGM 4.
std::set<std::int64_t> gpus_of(const Value& result) {
  std::set<std::int64_t> gpus;
  for (const char* key : {"gpu_id", "gpu_ids"}) {
    for (const std::string& word : split(text_of(result.find(key)), ',')) {
      if (const auto gpu = integer(trim(word))) gpus.insert(*gpu);
    }
  }
  const Value* entity = result.find("entity_id");
  if (entity != nullptr && entity->is_int() && text_of(result.find("entity_group")) == "GPU") gpus.insert(entity->as_int());
  return gpus;
}

/// A warning is a text, a list of texts, or a list of {"warning": text, "error_id": ...}.
std::string first_warning(const Value* warnings) {
  if (!list_of(warnings).empty()) {
    const Value& first = list_of(warnings).front();
    return first.is_map() ? text_of(first.find("warning")) : text_of(&first);
  }
  return text_of(warnings);
}

void read_result(const Value& result, const std::string& test, Diagnosis& diagnosis) {
  if (!result.is_map()) return;
  const std::string status = status_of(text_of(result.find("status")));
  if (status.empty()) return;
  add_status(diagnosis, test, status);
  for (const std::int64_t gpu : gpus_of(result)) {
    diagnosis.named_gpus.insert(gpu);
    if (status == "fail" || status == "error") diagnosis.failed_gpus.insert(gpu);
  }
  if (diagnosis.warning.empty()) diagnosis.warning = first_warning(result.find("warnings"));
}

void read_tests(const Value& root, Diagnosis& diagnosis) {
  for (const Value& category : list_of(root.find("test_categories"))) {
    if (!category.is_map()) continue;
    for (const Value& test : list_of(category.find("tests"))) {
      const std::string name = test.is_map() ? to_lower(text_of(test.find("name"))) : "";
      if (name.empty()) continue;
      for (const Value& result : list_of(test.find("results"))) read_result(result, name, diagnosis);
      if (const Value* summary = test.find("test_summary"); summary != nullptr && summary->is_map()) read_result(*summary, name, diagnosis);
    }
  }
}

/// Versions and boards stand beside the tests (DCGM 2 and 3) or in a part of their own (DCGM 4).
void read_metadata(const Value& part, Diagnosis& diagnosis) {
  if (!part.is_map()) return;
  for (const char* key : {"version", "DCGM Version"}) {
    if (diagnosis.version.empty()) diagnosis.version = text_of(part.find(key));
  }
  if (diagnosis.driver.empty()) diagnosis.driver = text_of(part.find("Driver Version Detected"));
  if (const Value::List& boards = list_of(part.find("GPU Device IDs")); !boards.empty()) diagnosis.gpus = boards.size();
  for (const Value& group : list_of(part.find("entity_groups"))) {
    if (group.is_map() && text_of(group.find("entity_group")) == "GPU") diagnosis.gpus = list_of(group.find("entities")).size();
  }
  if (diagnosis.error.empty()) diagnosis.error = text_of(part.find("runtime_error"));
}

}  // namespace

std::string status_of(std::string_view result) {
  for (const std::string_view word : {"pass", "fail", "warn", "error", "skip"}) {
    if (starts_with(to_lower(result.substr(0, 8)), word)) return std::string(word);
  }
  return {};
}

void add_status(Diagnosis& diagnosis, const std::string& test, const std::string& status) {
  std::string& known = diagnosis.tests[test];
  if (known.empty() || severity(status) > severity(known)) known = status;
}

Value facts_of(const Diagnosis& diagnosis) {
  Value facts = Value::map();
  set_text(facts, "driver", diagnosis.driver);
  if (diagnosis.gpus) facts["gpus"] = *diagnosis.gpus;
  Value tests = Value::map(), failed = Value::list(), gpus = Value::list();
  for (const auto& [name, status] : diagnosis.tests) {
    tests[name] = status;
    if (status == "fail" || status == "error") failed.push_back(name);
  }
  for (const std::int64_t gpu : diagnosis.failed_gpus) gpus.push_back(gpu);
  facts["tests"] = std::move(tests);
  facts["failed_tests"] = std::move(failed);
  facts["failed_gpus"] = std::move(gpus);
  set_text(facts, "error", diagnosis.error);
  set_text(facts, "warning", diagnosis.warning);
  return facts;
}

std::optional<ToolRecord> dcgmi_diag_of_json(const Value& document) {
  const Value* root = document.find("DCGM GPU Diagnostic");
  if (root == nullptr) root = document.find("DCGM Diagnostic");
  if (root == nullptr || !root->is_map()) return std::nullopt;
  Diagnosis diagnosis;
  read_tests(*root, diagnosis);
  read_metadata(*root, diagnosis);
  read_metadata(document, diagnosis);
  if (const Value* metadata = document.find("metadata")) read_metadata(*metadata, diagnosis);
  if (diagnosis.tests.empty() && diagnosis.error.empty()) return std::nullopt;
  ToolRecord record;
  record.tool = "dcgmi-diag";
  record.subject = "diag";
  record.tool_version = diagnosis.version;
  record.facts = facts_of(diagnosis);
  record.complete = !diagnosis.tests.empty();
  return record;
}

}  // namespace steelyard::evidence

#include <algorithm>
#include <cmath>
#include <steelyard/calibrate.hpp>
#include <steelyard/call.hpp>
#include <steelyard/catalog.hpp>
#include <steelyard/evidence.hpp>
#include <steelyard/habits.hpp>
#include <steelyard/launch.hpp>
#include <steelyard/lint.hpp>
#include <steelyard/requests.hpp>
#include <steelyard/stack.hpp>

#include "core/text.hpp"
#include "load/fields.hpp"

namespace steelyard {

namespace {

Issues issue(const std::string& message, const std::string& fix) {
  Issues issues(1);
  issues.front().where.file = "request";
  issues.front().message = message;
  issues.front().fix = fix;
  return issues;
}

[[noreturn]] void fail(const std::string& message, const std::string& fix) { throw LoadError(issue(message, fix)); }

/// The members of a request, each asked for once; what nobody asked for is a fault.
class Members {
 public:
  explicit Members(const Value& request) : request_(request) {
    if (!request.is_map()) fail("expected an object", R"(write {"workload": {...}})");
  }

  const Value* find(const char* key) {
    known_.emplace_back(key);
    return request_.find(key);
  }
  const Value& need(const char* key) {
    if (const Value* found = find(key)) return *found;
    fail(std::string("'") + key + "' is missing", std::string("add \"") + key + "\"");
  }
  std::string text(const char* key, const std::string& otherwise) {
    const Value* found = find(key);
    if (!found) return otherwise;
    if (!found->is_string()) fail(std::string(key) + ": expected a text, found " + to_json(*found), "put it in quotes");
    return found->as_string();
  }
  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> found;
    const Value* list = find(key);
    if (!list) return found;
    if (!list->is_list()) fail(std::string(key) + ": expected a list of texts", std::string("write \"") + key + "\": [...]");
    for (const Value& item : list->as_list()) {
      if (!item.is_string()) fail(std::string(key) + ": expected a list of texts, found " + to_json(item), "put it in quotes");
      found.push_back(item.as_string());
    }
    return found;
  }
  void finish() const {
    for (const auto& [key, value] : request_.as_map()) {
      if (std::find(known_.begin(), known_.end(), key) == known_.end()) fail("unknown key '" + key + "'", "leave it out");
    }
  }

 private:
  const Value& request_;
  std::vector<std::string> known_;
};

Language language_of(Members& members) { return value_or_throw(parse_language(members.text("lang", "en"))); }

Advisor advisor_of(Members& members) {
  Advisor advisor = value_or_throw(Advisor::with_rules(members.text("rules", "reference"), {}, language_of(members)));
  if (const Value* given = members.find("calibration"); given && !given->is_null()) {
    advisor = advisor.with_calibrations(value_or_throw(calibrations_from_value(*given, "calibration")));
  }
  const std::vector<std::string> catalogs = members.texts("catalogs");
  if (catalogs.empty()) return advisor;
  Imported imported = load_offers({catalogs.begin(), catalogs.end()}, advisor.catalog());
  if (imported.offers.empty() && has_errors(imported.issues)) throw LoadError(std::move(imported.issues));
  return advisor.with_catalog(advisor.catalog().with_offers(std::move(imported.offers)));
}

RecommendOptions options_of(Members& members) {
  const std::string word = members.text("today", "");
  if (const auto date = parse_date(word)) return {*date, 1};
  fail("today: expected a date such as 2026-11-30, found '" + word + "'", "say for which day prices count");
}

Workload workload_of(Members& members, const Advisor& advisor) {
  return value_or_throw(parse_workload(to_json(members.need("workload")), "workload", advisor.catalog()));
}

Configuration configuration_of(Members& members, const char* key) {
  return value_or_throw(parse_configuration(to_json(members.need(key)), key, Catalog::embedded()));
}

Value recommend(Members& members) {
  const Advisor advisor = advisor_of(members);
  const Workload job = workload_of(members, advisor);
  RecommendOptions options = options_of(members);
  const Value* top = members.find("top");
  const double most = 1e9;
  if (top && (!top->is_number() || !(top->as_number() >= 1 && top->as_number() <= most) || top->as_number() != std::floor(top->as_number())))
    fail("top: expected a whole number from 1 to 1000000000, found " + to_json(*top), "leave it out for 10");
  members.finish();
  const std::size_t shown = top ? static_cast<std::size_t>(top->as_number()) : 10;
  options.keep = std::max<std::size_t>(shown, 10);
  return to_value(advisor.select_cluster(job, options), shown);
}

Value explain(Members& members) {
  const Advisor advisor = advisor_of(members);
  const Workload job = workload_of(members, advisor);
  const std::string offer = members.text("offer", "");
  const RecommendOptions options = options_of(members);
  members.finish();
  return to_value(value_or_throw(advisor.explain(job, offer, options)));
}

Value compare(Members& members) {
  const Advisor advisor = advisor_of(members);
  const Workload job = workload_of(members, advisor);
  const std::vector<std::string> offers = members.texts("offers");
  const RecommendOptions options = options_of(members);
  members.finish();
  if (offers.size() != 2) fail("offers: expected two, found " + std::to_string(offers.size()), R"(write "offers": ["one", "other"])");
  return to_value(value_or_throw(advisor.compare(job, offers[0], offers[1], options)));
}

Value launch(Members& members) {
  const Advisor advisor = advisor_of(members);
  const Workload job = workload_of(members, advisor);
  const std::string offer = members.text("offer", ""), framework = members.text("framework", "");
  const RecommendOptions options = options_of(members);
  members.finish();
  return to_value(value_or_throw(launch_offer(advisor, job, offer, framework, options.today)));
}

Value estimate(Members& members) {
  const Advisor advisor = advisor_of(members);
  const Workload job = workload_of(members, advisor);
  const Configuration box = value_or_throw(parse_configuration(to_json(members.need("configuration")), "configuration", advisor.catalog()));
  members.finish();
  return to_value(advisor.estimate(job, box));
}

Value stack(Members& members) {
  const Advisor advisor = advisor_of(members);
  const StackRequest request = value_or_throw(parse_stack(to_json(members.need("stack")), "stack"));
  members.finish();
  Value answer = Value::map();
  answer["schema"] = "steelyard.stack/1";
  const Value report = to_value(check_stack(request, advisor.catalog(), advisor.book()));
  for (const auto& [key, value] : report.as_map()) answer[key] = value;
  return answer;
}

Evidence evidence_of(Members& members) { return value_or_throw(Evidence::with_rules(members.text("rules", "reference"), language_of(members))); }

// The texts of {"files": {name: text}}.
std::vector<std::pair<std::string, std::string>> files_of(Members& members) {
  const Value& named = members.need("files");
  if (!named.is_map()) fail("files: expected an object of texts by name", R"(write "files": {"ibstat.txt": "..."})");
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& [name, text] : named.as_map()) {
    if (!text.is_string()) fail("files: expected a text under '" + name + "'", "put it in quotes");
    files.emplace_back(name, text.as_string());
  }
  return files;
}

Value understand(Members& members) {
  std::vector<InputText> inputs;
  for (auto& [name, text] : files_of(members)) inputs.push_back({name, text});
  members.finish();
  if (inputs.empty()) fail("files: expected at least one text, found none", R"(write "files": {"train.sh": "..."})");
  return to_value(value_or_throw(understand_inputs(inputs, Catalog::embedded())));
}

Value lint(Members& members) {
  const auto files = files_of(members);
  const Date today = options_of(members).today;
  members.finish();
  Value answer = Value::map();
  answer["schema"] = "steelyard.lint/1";
  answer["findings"] = Value::list();
  for (const auto& [name, text] : files) {
    for (const Finding& finding : lint_text(text, name, today, Catalog::embedded())) answer["findings"].push_back(to_value(finding));
  }
  return answer;
}

Value import(Members& members) {
  const std::string format = members.text("format", "auto");
  const auto files = files_of(members);
  members.finish();
  Value answer = Value::map();
  answer["schema"] = "steelyard.import/1";
  answer["offers"] = Value::list();
  Issues issues;
  for (const auto& [name, text] : files) {
    const Imported imported = import_offers_text(text, name, format, Catalog::embedded());
    for (const Offer& offer : imported.offers) answer["offers"].push_back(to_value(offer));
    issues.insert(issues.end(), imported.issues.begin(), imported.issues.end());
  }
  if (answer["offers"].as_list().empty() && has_errors(issues)) throw LoadError(std::move(issues));
  answer["issues"] = *to_value(issues).find("issues");
  return answer;
}

Value read(Members& members) {
  const Evidence evidence = evidence_of(members);
  const std::string text = members.text("text", "");
  members.finish();
  return to_value(evidence.read(text));
}

Value diagnose(Members& members) {
  const Evidence evidence = evidence_of(members);
  const std::string text = members.text("text", "");
  members.finish();
  return to_value(evidence.diagnose(text));
}

Value verify(Members& members) {
  const Evidence evidence = evidence_of(members);
  const Configuration promise = configuration_of(members, "promise");
  std::vector<EvidenceFile> files;
  for (auto& [name, text] : files_of(members)) files.push_back({name, text});
  members.finish();
  return to_value(evidence.verify(promise, files));
}

Value acceptance(Members& members) {
  const Evidence evidence = evidence_of(members);
  const Configuration box = configuration_of(members, "configuration");
  members.finish();
  return evidence.acceptance(box);
}

Value calibrate_here(Members& members) {
  CalibrateOptions options;
  options.backend = members.text("backend", "auto");
  const std::vector<std::string> backends{"auto", "host", "cuda", "nccl"};
  if (std::find(backends.begin(), backends.end(), options.backend) == backends.end())
    fail("backend: expected auto, host, cuda or nccl, found '" + options.backend + "'", "leave it out for all that can run");
  options.date = to_string(options_of(members).today);
  const Value* budget = members.find("budget_s");
  if (budget && (!budget->is_number() || budget->as_number() < 1 || budget->as_number() > 86400))
    fail("budget_s: expected a number from 1 to 86400, found " + to_json(*budget), "leave it out for 60");
  if (budget) options.budget_s = budget->as_number();
  members.finish();
  return to_value(calibrate(options).calibration);
}

using Answer = Value (*)(Members&);
const std::vector<std::pair<std::string, Answer>> answers = {
    {"recommend", recommend},   {"explain", explain},          {"compare", compare}, {"launch", launch}, {"estimate", estimate},
    {"stack", stack},           {"understand", understand},    {"read", read},       {"verify", verify}, {"diagnose", diagnose},
    {"acceptance", acceptance}, {"calibrate", calibrate_here}, {"import", import},   {"lint", lint}};

Value error_of(const Issues& issues) {
  Value answer = Value::map();
  answer["error"] = to_value(issues);
  return answer;
}

Value answer_of(std::string_view verb, std::string_view request) {
  const auto found = std::find_if(answers.begin(), answers.end(), [&](const auto& one) { return one.first == verb; });
  if (found == answers.end()) fail("unknown verb '" + std::string(verb) + "'", "call one of " + join(call_verbs(), ", "));
  const Value value = value_or_throw(parse_value(std::string(request), "request"));
  Members members(value);
  return found->second(members);
}

}  // namespace

const std::vector<std::string>& call_verbs() {
  static const std::vector<std::string> verbs = [] {
    std::vector<std::string> names;
    for (const auto& [name, answer] : answers) names.push_back(name);
    return names;
  }();
  return verbs;
}

std::string call(std::string_view verb, std::string_view request) {
  try {
    return to_json(answer_of(verb, request));
  } catch (const LoadError& error) {
    return to_json(error_of(error.issues()));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return to_json(error_of(issue(std::string("internal error: ") + error.what(), "report it")));
  }
}

}  // namespace steelyard

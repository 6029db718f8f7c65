// Sentences in other languages than English: beside the rule, or for a shipped book in data/languages.
#include "rules/translations.hpp"

#include <steelyard/rule_book.hpp>

#include "rules/book.hpp"
#include "support/catch.hpp"
#include "words/phrases.hpp"

using namespace steelyard;

namespace {

std::string book_with(const std::string& because) {
  return "facts:\n  - {name: job.memory, type: number, unit: GiB}\n  - {name: job.fix, type: string}\n  - {name: job.list, type: list}\n"
         "decisions:\n  - id: job.fit\n    hit_policy: first\n    rules:\n"
         "      - {id: job.fit.small, when: has(job.memory) && job.memory <= 80, then: fits, because: " +
         because +
         "}\n"
         "      - {id: job.fit.open, when: '!has(job.memory)', then: open, because: {en: \"{job.memory} of 80, {job.list}\", zh: "
         "\"80 中的 {job.memory}，{job.list}\"}}\n    default: null\n";
}

std::string sentence(const std::string& because, Language language, double memory = 40) {
  const RuleBook book = value_or_throw(RuleBook::from_text(book_with(because), "rules.yaml", {}, language));
  Value facts;
  if (memory > 0) facts.set_path("job.memory", memory);
  facts.set_path("job.fix", "swap");
  facts.set_path("job.list", Value::list());
  const RuleOutcome outcome = book.decide("job.fit", facts);
  return outcome.hits.empty() ? outcome.status : outcome.hits[0].because;
}

std::string fault(const std::string& because) {
  const auto book = RuleBook::from_text(book_with(because), "rules.yaml");
  return book.issues.empty() ? "" : to_string(book.issues.front());
}

rules::Book reference(Language language) { return rules::embedded_book("reference", language); }

}  // namespace

TEST_CASE("a rule may bring its sentence in several languages") {
  const std::string both = R"({en: "{job.memory:3} GiB fit into 80", zh: "80 GiB 装得下 {job.memory:3} GiB"})";
  CHECK(sentence(both, Language::english) == "40 GiB fit into 80");
  CHECK(sentence(both, Language::chinese) == "80 GiB 装得下 40 GiB");
  CHECK(sentence(R"("{job.memory} fit into 80")", Language::chinese) == "40 fit into 80");
}

TEST_CASE("what is not known, and an empty list, are said in the sentence's language") {
  const std::string some = R"("{job.memory} GiB")";
  CHECK(sentence(some, Language::english, 0) == "unknown of 80, none");
  CHECK(sentence(some, Language::chinese, 0) == "80 中的 未知，无");
}

TEST_CASE("all languages of a rule put in the same figures") {
  CHECK(fault(R"({en: "{job.memory} GiB of 80", zh: "80 GiB"})").find("{job.memory} of the English sentence is missing") != std::string::npos);
  CHECK(fault(R"({en: "{job.memory} GiB of 80", zh: "{job.memory:3} GiB"})").find("rules.yaml:9:") == 0);
  CHECK(fault(R"({en: "80 GiB", zh: "{job.memory} GiB"})").find("{job.memory} is not in the English sentence") != std::string::npos);
  CHECK(fault(R"({en: "{job.memory} GiB{job.fix == '' ? '' : '; instead: '}", zh: "{job.memory} GiB{job.fix == '' ? '' : '；可改为：'}"})").empty());
  CHECK(fault(R"({en: "{job.memory} GiB{job.fix == '' ? '' : '; instead: '}", zh: "{job.memory} GiB{job.fix == 'x' ? '' : '；'}"})") != "");
}

TEST_CASE("English is the language that every rule has; others are known by their short names") {
  CHECK(fault(R"({zh: "{job.memory} GiB"})").find("because: the sentence in English is missing") != std::string::npos);
  CHECK(fault(R"({en: "{job.memory} GiB", de: "{job.memory} GiB"})").find("unknown language 'de'") != std::string::npos);
  CHECK(fault(R"({en: "{job.memory} GiB", zh: "{job.memry} GiB"})").find("because zh: unknown name 'job.memry'") != std::string::npos);
}

TEST_CASE("every rule of the shipped books that an answer about a job or a stack may show has a Chinese sentence") {
  int rules = 0;
  for (const char* name : {"reference", "field_guide"}) {
    const rules::Book book = rules::embedded_book(name, Language::chinese);
    for (const rules::DecisionData& decision : book.data().decisions) {
      const bool shown = decision.step == "task" || decision.step == "network" || decision.step == "stack" || decision.step == "cost";
      if (!shown) continue;
      for (const rules::RuleData& rule : decision.rules) {
        INFO(name << " " << rule.id);
        CHECK(rule.because.language == Language::chinese);
        ++rules;
      }
    }
  }
  CHECK(rules > 350);
}

TEST_CASE("texts of the reference book that people read are Chinese: what to ask and what to change") {
  const rules::Book english = reference(Language::english), chinese = reference(Language::chinese);
  for (const rules::DecisionData& decision : english.data().decisions) {
    if (decision.step != "stack") continue;
    const auto& translated = chinese.data().decisions[static_cast<std::size_t>(chinese.decision(decision.id)->index)];
    for (std::size_t at = 0; at < decision.rules.size(); ++at) {
      for (std::size_t field = 0; field < decision.rules[at].then.fields.size(); ++field) {
        const auto& one = decision.rules[at].then.fields[field];
        INFO(decision.rules[at].id << " " << one.name);
        const bool for_people = one.name == "ask" || one.name == "change";
        CHECK((one.expression.text != translated.rules[at].then.fields[field].expression.text) == for_people);
      }
    }
  }
}

TEST_CASE("a translation names rules of its book, and only texts for people") {
  const auto fault_of = [](const std::string& text) {
    rules::BookData book;
    book.language = Language::chinese;
    Issues issues;
    rules::read_rules(value_or_throw(load::parse_document(book_with("\"80\""), "rules.yaml")), book, issues);
    rules::read_translations(value_or_throw(load::parse_document(text, "zh.yaml")), book, issues);
    return issues.empty() ? std::string() : to_string(issues.front());
  };
  CHECK(fault_of("because: {job.fit.small: \"80\"}").empty());
  CHECK(fault_of("because: {job.fit.smal: \"80\"}").find("zh.yaml:1:11: no rule 'job.fit.smal' in the book") == 0);
  CHECK(fault_of("because: {job.fit.smal: \"80\"}").find("did you mean job.fit.small?") != std::string::npos);
  CHECK(fault_of("then: {job.fit.small: {verdict: x}}").find("'verdict' is no text for people") != std::string::npos);
  CHECK(fault_of("then: {job.fit.small: {ask: x}}").find("the rule gives no 'ask'") != std::string::npos);
}

TEST_CASE("a layer over a shipped book keeps the translations below it, and its own rules their sentence") {
  const std::string layer =
      "extends: reference\nreplace:\n  - {id: offer.verdict.too_many, when: offer.gpus_per_node > 16, then: {verdict: reject, code: excluded}, "
      "because: \"{offer.gpus_per_node} GPUs, at most 16\"}\n";
  const RuleBook book = value_or_throw(RuleBook::from_text(layer, "policy.yaml", {}, Language::chinese));
  Value facts;
  facts.set_path("offer.board_known", true);
  facts.set_path("offer.gpu_wanted", true);
  facts.set_path("offer.provider_wanted", true);
  facts.set_path("offer.purchase", "on_demand");
  facts.set_path("offer.spot_wish", "allowed");
  facts.set_path("offer.gpus_per_node", 20.0);
  CHECK(book.decide("offer.verdict", facts).hits.at(0).because == "20 GPUs, at most 16");
  facts.set_path("offer.gpus_per_node", 8.0);
  CHECK(book.decide("offer.verdict", facts).hits.at(0).because == "任务的限制条件没有排除这台 8 卡机器");
}

TEST_CASE("facts that can be asked for, and codes of reasons and warnings, have a Chinese meaning") {
  const auto &english = words::Phrases::of(Language::english), &chinese = words::Phrases::of(Language::chinese);
  const rules::Book book = reference(Language::english);
  for (const std::string& name : book.fact_names()) {
    const std::string group = name.substr(0, name.find('.'));
    if (group != "board" && group != "configuration" && group != "workload" && group != "model" && group != "price") continue;
    INFO(name);
    CHECK((name == "price.total_usd" || chinese.fact(name) != english.fact(name)));
  }
  for (const rules::DecisionData& decision : book.data().decisions) {
    if (decision.step != "task" && decision.step != "network" && decision.step != "cost") continue;
    for (const rules::RuleData& rule : decision.rules) {
      for (const auto& field : rule.then.fields) {
        if (field.name != "code" || field.expression.expr.op != rules::Op::literal) continue;
        INFO(field.expression.text);
        CHECK(chinese.code(field.expression.text) != field.expression.text);
      }
    }
  }
}

// Markdown, CSV and HTML: nothing that a name may hold breaks out of its place, and every offer stands in the table.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <steelyard/advisor.hpp>
#include <steelyard/report.hpp>

#include "load/embedded.hpp"
#include "rank/rank.hpp"
#include "report/picture.hpp"
#include "report/words.hpp"
#include "support/catch.hpp"
#include "support/offers.hpp"

using namespace steelyard;
using test::offer;
using test::rates;

namespace {

Decision decision() {
  Decision made;
  made.ranking = {offer("a/b|c", 10, 2000), offer("<script>alert(1)</script>", 20, 3000), offer("say \"hi\", twice", 90, 3000)};
  rank::sort_ranking(made.ranking, rates);
  made.pareto = rank::mark_dominated(made.ranking, rates);
  made.rejected = {{"small", offer("small", 1, 1).configuration, {"mem_capacity", "needs 90 GiB, has 24", "task.memory", 90.0, 24.0, "gib"}}};
  made.counts = {3, 1, 1, {{"mem_capacity", 1}}};
  made.undecided = {{"open", offer("open", 1, 1).configuration, {"undecided", "which network?", {}, {}, {}, {}}}};
  made.offers = 5;
  return made;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

}  // namespace

TEST_CASE("CSV: a line an offer, as many fields in each, quotes where they are needed") {
  const std::string page = report::csv(decision());
  CHECK(count(page, "\r\n") == 6);
  CHECK(page.find("\"say \"\"hi\"\", twice\"") != std::string::npos);
  CHECK(page.find("small,reject,,mem_capacity,\"needs 90 GiB, has 24\"") != std::string::npos);
  CHECK(page.find("open,unknown") != std::string::npos);
  const std::string head = page.substr(0, page.find("\r\n"));
  const std::size_t at = page.find("open,unknown");
  const std::string line = page.substr(at, page.find("\r\n", at) - at);
  CHECK(count(head, ",") == count(line, ","));
}

TEST_CASE("Markdown: a bar in a name stays inside its cell") {
  const std::string page = report::markdown(decision(), 10);
  CHECK(page.find("a/b\\|c") != std::string::npos);
  CHECK(page.find("| 1 |") != std::string::npos);
  CHECK(page.find("mem_capacity") != std::string::npos);
}

TEST_CASE("HTML: names are escaped, the page asks for nothing from elsewhere") {
  const std::string page = report::html(decision(), 10);
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("&lt;script&gt;") != std::string::npos);
  CHECK(page.find("http") == std::string::npos);
  CHECK(page.find("<svg id=\"plot\"") != std::string::npos);
  CHECK(count(page, "<circle") == 3);
  CHECK(page.find("id=\"rejected\"") != std::string::npos);
  CHECK(report::escaped("<a href=\"x\">&'") == "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
}

TEST_CASE("nothing accepted is a page too") {
  Decision none = decision();
  none.ranking.clear();
  none.pareto.clear();
  for (const std::string& page : {report::html(none, 10), report::markdown(none, 10), report::text(none, 10)}) {
    CHECK(page.find("Nothing fits") != std::string::npos);
    CHECK(page.find("mem_capacity") != std::string::npos);
  }
  CHECK(count(report::csv(none), "\r\n") == 3);
}

// "store 4 of these": four English words in a row are a sentence that nobody translated. Ids, units and names of products are shorter.
std::string english_in(const std::string& page) {
  static const std::regex words("[A-Za-z]+(?:[ ,]+[a-z]+){3,}");
  std::smatch found;
  return std::regex_search(page, found, words) ? found.str() : "";
}

Advisor chinese() { return value_or_throw(Advisor::with_rules("reference", {}, Language::chinese)); }

TEST_CASE("Chinese all through: pages of real answers hold no English sentence") {
  const Advisor advisor = chinese();
  const char* const jobs[] = {
      "{task: full_finetune, model: meta-llama/Meta-Llama-3-70B, precision: bf16, batch: {global: 256}, sequence_length: 4096, work: {tokens: 1e9}}",
      "{task: llm_inference, model: Qwen/Qwen2.5-7B, precision: fp8, serving: {engine: vllm}, work: {hours: 10}, constraints: {budget: 1 USD}}",
      "{task: hpc, needs: {fp64: true, memory_gib: 100, os: windows}}",
      "{task: lora, model: Qwen/Qwen2.5-7B, software: {framework: pytorch, version: \"2.5.0\", cuda: cu124}, constraints: {spot: forbidden}}"};
  for (const char* text : jobs) {
    INFO(text);
    const Workload job = value_or_throw(parse_workload(text, "job.yaml", advisor.catalog()));
    const Decision made = advisor.select_cluster(job, {{2026, 11, 30}, 1});
    for (const std::string& page : {report::text(made, 10, Language::chinese), report::markdown(made, 10, Language::chinese)}) {
      CHECK(english_in(page) == "");
    }
    const std::string offer = advisor.catalog().offers().front().id;
    CHECK(english_in(report::text(value_or_throw(advisor.explain(job, offer, {{2026, 11, 30}, 1})), Language::chinese)) == "");
    const std::string box = "{gpu: RTX4090, gpus_per_node: 8, nodes: 2, driver: \"470.82.01\", shm_gib: 0.06}";
    CHECK(english_in(report::text(advisor.estimate(job, value_or_throw(parse_configuration(box, "box", advisor.catalog()))), Language::chinese)) ==
          "");
  }
}

TEST_CASE("Chinese: every phrase of the program stands in the file") {
  const load::Document document = load::embedded_document("data/languages/zh.yaml");
  const std::regex said(R"RE(say\(\s*"((?:[^"\\]|\\.)*)")RE");
  int phrases = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::filesystem::path(STEELYARD_SOURCE_DIR) / "lib")) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream stream(entry.path());
    const std::string source(std::istreambuf_iterator<char>(stream), {});
    for (std::sregex_iterator at(source.begin(), source.end(), said), end; at != end; ++at, ++phrases) {
      INFO(entry.path() << ": " << (*at)[1].str());
      CHECK(document.root.find("phrases")->find((*at)[1].str()));
    }
  }
  CHECK(phrases > 80);
}

TEST_CASE("what is best in several ways is said once, with all its roles") {
  Decision made = decision();
  made.choices = {{"best_value", "a", 8, 1.0, {}, {}},
                  {"cheapest_work", "a", 8, 1.0, {}, {}},
                  {"fastest", "b", 16, 0.5, {}, {}},
                  {"fewest_gpus", "a", 8, 1.0, {}, {}}};
  const report::Words words(Language::english);
  CHECK(words.choices(made.choices) == std::vector<std::string>{"cheapest work, fewest GPUs: a, 8 GPUs, 1 h", "fastest: b, 16 GPUs, 30 min"});
  CHECK(report::Words(Language::chinese).choices(made.choices).front().find("总成本最低、GPU 最少：a") == 0);
  CHECK(count(report::text(made, 10), "cheapest work") == 1);
}

TEST_CASE("Chinese: every phrase of the file has as many places as the English one, and reports use them") {
  const load::Document document = load::embedded_document("data/languages/zh.yaml");
  const load::Node* phrases = document.root.find("phrases");
  REQUIRE(phrases);
  for (const load::Entry& entry : phrases->entries) {
    INFO(entry.key);
    CHECK(count(entry.key, "{") == count(entry.value.text, "{"));
    CHECK((count(entry.value.text, "{}") == count(entry.value.text, "{") || count(entry.value.text, "{}") == 0));  // all in order, or all by number
  }
  const std::string page = report::text(decision(), 10, report::Language::chinese);
  CHECK(page.find("租用 ") == 0);
  CHECK(page.find("显存装不下") != std::string::npos);
  CHECK(report::html(decision(), 10, report::Language::chinese).find("lang=\"zh-CN\"") != std::string::npos);
  CHECK_FALSE(report::parse_language("fr"));
}

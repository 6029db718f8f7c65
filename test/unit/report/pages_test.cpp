// Markdown, CSV and HTML: nothing that a name may hold breaks out of its place, and every offer stands in the table.
#include <algorithm>
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

TEST_CASE("Chinese: every phrase of the file has as many places as the English one, and reports use them") {
  const load::Document document = load::embedded_document("data/languages/zh.yaml");
  const load::Node* phrases = document.root.find("phrases");
  REQUIRE(phrases);
  for (const load::Entry& entry : phrases->entries) {
    INFO(entry.key);
    CHECK(count(entry.key, "{}") == count(entry.value.text, "{}"));
  }
  const std::string page = report::text(decision(), 10, report::Language::chinese);
  CHECK(page.find("租用 ") == 0);
  CHECK(page.find("显存装不下") != std::string::npos);
  CHECK(report::html(decision(), 10, report::Language::chinese).find("lang=\"zh-CN\"") != std::string::npos);
  CHECK_FALSE(report::parse_language("fr"));
}

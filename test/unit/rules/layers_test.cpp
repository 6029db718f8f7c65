// Books that extend others: add, replace, switch off.
#include <filesystem>
#include <fstream>

#include "book_text.hpp"
#include "rules/book.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::rules;
namespace fs = std::filesystem;

namespace {

// Two folders, `base` and `own`, that go away with the test.
class Folders {
 public:
  Folders() : root_(fs::temp_directory_path() / ("steelyard-layers-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {
    write("base", base);
  }
  ~Folders() { fs::remove_all(root_); }
  Folders(const Folders&) = delete;
  Folders& operator=(const Folders&) = delete;

  void write(const std::string& book, const std::string& text) const {
    fs::create_directories(root_ / book);
    std::ofstream(root_ / book / "rules.yaml") << text;
  }
  Loaded<Book> load(const std::string& book) const { return load_book(root_ / book); }

 private:
  static constexpr const char* base = R"yaml(
facts:
  - {name: job.gpus, type: number}
  - {name: job.place, type: string}
decisions:
  - id: job.verdict
    inputs: {gpus: job.gpus}
    hit_policy: first
    rules:
      - {id: job.verdict.many, when: [">= 64"], then: reject, because: "{gpus} GPUs, 64 or more"}
      - {id: job.verdict.few, when: ["< 2"], then: warn, because: "{gpus} GPUs, fewer than 2"}
      - {id: job.verdict.good, when: true, then: accept, because: "{gpus} GPUs"}
    tests:
      - {input: {gpus: 64}, output: reject}
  - {id: job.size, value: job.gpus * 2, because: "2 x {job.gpus}"}
  - {id: job.price, value: job.size * 3, because: "3 x {job.size}"}
)yaml";
  fs::path root_;
};

std::string verdict(const Book& book, double gpus, const char* place = "eu") {
  Value facts;
  facts.set_path("job.gpus", gpus);
  facts.set_path("job.place", place);
  Session session(book, facts);
  const Outcome& outcome = session.decide("job.verdict");
  return outcome.hits.empty() ? std::string(to_string(outcome.status)) : outcome.hits[0].rule;
}

}  // namespace

TEST_CASE("a layer adds rules before the others, or before one of them") {
  const Folders folders;
  folders.write("own", R"yaml(
extends: ../base
add:
  - to: job.verdict
    rules:
      - {id: own.first, when: {job.place: '"cn"'}, then: reject, because: "0 machines in {job.place}"}
  - to: job.verdict
    before: job.verdict.good
    rules:
      - {id: own.late, when: ["[10..64)"], then: warn, because: "{gpus} GPUs, 10 or more"}
    tests:
      - {input: {gpus: 10, job.place: eu}, output: warn, rule: own.late}
      - {input: {gpus: 9, job.place: eu}, output: accept}
)yaml");
  const auto book = folders.load("own");
  INFO(issues_of(book.issues));
  REQUIRE(book);
  CHECK(verdict(*book.value, 64) == "job.verdict.many");
  CHECK(verdict(*book.value, 64, "cn") == "own.first");
  CHECK(verdict(*book.value, 10) == "own.late");
  CHECK(verdict(*book.value, 9) == "job.verdict.good");
  const TestReport report = run_tests(*book.value);
  CHECK(report.passed == 2);  // the row of the table below went with the table
  CHECK(report.failed == 0);
  const auto& layers = book.value->data().layers;
  REQUIRE(layers.size() == 2);
  CHECK((layers[0].name == "base" && layers[1].name == "own" && layers[1].added == 2));
  for (const RuleData& rule : book.value->data().decisions[0].rules) CHECK(rule.layer == (rule.id.starts_with("own.") ? 1 : 0));
}

TEST_CASE("a layer replaces rules and decisions, and switches them off") {
  const Folders folders;
  folders.write("own", R"yaml(
extends: ../base
off: [job.verdict.few]
replace:
  - {id: job.verdict.many, when: [">= 8"], then: reject, because: "{gpus} GPUs, 8 or more"}
  - {id: job.size, value: job.gpus * 10, because: "10 x {job.gpus}"}
)yaml");
  const auto book = folders.load("own");
  INFO(issues_of(book.issues));
  REQUIRE(book);
  CHECK(verdict(*book.value, 8) == "job.verdict.many");
  CHECK(verdict(*book.value, 1) == "job.verdict.good");
  Value facts;
  facts.set_path("job.gpus", 2);
  CHECK(Session(*book.value, facts).decide("job.price").output == Value(60));
}

TEST_CASE("layers stand on layers; the message of the upper names the lower") {
  const Folders folders;
  folders.write("middle", "extends: ../base\noff: [job.verdict.few]\n");
  folders.write("own", "extends: ../middle\noff: [job.verdict.many]\n");
  const auto book = folders.load("own");
  REQUIRE(book);
  CHECK(verdict(*book.value, 64) == "job.verdict.good");
  CHECK(book.value->data().layers.size() == 3);
  folders.write("own", "extends: ../middle\noff: [job.verdict.few]\n");
  const auto twice = folders.load("own");
  REQUIRE(!twice);
  CHECK(twice.issues.front().message == "off: no rule or decision 'job.verdict.few' in the books below");
}

TEST_CASE("a book that extends itself is refused") {
  const Folders folders;
  folders.write("one", "extends: ../two\n");
  folders.write("two", "extends: ../one\n");
  const auto book = folders.load("one");
  REQUIRE(!book);
  CHECK(issues_of(book.issues).find("extends itself") != std::string::npos);
}

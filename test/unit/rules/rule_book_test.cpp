// Books inside a program: its own functions, several threads, changed files.
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <steelyard/advisor.hpp>
#include <steelyard/rule_book.hpp>
#include <thread>

#include "support/catch.hpp"

using namespace steelyard;
namespace fs = std::filesystem;

namespace {

const char* const storage = R"yaml(
facts:
  - {name: job.checkpoint, type: number, unit: GiB}
  - {name: job.place, type: string}
decisions:
  - id: storage.cost
    value: storage.price(job.checkpoint * 2, job.place) + 1 USD
    because: "{storage.cost} USD for {job.checkpoint} GiB"
  - id: storage.verdict
    hit_policy: first
    rules:
      - {id: storage.verdict.dear, when: storage.cost > 100, then: reject, because: "{storage.cost} USD, above 100"}
      - {id: storage.verdict.good, when: true, then: accept, because: "{storage.cost} USD"}
)yaml";

// 0.5 USD a GB (1e9 bytes), twice that in "far"; nothing is known of "moon".
ModelFunction price() {
  ModelFunction function;
  function.name = "storage.price";
  function.parameters = {{"size", "number", "GB"}, {"place", "string", ""}};
  function.unit = "USD";
  function.call = [](const std::vector<Value>& arguments) -> std::optional<Value> {
    const std::string& place = arguments[1].as_string();
    if (place == "moon") return std::nullopt;
    if (place == "void") throw std::runtime_error("no such place");
    if (place == "odd") return Value("many");
    return Value(arguments[0].as_number() * (place == "far" ? 1.0 : 0.5));
  };
  return function;
}

Value facts(double gib, const char* place) {
  Value value;
  value.set_path("job.checkpoint", gib);
  value.set_path("job.place", place);
  return value;
}

RuleBook book() { return value_or_throw(RuleBook::from_text(storage, "storage.yaml", {price()})); }

}  // namespace

TEST_CASE("expressions call functions of the program, in the units of their parameters") {
  const RuleOutcome near = book().decide("storage.cost", facts(100, "near"));
  CHECK(near.status == "decided");
  CHECK(near.output.as_number() == Approx(2 * 107.3741824 * 0.5 + 1));
  CHECK(book().decide("storage.verdict", facts(100, "near")).hits[0].rule == "storage.verdict.dear");
  CHECK(book().decide("storage.verdict", facts(10, "near")).output == Value("accept"));
}

TEST_CASE("unknown in, unknown out; a function may not know either, or fail") {
  Value some;
  some.set_path("job.place", "near");
  const RuleOutcome missing = book().decide("storage.verdict", some);
  CHECK(missing.status == "undetermined");
  CHECK(missing.unknown == std::vector<std::string>{"job.checkpoint"});
  const RuleOutcome unknown = book().decide("storage.verdict", facts(1, "moon"));
  CHECK(unknown.status == "undetermined");
  CHECK(unknown.unknown == std::vector<std::string>{"storage.price()"});
  CHECK(book().decide("storage.cost", facts(1, "void")).error == "storage.cost: storage.price(): no such place");
  CHECK(book().decide("storage.cost", facts(1, "odd")).error == "storage.cost: storage.price(): result: expected a number, found \"many\"");
}

TEST_CASE("the picture of a book shows the functions of the program, and who calls them") {
  const std::string dot = rule_book_graph(book());
  CHECK(dot.find("\"storage.price()\" [shape=hexagon]") != std::string::npos);
  CHECK(dot.find("\"storage.price()\" -> \"storage.cost\"") != std::string::npos);
  CHECK(dot.find("\"storage.cost\" -> \"storage.verdict\"") != std::string::npos);
  CHECK(dot.find("\"storage.price()\" -> \"storage.verdict\"") == std::string::npos);
}

TEST_CASE("an advisor's book may call functions of the program") {
  const fs::path folder = fs::temp_directory_path() / "steelyard_advisor_functions";
  fs::create_directories(folder / "4_cost");
  std::ofstream(folder / "4_cost" / "quota.yaml")
      << "extends: reference\nadd:\n  - to: cost.verdict\n    rules:\n"
         "      - {id: quota.used_up, when: quota.left(configuration.gpus) < 0, then: {verdict: reject, code: excluded},"
         " because: \"{quota.left(configuration.gpus)} GPUs of the quota are left\"}\n";
  ModelFunction left;
  left.name = "quota.left";
  left.parameters = {{"gpus", "number", ""}};
  left.call = [](const std::vector<Value>& arguments) -> std::optional<Value> { return Value(4 - arguments[0].as_number()); };
  CHECK_FALSE(Advisor::with_rules(folder.string()));  // unknown without the function
  const Advisor advisor = value_or_throw(Advisor::with_rules(folder.string(), {left}));
  const auto verdict = [&](int gpus) {
    const std::string box = "{gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: " + std::to_string(gpus) + "}";
    const Workload job = value_or_throw(parse_workload("{task: lora, method: lora, model: Qwen/Qwen2.5-3B}", "job", advisor.catalog()));
    return advisor.estimate(job, value_or_throw(parse_configuration(box, "box", advisor.catalog())));
  };
  CHECK(verdict(4).verdict == "accept");
  const Estimate over = verdict(8);
  CHECK(over.verdict == "reject");
  REQUIRE_FALSE(over.reasons.empty());
  CHECK(over.reasons.front().message == "-4 GPUs of the quota are left");
  fs::remove_all(folder);
}

TEST_CASE("signatures are checked when the book loads") {
  const auto first = [](const std::string& value, std::vector<ModelFunction> functions) {
    std::string text = "facts: [{name: job.hours, type: number, unit: h}]\nid: a\nvalue: " + value + "\nbecause: '1'\n";
    const auto loaded = RuleBook::from_text(std::move(text), "a.yaml", functions);
    return loaded ? std::string() : to_string(loaded.issues.front());
  };
  CHECK(first("storage.price(job.hours, \"near\")", {price()})
            .find("a.yaml:3:22: decision a: value: storage.price(): size: a quantity in s meets one in byte") == 0);
  CHECK(first("storage.price(1 GB)", {price()}).find("storage.price(): 1 arguments, expected 2") != std::string::npos);
  CHECK(first("storage.price(1 GB, 2)", {price()}).find("storage.price(): place: expected a string, found a number") != std::string::npos);
  CHECK(first("storage.price(1 GB, \"x\") + job.hours", {price()}).find("a quantity in s meets one in USD") != std::string::npos);
  CHECK(first("storage_prise(1)", {}).find("unknown function 'storage_prise'") != std::string::npos);
  ModelFunction odd = price();
  odd.unit = "bananas";
  CHECK(first("1", {odd}) == "function storage.price: result: unknown unit 'bananas'\nfix: write it like GiB or USD/h");
  CHECK(first("1", {price(), price()}).find("function storage.price: the name stands twice") != std::string::npos);
}

TEST_CASE("a live book takes in changed files at once and keeps the old book on faults") {
  const fs::path folder = fs::temp_directory_path() / ("steelyard-live-" + std::to_string(reinterpret_cast<std::uintptr_t>(&storage)));
  const auto write = [&](const std::string& value) {
    fs::create_directories(folder);
    std::ofstream(folder / "rules.yaml") << "id: answer\nvalue: " << value << "\nbecause: '1'\n";
  };
  write("1");
  LiveRuleBook live(folder.string());
  const auto answer = [](const RuleBook& book) { return book.decide("answer", {}).output; };
  const std::shared_ptr<const RuleBook> held = live.book();
  write("2");
  CHECK(live.reload().empty());
  CHECK(answer(*held) == Value(1));
  CHECK(answer(*live.book()) == Value(2));
  write("3 +");
  const Issues issues = live.reload();
  REQUIRE(issues.size() == 1);
  CHECK(issues[0].where.line == 2);
  CHECK(answer(*live.book()) == Value(2));
  fs::remove_all(folder);
  CHECK(has_errors(live.reload()));
  CHECK(answer(*live.book()) == Value(2));
  CHECK_THROWS_AS(LiveRuleBook(folder.string()), LoadError);
}

TEST_CASE("readers of a live book see one book or the other, whole") {
  const fs::path folder = fs::temp_directory_path() / ("steelyard-swap-" + std::to_string(reinterpret_cast<std::uintptr_t>(&storage)));
  const auto write = [&](int number) {
    fs::create_directories(folder);
    std::ofstream(folder / "rules.yaml") << "decisions:\n  - {id: a, value: " << number
                                         << ", because: '1'}\n  - {id: b, value: a * 10, because: '1'}\n";
  };
  write(1);
  LiveRuleBook live(folder.string());
  std::atomic<bool> stop = false, torn = false;
  std::vector<std::thread> readers;
  for (int count = 0; count < 2; ++count) {
    readers.emplace_back([&] {
      while (!stop) {
        const auto book = live.book();
        torn = torn || book->decide("b", {}).output.as_number() != 10 * book->decide("a", {}).output.as_number();
      }
    });
  }
  for (int number = 2; number < 30; ++number) {
    write(number);
    CHECK(live.reload().empty());
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  CHECK(!torn);
  CHECK(live.book()->decide("b", {}).output == Value(290));
  fs::remove_all(folder);
}

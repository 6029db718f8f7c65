// Speed of the rule engine over the rule workload; results are compared with the expected ones.
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>

#include "rule_workload.hpp"
#include "rules/lint/lint.hpp"

namespace steelyard::bench {

namespace {

using namespace steelyard::rules;

struct Decisions {
  std::vector<DecisionId> tables;
  DecisionId unit_cost;
};

Decisions decisions_of(const Workload& work) {
  Decisions decisions;
  for (const std::string& table : work.tables) decisions.tables.push_back(*work.book().decision(table));
  decisions.unit_cost = *work.book().decision("unit_cost");
  return decisions;
}

Rows rows_of(const Workload& work, std::size_t count) {
  Rows rows(work.book(), count);
  for (std::size_t at = 0; at < work.inputs.size(); ++at) {
    const FactId fact = *work.book().fact(work.inputs[at]);
    std::vector<double> numbers;
    std::vector<std::string> texts;
    for (std::size_t row = 0; row < count; ++row) {
      const std::size_t from = row % work.rows();
      if (work.is_text[at]) {
        texts.push_back(work.texts[at][from]);
      } else {
        numbers.push_back(work.numbers[at][from]);
      }
    }
    if (work.is_text[at]) {
      rows.texts(fact, texts);
    } else {
      rows.numbers(fact, numbers);
    }
  }
  return rows;
}

bool near(double one, double other) { return std::abs(one - other) <= 1e-9 * std::abs(other); }

// "" where every row has the expected rules, verdict and, in sum, cost.
std::string compare(const Workload& work, const std::vector<BatchColumn>& columns) {
  double sum = 0;
  const BatchColumn& verdict = columns[work.tables.size() - 1];
  const std::size_t count = verdict.codes.size();
  for (std::size_t row = 0; row < count; ++row) {
    const std::size_t from = row % work.rows();
    for (std::size_t table = 0; table < work.tables.size(); ++table) {
      if (columns[table].rule(row) + 1 != work.hits[table][from] - '0')
        return "row " + std::to_string(row) + ": another rule in " + work.tables[table];
    }
    const Value& output = verdict.outputs[verdict.codes[row]];
    if (!output.is_string() || output.as_string() != work.verdict_codes[static_cast<std::size_t>(work.verdict[from] - '0')])
      return "row " + std::to_string(row) + ": another verdict";
    sum += columns.back().numbers[row];
  }
  const double times = static_cast<double>(count) / static_cast<double>(work.rows());
  return near(sum, work.unit_cost_sum * times) ? "" : "another sum of costs";
}

void rules_batch(benchmark::State& state, InstructionSet set) {
  const Workload& work = workload();
  if (!work.problem.empty()) return state.SkipWithError(work.problem.c_str());
  const auto count = static_cast<std::size_t>(state.range(0));
  const Rows rows = rows_of(work, count);
  const Decisions decisions = decisions_of(work);
  std::vector<DecisionId> wanted = decisions.tables;
  wanted.push_back(decisions.unit_cost);
  const Batch batch(rows, wanted, set);
  std::vector<BatchColumn> columns;
  batch.run(columns);
  if (const std::string problem = compare(work, columns); !problem.empty()) return state.SkipWithError(problem.c_str());
  for (auto _ : state) {
    batch.run(columns);
    benchmark::DoNotOptimize(columns.back().numbers.data());
    benchmark::ClobberMemory();
  }
  if (const std::string problem = compare(work, columns); !problem.empty()) state.SkipWithError(problem.c_str());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
  state.SetLabel(std::string(kernels(set).name));
}

// One row after the other in one session.
class SingleRows {
 public:
  explicit SingleRows(const Workload& work) : work_(work), decisions_(decisions_of(work)), session_(work.book()) {
    for (const std::string& input : work.inputs) facts_.push_back(*work.book().fact(input));
  }

  void set(std::size_t row) {
    for (std::size_t at = 0; at < facts_.size(); ++at) {
      if (work_.is_text[at]) {
        session_.set(facts_[at], std::string_view(work_.texts[at][row]));
      } else {
        session_.set(facts_[at], work_.numbers[at][row]);
      }
    }
  }

  /// "" or what differs.
  std::string compare(std::size_t row) {
    for (std::size_t table = 0; table < work_.tables.size(); ++table) {
      if (session_.hit(decisions_.tables[table]) + 1 != work_.hits[table][row] - '0') return "another rule in " + work_.tables[table];
    }
    const auto verdict = session_.text(decisions_.tables.back());
    if (!verdict || *verdict != work_.verdict_codes[static_cast<std::size_t>(work_.verdict[row] - '0')]) return "another verdict";
    sum_ += session_.number(decisions_.unit_cost).value_or(std::nan(""));
    return row + 1 < work_.rows() || near(sum_, work_.unit_cost_sum) ? "" : "another sum of costs";
  }

  int decide() {
    int hits = 0;
    for (const DecisionId table : decisions_.tables) hits = hits * 8 + session_.hit(table);
    benchmark::DoNotOptimize(session_.text(decisions_.tables.back()));
    benchmark::DoNotOptimize(session_.number(decisions_.unit_cost));
    return hits;
  }

  std::size_t trace() {
    std::size_t bytes = 0;
    for (const DecisionId table : decisions_.tables) {
      for (const Hit& hit : session_.decide(table).hits) bytes += hit.because.size();
    }
    return bytes + session_.decide(decisions_.unit_cost).hits.size();
  }

 private:
  const Workload& work_;
  Decisions decisions_;
  Session session_;
  std::vector<FactId> facts_;
  double sum_ = 0;
};

void rules_single(benchmark::State& state, bool trace) {
  const Workload& work = workload();
  if (!work.problem.empty()) return state.SkipWithError(work.problem.c_str());
  SingleRows single(work);
  for (std::size_t row = 0; row < work.rows(); ++row) {
    single.set(row);
    if (const std::string problem = single.compare(row); !problem.empty()) return state.SkipWithError(problem.c_str());
  }
  std::size_t row = 0;
  for (auto _ : state) {
    single.set(row);
    if (trace) {
      benchmark::DoNotOptimize(single.trace());
    } else {
      benchmark::DoNotOptimize(single.decide());
    }
    if (++row == work.rows()) row = 0;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

// Tables of 20 rules over three inputs, as people write them.
std::string generated_rules(int count) {
  constexpr int a_table = 20;
  std::string text =
      "facts:\n  - {name: job.memory_gib, type: number, unit: GiB}\n  - {name: offer.memory_gib, type: number, unit: GiB}\n"
      "  - {name: offer.link, type: string, values: [nvlink, pcie, none]}\n  - {name: offer.gpus, type: number, unit: '1'}\ndecisions:\n";
  for (int table = 0; table < count / a_table; ++table) {
    const std::string id = "table" + std::to_string(table);
    const std::string share =
        table == 0 ? "job.memory_gib / offer.memory_gib" : "job.memory_gib / offer.memory_gib + table" + std::to_string(table - 1) + " / 1000";
    text += "  - id: " + id + "\n    hit_policy: first\n    inputs: {share: " + share + ", link: offer.link, gpus: offer.gpus}\n    rules:\n";
    for (int rule = 0; rule < a_table; ++rule) {
      const std::string low = std::to_string(rule), high = std::to_string(rule + 1), number = std::to_string(rule);
      const std::string when = rule + 1 == a_table ? "true"
                                                   : "{share: \"[" + low + ".." + high +
                                                         ")\", link: '\"nvlink\",\"pcie\"', gpus: \">= " + std::to_string(rule % 8 + 1) + "\"}";
      text += "      - {id: " + id + ".r" + number + ", when: " + when + ", then: " + number + ", because: \"share {share:3} of {gpus} GPUs\"}\n";
    }
  }
  return text;
}

Loaded<Book> load_text(const std::string& text) {
  auto document = load::parse_document(text, "rules/generated/2_network/rules.yaml");
  if (!document) return {std::nullopt, document.issues};
  return load_book("generated", {*document.value});
}

void rules_load(benchmark::State& state) {
  const std::string text = generated_rules(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    const auto book = load_text(text);
    if (!book) return state.SkipWithError(to_string(book.issues.front()).c_str());
    benchmark::DoNotOptimize(book);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}

// One table of many rules over four inputs, without gap or overlap: the product of their values.
std::string grid_rules(int count) {
  const std::vector<std::string> links{"nvlink", "pcie", "none", "hccs", "xgmi"};
  const int steps = count / 50;  // count = links x 10 intervals of gpus x steps of memory
  std::string text =
      "facts:\n  - {name: offer.memory_gib, type: number, unit: GiB}\n  - {name: offer.link, type: string, values: [nvlink, pcie, none, hccs, "
      "xgmi]}\n"
      "  - {name: offer.gpus, type: number, unit: '1'}\nid: grid\nhit_policy: unique\ninputs: {memory: offer.memory_gib, link: offer.link, gpus: "
      "offer.gpus}\nrules:\n";
  const auto interval = [](int at, int of, const std::string& unit) {
    const std::string low = std::to_string(at * 10) + unit, high = std::to_string(at * 10 + 10) + unit;
    return at == 0 ? "< " + high : at + 1 == of ? ">= " + low : "[" + low + ".." + high + ")";
  };
  for (int rule = 0; rule < count; ++rule) {
    const std::string when = "['" + interval(rule % steps, steps, " GiB") + "', '\"" + links[static_cast<std::size_t>(rule / steps % 5)] + "\"', '" +
                             interval(rule / steps / 5, 10, "") + "']";
    text += "  - {id: grid." + std::to_string(rule) + ", when: " + when + ", then: " + std::to_string(rule) + ", because: \"1\"}\n";
  }
  return text;
}

void rules_lint(benchmark::State& state, const std::string& text) {
  const auto book = load_text(text);
  if (!book) return state.SkipWithError(to_string(book.issues.front()).c_str());
  for (auto _ : state) {
    const LintReport report = lint(*book.value);
    if (!report.findings.empty() || report.rules != state.range(0)) return state.SkipWithError("the rules are without faults, lint found some");
    benchmark::DoNotOptimize(report);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}

}  // namespace

BENCHMARK_CAPTURE(rules_batch, best, best_instruction_set())->Name("rules_batch")->Arg(10000)->Arg(1000000)->UseRealTime();
BENCHMARK_CAPTURE(rules_batch, plain, InstructionSet::plain)->Name("rules_batch_plain")->Arg(10000)->UseRealTime();
BENCHMARK_CAPTURE(rules_batch, avx2, InstructionSet::avx2)->Name("rules_batch_avx2")->Arg(10000)->UseRealTime();
BENCHMARK_CAPTURE(rules_single, result, false)->Name("rules_single");
BENCHMARK_CAPTURE(rules_single, trace, true)->Name("rules_single_trace");
BENCHMARK_CAPTURE(rules_lint, tables, generated_rules(1000))->Name("rules_lint")->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rules_lint, table, grid_rules(1000))->Name("rules_lint_one_table")->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK(rules_load)->Name("rules_load")->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace steelyard::bench

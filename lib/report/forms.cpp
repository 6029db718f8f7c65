#include "report/forms.hpp"

#include <algorithm>
#include <steelyard/launch.hpp>
#include <steelyard/requests.hpp>

namespace steelyard::report {

Value form(const Money& money) {
  Value value;
  value["amount"] = money.amount;
  value["currency"] = money.currency;
  return value;
}

Value form(const Plan& plan) {
  Value value;
  const std::pair<const char*, int> degrees[] = {{"tensor", plan.tensor},
                                                 {"pipeline", plan.pipeline},
                                                 {"context", plan.context},
                                                 {"expert", plan.expert},
                                                 {"virtual_pipeline", plan.virtual_pipeline},
                                                 {"data", plan.data},
                                                 {"micro", plan.micro_batch},
                                                 {"global", plan.global_batch},
                                                 {"accumulation", plan.accumulation},
                                                 {"shard_group", plan.shard_group},
                                                 {"recomputed_layers", plan.recomputed_layers}};
  for (const auto& [name, degree] : degrees) value[name] = degree;
  value["sequence_parallel"] = plan.sequence_parallel;
  value["sharding"] = plan.sharding;
  value["offload"] = plan.offload;
  value["activation_checkpointing"] = plan.activation_checkpointing;
  value["filled_in"] = list_of_texts(plan.filled_in);
  return value;
}

Value form(const ChosenSoftware& software) {
  Value value;
  value["framework"] = software.framework;
  value["version"] = software.version;
  value["cuda"] = software.cuda;
  value["image"] = software.image;
  value["packages"] = list_of_texts(software.packages);
  value["driver"] = software.driver;
  value["verdict"] = software.verdict;
  value["change"] = software.change;
  value["command"] = software.command;
  return value;
}

Value form(const MemoryEstimate& memory) {
  Value value;
  value["usable_gib"] = known(memory.usable_gib);
  value["peak_gib"] = known(memory.peak_gib);
  value["phases"] = Value::list();
  for (const MemoryPhase& phase : memory.phases) {
    Value entry;
    entry["phase"] = phase.phase;
    entry["gib"] = phase.gib;
    value["phases"].push_back(std::move(entry));
  }
  value["largest_allocation_gib"] = known(memory.largest_allocation_gib);
  value["host_gib"] = known(memory.host_gib);
  value["breakdown"] = Value::map();
  for (const auto& [part, gib] : memory.breakdown_gib) value["breakdown"][part] = gib;
  put(value, "failing_phase", memory.failing_phase);
  put(value, "failing_allocation", memory.failing_allocation);
  return value;
}

Value form(const EffectiveCompute& effective) {
  Value value;
  value["peak_tflops"] = known(effective.peak_tflops);
  value["interconnect"] = known(effective.interconnect);
  value["memory"] = known(effective.memory);
  value["software"] = known(effective.software);
  value["tflops"] = known(effective.tflops);
  value["per"] = "gpu";
  return value;
}

Value form(const TraceStep& step) {
  Value value;
  value["step"] = step.step;
  value["table"] = step.table;
  value["rule"] = step.rule;
  value["inputs"] = step.inputs.is_null() ? Value::map() : step.inputs;
  value["output"] = step.output;
  value["because"] = step.because;
  value["where"] = to_string(step.where);
  return value;
}

Value form(const Question& question) {
  Value value;
  value["ask"] = question.ask;
  value["field"] = question.field;
  value["decides"] = list_of_texts(question.decides);
  return value;
}

Value form(const Reason& reason) {
  Value value;
  value["code"] = reason.code;
  value["message"] = reason.message;
  value["rule"] = reason.rule;
  put(value, "needed", reason.needed);
  put(value, "actual", reason.actual);
  put(value, "unit", reason.unit);
  return value;
}

namespace {

struct Rate {
  double value = 0;
  const char* unit = "";
};

std::optional<Rate> main_rate(const TimeEstimate& time) {
  if (time.tokens_per_s) return Rate{*time.tokens_per_s, "tokens_per_s"};
  if (time.samples_per_s) return Rate{*time.samples_per_s, "samples_per_s"};
  if (time.output_tokens_per_s) return Rate{*time.output_tokens_per_s, "output_tokens_per_s"};
  if (time.requests_per_s) return Rate{*time.requests_per_s, "requests_per_s"};
  return std::nullopt;
}

}  // namespace

Value throughput(const Estimate& estimate) {
  const auto rate = main_rate(estimate.time);
  if (!rate) return {};
  Value value;
  value["value"] = rate->value;
  const auto& interval = estimate.time.interval;
  if (interval && interval->low > 0) {
    // An interval of a time turns round when it becomes one of a rate.
    const bool of_time = interval->of == "step_time_s" || interval->of == "latency_ms";
    const std::optional<double>& middle = interval->of == "latency_ms" ? estimate.time.latency_ms : estimate.time.step_time_s;
    const double center = of_time ? middle.value_or(0) : rate->value;
    if (center > 0) {
      value["low"] = rate->value * (of_time ? center / interval->high : interval->low / center);
      value["high"] = rate->value * (of_time ? center / interval->low : interval->high / center);
    }
  }
  value["unit"] = rate->unit;
  return value;
}

}  // namespace steelyard::report

namespace steelyard {

namespace {

template <class Items>
Value list_of(const Items& items) {
  Value list = Value::list();
  for (const auto& item : items) list.push_back(report::form(item));
  return list;
}

Value codes_of(const std::vector<Reason>& reasons) {
  Value codes = Value::list();
  for (const Reason& reason : reasons) codes.push_back(reason.code);
  return codes;
}

void add_time(Value& value, const TimeEstimate& time) {
  using report::known;
  value["step_time_s"] = known(time.step_time_s);
  value["tokens_per_s"] = known(time.tokens_per_s);
  value["samples_per_s"] = known(time.samples_per_s);
  value["output_tokens_per_s"] = known(time.output_tokens_per_s);
  value["requests_per_s"] = known(time.requests_per_s);
  value["latency_ms"] = known(time.latency_ms);
  value["mfu"] = known(time.mfu);
  value["time_breakdown_s"] = Value::map();
  for (const auto& [part, seconds] : time.breakdown_s) value["time_breakdown_s"][part] = seconds;
  value["interval"] = Value();
  if (time.interval) {
    value["interval"]["low"] = time.interval->low;
    value["interval"]["high"] = time.interval->high;
    value["interval"]["of"] = time.interval->of;
  }
}

void add_costs(Value& value, const Estimate& estimate) {
  value["time_h"] = report::known(estimate.time_h);
  value["cost"] = estimate.cost ? report::form(*estimate.cost) : Value();
  if (estimate.cost_parts) value["cost_parts"] = report::form(*estimate.cost_parts);
  value["unit_cost"] = Value();
  if (estimate.unit_cost) {
    value["unit_cost"] = report::form(estimate.unit_cost->money);
    value["unit_cost"]["per"] = estimate.unit_cost->per;
  }
  value["effective"] = report::form(estimate.effective);
}

Value ranked_form(const RankedOffer& ranked) {
  const Estimate& estimate = ranked.estimate;
  Value value;
  value["rank"] = ranked.rank;
  value["offer"] = ranked.offer;
  value["configuration"] = to_value(ranked.configuration);
  value["plan"] = estimate.plan ? report::form(*estimate.plan) : Value();
  value["software"] = estimate.software ? report::form(*estimate.software) : Value();
  value["verdict"] = estimate.verdict;
  value["throughput"] = report::throughput(estimate);
  add_costs(value, estimate);
  value["confidence"] = estimate.time.confidence.empty() ? Value() : Value(estimate.time.confidence);
  value["reasons"] = list_of(estimate.reasons);
  value["warnings"] = list_of(estimate.warnings);
  value["dominated_by"] = ranked.dominated_by.empty() ? Value() : Value(ranked.dominated_by);
  return value;
}

// How many rejected or undecided offers are written out.
constexpr std::size_t most_examples = 10;

Value turned_down_form(std::size_t total, const std::vector<RejectedOffer>& offers) {
  Value value;
  value["total"] = total;
  value["examples"] = Value::list();
  std::vector<std::string> shown;
  for (const RejectedOffer& offer : offers) {
    // One example of each code first: they show the kinds of reasons.
    const bool fresh = std::find(shown.begin(), shown.end(), offer.reason.code) == shown.end();
    if (!fresh || shown.size() >= most_examples) continue;
    shown.push_back(offer.reason.code);
    Value example;
    example["offer"] = offer.offer;
    const Value reason = report::form(offer.reason);
    for (const auto& [key, item] : reason.as_map()) example[key] = item;
    value["examples"].push_back(std::move(example));
  }
  return value;
}

}  // namespace

namespace {

// The launch kit of the best offer; in bulk runs, which have no acceptance kit either, there is none.
Value launch_form(const Decision& decision) {
  const RankedOffer* best = decision.best();
  if (!best || !best->estimate.plan || decision.acceptance.is_null()) return {};
  const Value* environment = decision.acceptance.find("environment");
  const auto kit = make_launch_kit(decision.workload, best->configuration, *best->estimate.plan, {}, environment ? *environment : Value::map());
  if (kit) return to_value(*kit.value);
  Value none;
  none["framework"] = Value();
  none["because"] = kit.issues.front().message;
  return none;
}

}  // namespace

Value to_value(const TraceStep& step) { return report::form(step); }

Value to_value(const Issues& issues) {
  Value value;
  value["message"] = issues.empty() ? "" : LoadError(issues).what();
  value["issues"] = Value::list();
  for (const Issue& issue : issues) {
    Value entry;
    put_place(entry, issue.where);
    entry["severity"] = issue.severity == Severity::error ? "error" : "warning";
    entry["message"] = issue.message;
    entry["fix"] = issue.fix;
    value["issues"].push_back(std::move(entry));
  }
  return value;
}

Value to_value(const Estimate& estimate) {
  Value value;
  value["schema"] = "steelyard.estimate/1";
  value["verdict"] = estimate.verdict;
  value["codes"] = codes_of(estimate.reasons);
  value["reasons"] = list_of(estimate.reasons);
  value["warnings"] = list_of(estimate.warnings);
  value["questions"] = list_of(estimate.questions);
  value["task_type"] = estimate.task_type.empty() ? Value() : Value(estimate.task_type);
  value["tier"] = estimate.tier.empty() ? Value() : Value(estimate.tier);
  value["csi"] = report::known(estimate.csi);
  value["memory"] = report::form(estimate.memory);
  value["plan"] = estimate.plan ? report::form(*estimate.plan) : Value();
  value["software"] = estimate.software ? report::form(*estimate.software) : Value();
  add_time(value, estimate.time);
  add_costs(value, estimate);
  if (estimate.scaling) value["scaling"] = report::form(*estimate.scaling);
  value["confidence"] = estimate.time.confidence.empty() ? Value() : Value(estimate.time.confidence);
  value["trace"] = list_of(estimate.trace);
  return value;
}

Value to_value(const Comparison& comparison) {
  Value value;
  value["schema"] = "steelyard.compare/1";
  value["offers"] = Value::list();
  for (const RankedOffer* offer : {&comparison.one, &comparison.other}) {
    Value entry = ranked_form(*offer);
    entry["rank"] = Value();
    value["offers"].push_back(std::move(entry));
  }
  value["better"] = comparison.better.empty() ? Value() : Value(comparison.better);
  value["because"] = comparison.because;
  value["first_difference"] = comparison.first_difference.empty() ? Value() : Value(comparison.first_difference);
  value["steps"] = Value::list();
  for (const ComparedStep& step : comparison.steps) {
    Value entry;
    entry["step"] = step.step;
    entry["differs"] = step.differs;
    entry["one"] = step.one;
    entry["other"] = step.other;
    value["steps"].push_back(std::move(entry));
  }
  value["terms"] = Value::list();
  for (const ComparedTerm& term : comparison.terms) {
    Value entry;
    entry["term"] = term.term;
    entry["unit"] = term.unit;
    entry["one"] = report::known(term.one);
    entry["other"] = report::known(term.other);
    value["terms"].push_back(std::move(entry));
  }
  return value;
}

Value to_value(const Decision& decision, std::size_t top) {
  Value value;
  value["schema"] = "steelyard.recommend/1";
  value["workload"] = to_value(decision.workload);
  value["task_type"] = decision.task_type.empty() ? Value() : Value(decision.task_type);
  value["csi"] = report::known(decision.csi);
  value["tier"] = decision.tier.empty() ? Value() : Value(decision.tier);
  value["ranking"] = Value::list();
  for (const RankedOffer& ranked : decision.ranking) {
    if (value["ranking"].as_list().size() < top) value["ranking"].push_back(ranked_form(ranked));
  }
  value["rejected"] = turned_down_form(decision.counts.rejected, decision.rejected);
  value["rejected"]["by_code"] = Value::map();
  for (const auto& [code, count] : decision.counts.rejected_by_code) value["rejected"]["by_code"][code] = count;
  value["pareto"] = Value::list();
  for (const ParetoPoint& point : decision.pareto) {
    Value entry;
    entry["offer"] = point.offer;
    entry["time_h"] = point.time_h;
    entry["cost"] = report::form(point.cost);
    value["pareto"].push_back(std::move(entry));
  }
  value["minimal"] = Value();
  if (decision.minimal) {
    value["minimal"]["offer"] = decision.minimal->offer;
    value["minimal"]["gpus"] = decision.minimal->gpus;
    value["minimal"]["grow_to"] = Value::list();
    for (const int gpus : decision.minimal->grow_to) value["minimal"]["grow_to"].push_back(gpus);
    value["minimal"]["because"] = decision.minimal->because;
  }
  value["offers"]["total"] = decision.offers;
  value["offers"]["accepted"] = decision.counts.accepted;
  value["undecided"] = turned_down_form(decision.counts.undecided, decision.undecided);
  value["choices"] = list_of(decision.choices);
  value["growth"] = list_of(decision.growth);
  value["sensitivity"] = decision.sensitivity ? report::form(*decision.sensitivity) : Value();
  value["feasible"] = Value::list();
  for (const Explanation& way : decision.feasible) {
    Value entry;
    entry["offer"] = way.offer;
    entry["what_if"] = list_of(way.what_if);
    value["feasible"].push_back(std::move(entry));
  }
  value["questions"] = list_of(decision.questions);
  value["acceptance"] = decision.acceptance;
  value["launch"] = launch_form(decision);
  value["trace"] = decision.ranking.empty() ? Value::list() : list_of(decision.ranking.front().estimate.trace);
  return value;
}

}  // namespace steelyard

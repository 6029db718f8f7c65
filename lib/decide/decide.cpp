#include "decide/decide.hpp"

#include <algorithm>
#include <steelyard/stack.hpp>

#include "core/entries.hpp"
#include "decide/2_network/node_scaling.hpp"
#include "decide/gather.hpp"
#include "decide/questions.hpp"
#include "words/phrases.hpp"

namespace steelyard::decide {

namespace {

// A figure measured with the very workload on the very configuration outranks the model.
void apply_measured(const MeasuredRates& measured, TimeEstimate& time) {
  if (!measured.samples_per_s && !measured.requests_per_s && !measured.tokens_per_s) return;
  time.samples_per_s = measured.samples_per_s;
  time.requests_per_s = measured.requests_per_s;
  time.tokens_per_s = measured.tokens_per_s;
  time.interval.reset();
  time.confidence = "calibrated";
}

Value scaling_facts(const Scaling& scaling) {
  Value::Map facts;
  facts.reserve(2);
  put(facts, "one_node_fits", scaling.one_node_fits);
  put(facts, "one_gpu_fits", scaling.one_gpu_fits);
  put(facts, "speedup_over_one_node", scaling.speedup_over_one_node);
  put(facts, "speedup_over_one_gpu", scaling.speedup_over_one_gpu);
  return facts;
}

// Bytes that one GPU exchanges in a step, and what they would take over the usual slower links.
Value exchange_facts(const Configuration& configuration, const TimeEstimate& time) {
  Value::Map facts;
  facts.reserve(2);
  if (time.exchange_bytes_per_step) facts.emplace_back("gb_per_step", *time.exchange_bytes_per_step / 1e9);
  if (time.inter_node_bytes_per_step)
    facts.emplace_back("inter_node_gb_per_step_per_node", *time.inter_node_bytes_per_step * configuration.gpus_per_node / 1e9);
  return facts;
}

// Facts that sentences repeat as words.
void say_in(const words::Phrases& phrases, Value& memory) {
  for (const char* name : {"failing_phase", "failing_allocation"}) {
    if (const Value* text = memory.find(name)) memory[name] = phrases.say(text->as_string());
  }
}

// All that the job does not say by itself, but for the facts of scaling and software.
Value gather(const Job& job, const Configuration& configuration, const Modelled& modelled) {
  const Batch& batch = job.workload.batch;
  Value plan = plan_facts(modelled.plan);
  // The index takes the global batch, or the micro batch where that alone is given.
  plan.as_map().emplace_back("csi_batch", (batch.global ? batch.global : batch.micro).value_or(modelled.plan.global_batch));
  plan.as_map().emplace_back("batch_stated", batch.global && batch.micro);
  Value memory = memory_facts(modelled.memory);
  say_in(words::Phrases::of(job.book.language()), memory);
  Value::Map facts;
  facts.reserve(8);  // with those of scaling and software
  facts.emplace_back("board", configuration.board ? board_facts(*configuration.board) : Value::map());
  facts.emplace_back("configuration", configuration_facts(configuration));
  facts.emplace_back("plan", std::move(plan));
  facts.emplace_back("memory", std::move(memory));
  facts.emplace_back("time", time_facts(modelled.time));
  facts.emplace_back("exchange", exchange_facts(configuration, modelled.time));
  return facts;
}

std::optional<double> decided_number(rules::Session& session, const char* name) {
  const auto decision = session.book().decision(name);
  return decision ? session.number(*decision) : std::nullopt;
}

std::string decided_text(rules::Session& session, const char* name) {
  const auto decision = session.book().decision(name);
  return decision ? std::string(session.text(*decision).value_or("")) : std::string();
}

}  // namespace

std::optional<double> work_hours(const Workload& workload, const Plan& plan, const TimeEstimate& time) {
  const Work& work = workload.work;
  const auto hours = [](std::optional<double> amount, std::optional<double> rate) -> std::optional<double> {
    return amount && rate && *rate > 0 ? std::optional(*amount / *rate / 3600) : std::nullopt;
  };
  const auto samples = work.samples                          ? work.samples
                       : work.epochs && work.dataset_samples ? std::optional(*work.epochs * *work.dataset_samples)
                                                             : std::nullopt;
  if (work.hours) return work.hours;
  if (work.tokens && time.tokens_per_s) return hours(work.tokens, time.tokens_per_s);
  if (work.tokens) return hours(work.tokens, time.output_tokens_per_s);
  if (work.steps && time.step_time_s) return *work.steps * *time.step_time_s / 3600;
  if (work.requests) {
    if (time.requests_per_s) return hours(work.requests, time.requests_per_s);
    if (time.output_tokens_per_s && workload.serving && workload.serving->output_tokens) {
      return hours(*work.requests * *workload.serving->output_tokens, time.output_tokens_per_s);
    }
    return hours(work.requests, time.samples_per_s);
  }
  if (samples && time.samples_per_s) return hours(samples, time.samples_per_s);
  if (samples && time.step_time_s) return *samples / plan.global_batch * *time.step_time_s / 3600;
  return hours(samples, time.requests_per_s);
}

MachineDecision::MachineDecision(const Job& job, const Configuration& configuration, Detail detail, const SharedModel* shared)
    : job_(job),
      configuration_(configuration),
      detail_(detail),
      session_(job.sessions.lend()),
      modelled_(shared && configuration.measured == MeasuredRates() ? &shared->modelled() : own_model(shared)),
      terms_(job_terms(job.workload, modelled_->memory)),
      term_facts_(*session_, job.rates) {
  base_.time = modelled_->time;
  base_.time_h = work_hours(job.workload, modelled_->plan, modelled_->time);
  ask_about_names();
  name_measured();
  run_steps(shared);
  if (detail == Detail::bulk && !base_.reasons.empty()) session_.reset();
}

// The steps before the price. A bulk run ends with the first reason against the machine.
void MachineDecision::run_steps(const SharedModel* shared) {
  const auto out = [&] { return detail_ == Detail::bulk && !base_.reasons.empty(); };
  complete_ = detail_ != Detail::bulk;
  session_->reset(gather(job_, configuration_, *modelled_), job_.facts);
  if (!complete_) run_step(*session_, "task", detail_, base_);
  if (out()) return;
  session_->add("scaling", scaling_facts(own_ ? scaling(job_, configuration_, *own_) : shared->scaling()));
  auto stack = stack_on(job_.workload, configuration_, job_.book);
  session_->add("stack", stack ? std::move(stack->facts) : Value::map());
  if (stack) base_.software = std::move(stack->software);
  if (complete_) name_plan();
  if (complete_) run_step(*session_, "task", detail_, base_);
  for (const char* step : {"network", "stack"}) {
    if (!out()) run_step(*session_, step, detail_, base_);
  }
  name_kind();
}

const Modelled* MachineDecision::own_model(const SharedModel* shared) {
  own_ = shared ? shared->modelled() : model(job_, configuration_);
  apply_measured(configuration_.measured, own_->time);
  return &*own_;
}

void MachineDecision::name_plan() {
  base_.memory = modelled_->memory;
  base_.plan = modelled_->plan;
}

// What the job and its network need come to.
void MachineDecision::name_kind() {
  base_.task_type = decided_text(*session_, "task.type");
  base_.preference = decided_number(*session_, "task.preference");
  if (!complete_) return;
  base_.csi = decided_number(*session_, "network.csi");
  base_.tier = decided_text(*session_, "network.tier");
}

// What a bulk run leaves out until an answer is written.
void MachineDecision::complete() {
  if (complete_) return;
  complete_ = true;
  name_plan();
  name_kind();
  for (const char* step : {"task", "network", "stack"}) run_warnings(*session_, step, base_);
}

// What was measured on such a machine and stands in place of the fitted efficiencies.
void MachineDecision::name_measured() {
  for (const MeasuredFigure& one : modelled_->measured) {
    const std::string sentence = one.sentence(job_.book.language());
    base_.warnings.push_back({"measured", sentence, "calibration." + one.coefficient, one.expected, one.measured, one.unit});
    if (detail_ != Detail::trace) continue;
    TraceStep step{"cost", "calibration", "calibration." + one.coefficient, Value::map(), Value::map(), sentence, {one.file, 1, 1}};
    step.inputs["measured"] = one.measured;
    step.inputs["expected"] = one.expected;
    step.output["share"] = one.share();
    base_.trace.push_back(std::move(step));
  }
}

// Nothing can be judged about a board or a model that is not identified.
void MachineDecision::ask_about_names() {
  const Configuration& box = configuration_;
  const auto& phrases = words::Phrases::of(job_.book.language());
  if (!box.board) {
    base_.questions.push_back(
        {phrases.say("Which board is '{}'? The name fits several boards or none that is known", box.gpu), "configuration.gpu", {"verdict"}});
  }
  if (!job_.workload.model && !job_.workload.model_name.empty()) {
    base_.questions.push_back({phrases.say("Which model is '{}'? Name one of the catalog, or write its sizes out", job_.workload.model_name),
                               "workload.model",
                               {"verdict"}});
  }
}

std::optional<WorkCost> MachineDecision::cost_of(const Configuration& configuration) const {
  if (!configuration.price || !base_.time_h) return std::nullopt;
  return work_cost(*configuration.price, configuration.gpus_per_node, configuration.nodes, *base_.time_h, terms_);
}

void MachineDecision::set_price(const Configuration& configuration, const WorkCost* cost, const PriceContext& context) {
  const auto usd = usd_per_hour(configuration, job_.rates);
  if (!configuration.price || !usd) return;
  const Price& price = *configuration.price;
  const int nodes_of_price = price.per == "gpu_hour" ? configuration.gpus_per_node : 1;
  const auto set = [&](const std::optional<rules::FactId>& fact, auto value) {
    if (fact) session_->set(*fact, value);
  };
  set(job_.price.per_node_hour, paid_amount(price) * nodes_of_price);
  set(job_.price.per_gpu_hour, paid_amount(price) * nodes_of_price / configuration.gpus_per_node);
  set(job_.price.usd_per_gpu_hour, *usd / configuration.gpus());
  set(job_.price.usd_per_hour, *usd);
  set(job_.price.purchase, std::string_view(price.purchase));
  if (cost) set(job_.price.hours, cost->parts.elapsed_h);
  if (cost) set(job_.price.total_usd, cost->total(*usd, job_.rates.convert({cost->fixed, price.currency}, "USD")->amount));
  term_facts_.set(configuration, cost, terms_, context);
}

bool MachineDecision::certainly_accepts(const Configuration& configuration, const PriceContext& context) {
  if (!job_.price.verdict) return true;
  if (configuration.price && configuration.price->terms) return false;  // these may raise questions
  const auto cost = cost_of(configuration);
  set_price(configuration, cost ? &*cost : nullptr, context);
  return certainly_clean(*session_, *job_.price.verdict);
}

void MachineDecision::read_costs(const Configuration& configuration, const WorkCost* cost, Estimate& estimate) {
  estimate.effective.peak_tflops = decided_number(*session_, "cost.peak_tflops");
  estimate.effective.interconnect = decided_number(*session_, "cost.interconnect");
  estimate.effective.memory = decided_number(*session_, "cost.memory");
  estimate.effective.software = decided_number(*session_, "cost.software");
  estimate.effective.tflops = decided_number(*session_, "cost.tflops");
  read_totals(configuration, cost, estimate);
}

void MachineDecision::read_totals(const Configuration& configuration, const WorkCost* cost, Estimate& estimate) {
  if (!configuration.price) return;
  const Price& price = *configuration.price;
  if (const auto unit = decided_number(*session_, "cost.unit")) estimate.unit_cost = UnitCost{{*unit, price.currency}, "effective_tflops_hour"};
  if (!cost) return;
  const double hourly = paid_amount(price) * units_of(price, configuration.gpus_per_node, configuration.nodes);
  estimate.cost = Money{cost->total(hourly, cost->fixed), price.currency};
  if (!price.terms) return;
  estimate.time_h = cost->parts.elapsed_h;
  estimate.cost_parts = cost->parts;
}

// What is left out can only make it dearer and later: a limit that is kept so far may still be missed.
void MachineDecision::ask_about_interruptions(const Configuration& configuration, const WorkCost* cost, Estimate& estimate) {
  const Constraints& limits = job_.workload.constraints;
  if (!cost || !configuration.price->terms || !cost->interruptions_open || !(limits.budget || limits.deadline_h)) return;
  if (!terms_.recovery.starts_over && !terms_.recovery.checkpoint_s)
    ask(estimate, "workload.checkpoint.gb_per_s", "cost.verdict", job_.book.language());
  if (!terms_.recovery.restart_s) ask(estimate, "workload.checkpoint.restart_s", "cost.verdict", job_.book.language());
}

Estimate MachineDecision::priced(const Configuration& configuration, const PriceContext& context) {
  complete();
  Estimate estimate = base_;
  const auto cost = cost_of(configuration);
  set_price(configuration, cost ? &*cost : nullptr, context);
  run_step(*session_, "cost", detail_ == Detail::bulk ? Detail::verdict : detail_, estimate);
  read_costs(configuration, cost ? &*cost : nullptr, estimate);
  ask_about_interruptions(configuration, cost ? &*cost : nullptr, estimate);
  conclude(estimate, job_.book.language());
  return estimate;
}

Estimate MachineDecision::figures(const Configuration& configuration) {
  Estimate estimate;
  estimate.time = base_.time;
  estimate.time_h = base_.time_h;
  estimate.preference = base_.preference;
  const auto cost = cost_of(configuration);
  set_price(configuration, cost ? &*cost : nullptr, {});
  read_totals(configuration, cost ? &*cost : nullptr, estimate);
  return estimate;
}

Estimate estimate(const Workload& workload, const Configuration& configuration, const ExchangeRates& rates, const rules::Book& book, Detail detail,
                  const MeasuredBoards* measured, const PriceContext& context) {
  const Job job(workload, rates, book, measured);
  MachineDecision decision(job, configuration, detail);
  Estimate estimate = decision.priced(configuration, context);
  if (detail == Detail::trace) estimate.scaling = node_scaling(job, configuration, decision.modelled());
  return estimate;
}

}  // namespace steelyard::decide

#include "decide/decide.hpp"

#include <steelyard/stack.hpp>

#include "decide/gather.hpp"
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
  Value facts = Value::map();
  if (scaling.one_node_fits) facts["one_node_fits"] = *scaling.one_node_fits;
  if (scaling.one_gpu_fits) facts["one_gpu_fits"] = *scaling.one_gpu_fits;
  if (scaling.speedup_over_one_node) facts["speedup_over_one_node"] = *scaling.speedup_over_one_node;
  if (scaling.speedup_over_one_gpu) facts["speedup_over_one_gpu"] = *scaling.speedup_over_one_gpu;
  return facts;
}

// Bytes that one GPU exchanges in a step, and what they would take over the usual slower links.
Value exchange_facts(const Configuration& configuration, const TimeEstimate& time) {
  Value facts = Value::map();
  if (time.exchange_bytes_per_step) facts["gb_per_step"] = *time.exchange_bytes_per_step / 1e9;
  if (time.inter_node_bytes_per_step) {
    facts["inter_node_gb_per_step_per_node"] = *time.inter_node_bytes_per_step * configuration.gpus_per_node / 1e9;
  }
  return facts;
}

Value gather(const Workload& workload, const Configuration& configuration, const ExchangeRates& rates, const Modelled& modelled,
             const MeasuredBoards* measured) {
  Value facts;
  facts["workload"] = workload_facts(workload, rates);
  facts["model"] = workload.model ? model_facts(*workload.model) : Value::map();
  facts["board"] = configuration.board ? board_facts(*configuration.board) : Value::map();
  facts["configuration"] = configuration_facts(configuration);
  facts["plan"] = plan_facts(modelled.plan);
  // The index takes the global batch, or the micro batch where that alone is given.
  const auto batch = workload.batch.global ? workload.batch.global : workload.batch.micro;
  facts["plan"]["csi_batch"] = batch.value_or(modelled.plan.global_batch);
  facts["memory"] = memory_facts(modelled.memory);
  facts["time"] = time_facts(modelled.time);
  facts["exchange"] = exchange_facts(configuration, modelled.time);
  facts["scaling"] = scaling_facts(scaling(workload, configuration, modelled, measured));
  return facts;
}

// Facts that sentences repeat as words.
void say_in(const words::Phrases& phrases, Value& memory) {
  for (const char* name : {"failing_phase", "failing_allocation"}) {
    if (const Value* text = memory.find(name)) memory[name] = phrases.say(text->as_string());
  }
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

MachineDecision::MachineDecision(const Workload& workload, const Configuration& configuration, const ExchangeRates& rates, const rules::Book& book,
                                 Detail detail, const MeasuredBoards* measured)
    : workload_(workload),
      configuration_(configuration),
      rates_(rates),
      detail_(detail),
      modelled_(model(workload, configuration, measured)),
      session_(book) {
  apply_measured(configuration.measured, modelled_.time);
  Value facts = gather(workload, configuration, rates, modelled_, measured);
  say_in(words::Phrases::of(book.language()), facts["memory"]);
  auto stack = stack_on(workload, configuration, book);
  facts["stack"] = stack ? std::move(stack->facts) : Value::map();
  if (stack) base_.software = std::move(stack->software);
  session_.reset(facts);
  base_.task_type = decided_text(session_, "task.type");
  base_.preference = decided_number(session_, "task.preference");
  base_.csi = decided_number(session_, "network.csi");
  base_.tier = decided_text(session_, "network.tier");
  base_.memory = modelled_.memory;
  base_.plan = modelled_.plan;
  base_.time = modelled_.time;
  base_.time_h = work_hours(workload, modelled_.plan, modelled_.time);
  ask_about_names();
  name_measured();
  for (const char* step : {"task", "network", "stack"}) run_step(session_, step, detail, base_);
}

// What was measured on such a machine and stands in place of the fitted efficiencies.
void MachineDecision::name_measured() {
  for (const MeasuredFigure& one : modelled_.measured) {
    const std::string sentence = one.sentence(session_.book().language());
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
  const auto& phrases = words::Phrases::of(session_.book().language());
  if (!box.board) {
    base_.questions.push_back(
        {phrases.say("Which board is '{}'? The name fits several boards or none that is known", box.gpu), "configuration.gpu", {"verdict"}});
  }
  if (!workload_.model && !workload_.model_name.empty()) {
    base_.questions.push_back(
        {phrases.say("Which model is '{}'? Name one of the catalog, or write its sizes out", workload_.model_name), "workload.model", {"verdict"}});
  }
}

void MachineDecision::set_price(const Configuration& configuration) {
  const auto usd = usd_per_hour(configuration, rates_);
  if (!configuration.price || !usd) return;
  const Price& price = *configuration.price;
  const int nodes_of_price = price.per == "gpu_hour" ? configuration.gpus_per_node : 1;
  session_.set("price.per_node_hour", price.amount * nodes_of_price);
  session_.set("price.per_gpu_hour", price.amount * nodes_of_price / configuration.gpus_per_node);
  session_.set("price.usd_per_gpu_hour", *usd / configuration.gpus());
  session_.set("price.usd_per_hour", *usd);
  session_.set("price.purchase", price.purchase);
  if (base_.time_h) session_.set("time.hours", *base_.time_h);
  if (base_.time_h) session_.set("price.total_usd", *usd * *base_.time_h);
}

void MachineDecision::read_costs(const Configuration& configuration, Estimate& estimate) {
  estimate.effective.peak_tflops = decided_number(session_, "cost.peak_tflops");
  estimate.effective.interconnect = decided_number(session_, "cost.interconnect");
  estimate.effective.memory = decided_number(session_, "cost.memory");
  estimate.effective.software = decided_number(session_, "cost.software");
  estimate.effective.tflops = decided_number(session_, "cost.tflops");
  if (!configuration.price) return;
  const Price& price = *configuration.price;
  if (const auto unit = decided_number(session_, "cost.unit")) estimate.unit_cost = UnitCost{{*unit, price.currency}, "effective_tflops_hour"};
  const int units = price.per == "gpu_hour" ? configuration.gpus() : configuration.nodes;
  if (estimate.time_h) estimate.cost = Money{price.amount * units * *estimate.time_h, price.currency};
}

Estimate MachineDecision::priced(const Configuration& configuration) {
  Estimate estimate = base_;
  set_price(configuration);
  run_step(session_, "cost", detail_, estimate);
  read_costs(configuration, estimate);
  conclude(estimate, session_.book().language());
  return estimate;
}

Estimate estimate(const Workload& workload, const Configuration& configuration, const ExchangeRates& rates, const rules::Book& book, Detail detail,
                  const MeasuredBoards* measured) {
  return MachineDecision(workload, configuration, rates, book, detail, measured).priced(configuration);
}

}  // namespace steelyard::decide

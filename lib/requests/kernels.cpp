#include "requests/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <steelyard/kernels.hpp>

#include "decide/measured.hpp"
#include "estimate/collective/law.hpp"
#include "load/fields.hpp"

namespace steelyard::requests {

namespace {

Value figure(const std::optional<double>& value) { return value ? Value(*value) : Value(); }

Value answer(const std::optional<double>& time_us, const char* rate_name, const std::optional<double>& rate, const std::string& confidence,
             const std::optional<Interval>& interval, const std::vector<std::string>& missing) {
  Value value;
  value["schema"] = "steelyard.estimate/1";
  value["time_us"] = figure(time_us);
  value[rate_name] = figure(rate);
  value["confidence"] = confidence.empty() ? Value() : Value(confidence);
  if (interval) {
    value["interval"]["low"] = interval->low;
    value["interval"]["high"] = interval->high;
    value["interval"]["of"] = interval->of;
  }
  if (time_us) return value;
  value["verdict"] = "unknown";
  value["questions"] = Value::list();
  for (const std::string& fact : missing) {
    Value question;
    question["ask"] = "What is " + fact + "? The time hangs on it.";
    question["field"] = fact;
    question["decides"].push_back("time_us");
    value["questions"].push_back(std::move(question));
  }
  return value;
}

// A figure that was measured, or lies between measured ones.
Value measured_answer(const Measured& time, const char* rate_name, double rate) {
  constexpr double width = 1.645, least_spread = 0.02;  // 90 % of a normal law; no two runs are nearer to each other
  const double reach = std::exp(width * std::max(time.spread, least_spread)), us = time.value * 1e6;
  Value value = answer(us, rate_name, rate, "calibrated", Interval{us / reach, us * reach, "time_us"}, {});
  value["measured"] = Value::list();
  value["measured"].push_back(time.what + ", " + time.how);
  return value;
}

// Of a curve over as many GPUs and nodes, over the same link or network; empty where there is none such.
std::optional<Value> measured_collective(const Advisor& advisor, const decide::Calibrated& calibrated, const std::string& kind, double bytes) {
  const Configuration& box = calibrated.configuration();
  const decide::MeasuredBoard* board = advisor.measured() ? advisor.measured()->find(box.board) : nullptr;
  if (!board) return std::nullopt;
  if (box.nodes > 1 ? !calibrated.network_is_measured() : !calibrated.link_is_measured()) return std::nullopt;
  const auto time = board->machine->collective_s(kind, box.gpus(), box.nodes, bytes);
  if (!time || time->how == "extrapolated") return std::nullopt;
  const double wire = estimate::wire_bytes(kind, bytes, box.gpus());
  return measured_answer(*time, "busbw_gb_per_s", wire / time->value / 1e9);
}

}  // namespace

Value answer_collective(const Advisor& advisor, Request& request, const Configuration& configuration) {
  load::Fields fields(request.document, *request.part("collective"), request.issues, "collective");
  const auto kind = fields.word("kind", {"all_reduce", "all_gather", "reduce_scatter", "alltoall", "broadcast", "reduce", "send_recv"});
  const double bytes = fields.required_number("bytes", 0, 1e15);
  const std::string algorithm = fields.text("algo").value_or(""), nccl = fields.text("nccl").value_or("");
  fields.text("dtype");  // the time hangs on bytes alone
  fields.finish();
  if (!kind) fields.fault("kind", "collective: kind is missing or not known", "write all_reduce, all_gather, reduce_scatter or alltoall");
  if (has_errors(request.issues)) return request.failed();
  const decide::Calibrated calibrated(configuration, advisor.measured());
  if (algorithm.empty()) {
    if (const auto measured = measured_collective(advisor, calibrated, *kind, bytes)) return request.answered(*measured);
  }
  const CollectiveEstimate found = estimate_collective(*kind, bytes, calibrated.configuration(), algorithm, nccl);
  Value value = answer(found.time_us, "busbw_gb_per_s", found.busbw_gb_per_s, found.confidence, found.interval, found.missing);
  if (!found.link.empty()) value["link"] = found.link;
  for (const decide::MeasuredFigure& one : calibrated.used()) value["measured"].push_back(one.sentence());
  return request.answered(std::move(value));
}

Value answer_gemm(const Advisor& advisor, Request& request, const Configuration& configuration) {
  load::Fields fields(request.document, *request.part("gemm"), request.issues, "gemm");
  const double m = fields.required_number("m", 1, 1e9), n = fields.required_number("n", 1, 1e9), k = fields.required_number("k", 1, 1e9);
  const std::string format = fields.required_text("dtype");
  fields.finish();
  if (has_errors(request.issues)) return request.failed();
  if (!configuration.board) return request.answered(answer({}, "tflops", {}, {}, {}, {"configuration.gpu"}));
  const decide::MeasuredBoard* board = advisor.measured() ? advisor.measured()->find(configuration.board) : nullptr;
  if (const auto time = board ? board->machine->gemm_s(format, m, n, k) : std::nullopt) {
    return request.answered(measured_answer(*time, "tflops", 2 * m * n * k / time->value / 1e12));
  }
  const GemmEstimate found = estimate_gemm(*configuration.board, m, n, k, format);
  return request.answered(answer(found.time_us, "tflops", found.tflops, found.confidence, found.interval, found.missing));
}

}  // namespace steelyard::requests

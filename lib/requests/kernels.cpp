#include "requests/kernels.hpp"

#include <steelyard/kernels.hpp>

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

}  // namespace

Value answer_collective(Request& request, const Configuration& configuration) {
  load::Fields fields(request.document, *request.part("collective"), request.issues, "collective");
  const auto kind = fields.word("kind", {"all_reduce", "all_gather", "reduce_scatter", "alltoall", "broadcast", "reduce", "send_recv"});
  const double bytes = fields.required_number("bytes", 0, 1e15);
  const std::string algorithm = fields.text("algo").value_or(""), nccl = fields.text("nccl").value_or("");
  fields.text("dtype");  // the time hangs on bytes alone
  fields.finish();
  if (!kind) fields.fault("kind", "collective: kind is missing or not known", "write all_reduce, all_gather, reduce_scatter or alltoall");
  if (has_errors(request.issues)) return request.failed();
  const CollectiveEstimate found = estimate_collective(*kind, bytes, configuration, algorithm, nccl);
  Value value = answer(found.time_us, "busbw_gb_per_s", found.busbw_gb_per_s, found.confidence, found.interval, found.missing);
  if (!found.link.empty()) value["link"] = found.link;
  return request.answered(std::move(value));
}

Value answer_gemm(Request& request, const Configuration& configuration) {
  load::Fields fields(request.document, *request.part("gemm"), request.issues, "gemm");
  const double m = fields.required_number("m", 1, 1e9), n = fields.required_number("n", 1, 1e9), k = fields.required_number("k", 1, 1e9);
  const std::string format = fields.required_text("dtype");
  fields.finish();
  if (has_errors(request.issues)) return request.failed();
  if (!configuration.board) return request.answered(answer({}, "tflops", {}, {}, {}, {"configuration.gpu"}));
  const GemmEstimate found = estimate_gemm(*configuration.board, m, n, k, format);
  return request.answered(answer(found.time_us, "tflops", found.tflops, found.confidence, found.interval, found.missing));
}

}  // namespace steelyard::requests

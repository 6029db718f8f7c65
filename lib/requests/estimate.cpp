#include <algorithm>
#include <steelyard/requests.hpp>

#include "catalog/inputs.hpp"
#include "load/fields.hpp"
#include "requests/kernels.hpp"
#include "requests/request.hpp"

namespace steelyard {

namespace {

template <class T>
std::optional<T> take(Loaded<T> loaded, Issues& issues) {
  issues.insert(issues.end(), loaded.issues.begin(), loaded.issues.end());
  return std::move(loaded.value);
}

// A name that fits several things or none is a question, with what the loader said about it.
void ask_about_names(const Issues& issues, const Workload& workload, const Configuration& configuration, Estimate& estimate) {
  for (const Issue& issue : issues) {
    const bool box = !configuration.board && issue.message.find(configuration.gpu) != std::string::npos;
    const bool job = !workload.model && !workload.model_name.empty() && issue.message.find(workload.model_name) != std::string::npos;
    if (!box && !job) continue;
    const std::string field = box ? "configuration.gpu" : "workload.model";
    auto known = std::find_if(estimate.questions.begin(), estimate.questions.end(), [&](const Question& one) { return one.field == field; });
    if (known != estimate.questions.end()) known->ask = issue.message + (issue.fix.empty() ? "" : "; " + issue.fix);
  }
}

}  // namespace

Value answer_estimate(const Advisor& advisor, std::string text, const std::string& file) {
  requests::Request request(std::move(text), file);
  if (has_errors(request.issues)) return request.failed();
  const load::Node* box = request.part("configuration");
  const load::Node* job = request.part("workload");
  const bool collective = request.part("collective"), gemm = request.part("gemm");
  if (!box || (!job && !collective && !gemm)) {
    request.issues.push_back(request.document.issue(request.document.at(request.document.root), "request: workload and configuration are needed",
                                                    "add the missing one; in place of a workload `collective` or `gemm` may stand"));
    return request.failed();
  }
  const auto configuration = take(catalog::load_configuration(request.document, *box, advisor.catalog()), request.issues);
  if (!configuration) return request.failed();
  if (collective) return requests::answer_collective(advisor, request, *configuration);
  if (gemm) return requests::answer_gemm(advisor, request, *configuration);
  const auto workload = take(catalog::load_workload(request.document, *job, advisor.catalog()), request.issues);
  if (!workload) return request.failed();
  Estimate estimate = advisor.estimate(*workload, *configuration);
  ask_about_names(request.issues, *workload, *configuration, estimate);
  return request.answered(to_value(estimate));
}

}  // namespace steelyard

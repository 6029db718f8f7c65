#include "catalog/inputs.hpp"
#include "load/fields.hpp"
#include "requests/request.hpp"

#include <steelyard/requests.hpp>

namespace steelyard {

namespace {

template <class T>
std::optional<T> take(Loaded<T> loaded, Issues& issues) {
  issues.insert(issues.end(), loaded.issues.begin(), loaded.issues.end());
  return std::move(loaded.value);
}

}  // namespace

Value answer_estimate(const Advisor& advisor, std::string text, const std::string& file) {
  requests::Request request(std::move(text), file);
  if (has_errors(request.issues)) return request.failed();
  const load::Node* box = request.part("configuration");
  const load::Node* job = request.part("workload");
  if (!box || !job) {
    request.issues.push_back(request.document.issue(request.document.at(request.document.root), "request: workload and configuration are needed",
                                                    "add the missing one"));
    return request.failed();
  }
  const auto workload = take(load_workload(request.sub(*job), advisor.catalog()), request.issues);
  const auto configuration = take(load_configuration(request.sub(*box), advisor.catalog()), request.issues);
  if (!workload || !configuration) return request.failed();
  return request.answered(to_value(advisor.estimate(*workload, *configuration)));
}

}  // namespace steelyard

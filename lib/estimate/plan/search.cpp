#include <algorithm>
#include <steelyard/memory.hpp>

#include "core/text.hpp"
#include "estimate/memory/bytes.hpp"
#include "estimate/plan/bounds.hpp"
#include "estimate/plan/choices.hpp"
#include "estimate/plan/roofline.hpp"

namespace steelyard {

namespace {

using namespace estimate;

constexpr double gib = 1073741824.0;

struct Rated {
  Plan plan;
  double peak_gib = 0;
  std::optional<double> step_s;
  double score = 0;  // seconds a sample (training) or a token (serving); lower is better
};

class Search {
 public:
  Search(const Workload& workload, const Configuration& configuration, const StepTime& step_time, const PlanOptions& options)
      : configuration_(configuration),
        step_time_(step_time),
        options_(options),
        job_(memory_job(workload, configuration)),
        choices_(plan_choices(workload, configuration, job_)) {
    const auto usable = configuration.board ? usable_memory_gib(*configuration.board) : std::nullopt;
    if (usable) limit_gib_ = *usable * options.memory_share.value_or(PlanBounds::embedded().memory_share);
  }

  PlanSearch run() {
    // A stated batch is cut into whole micro-batches where any plan that fits does that.
    const auto even = [&](const Plan& plan) { return !choices_.batch_stated || plan.global_batch % (plan.micro_batch * plan.data) == 0; };
    bool uneven = false;
    each_plan(choices_, [&](const Plan& plan) {
      if (even(plan)) {
        consider(plan);
      } else {
        uneven = true;
      }
    });
    if (fitting_.empty() && uneven) {
      each_plan(choices_, [&](const Plan& plan) {
        if (!even(plan)) consider(plan);
      });
    }
    if (fitting_.empty() && !nearest_) consider_without_divisibility();
    return result();
  }

 private:
  // Recomputation is tried in the order of extra work: once a plan fits, the same plan with more of it is needless.
  void consider(const Plan& plan) {
    ++found_.tried;
    if (fitted_ && differs_in_recompute_only(plan, *fitted_)) return;
    if (hopeless_ && plan.shard_group == hopeless_->shard_group && differs_in_recompute_only(plan, *hopeless_)) return;
    if (plan.sharding == "hsdp") return consider_groups(plan);
    rate(plan);
  }

  static bool differs_in_recompute_only(const Plan& plan, const Plan& other) {
    return plan.tensor == other.tensor && plan.pipeline == other.pipeline && plan.context == other.context && plan.expert == other.expert &&
           plan.micro_batch == other.micro_batch && plan.sharding == other.sharding;
  }

  // The smallest group that fits: larger ones send more between nodes.
  void consider_groups(Plan plan) {
    for (const int group : shard_groups(plan, choices_.gpus_per_node)) {
      plan.shard_group = group;
      if (rate(plan)) return;
    }
  }

  bool rate(const Plan& stated) {
    PlanPoint point = point_of(stated);
    MemoryBytes bytes = memory_bytes(job_, point);
    double peak = peak_bytes(job_, bytes) / gib;
    if (!fits(peak) && choices_.open_recompute && point.recompute == Recompute::selective) {
      bytes = recompute_layers(point);
      peak = peak_bytes(job_, bytes) / gib;
    }
    if (!fits(peak) && (!fitting_.empty() || (nearest_ && peak >= nearest_->peak_gib))) {
      // More recomputation leaves the states as they are.
      const double states = bytes.states() / gib;
      if (fitting_.empty() ? states >= nearest_->peak_gib : !fits(states)) hopeless_ = stated;
      return false;
    }
    Plan plan = stated;
    plan.recomputed_layers = point.recomputed_layers;
    if (!fits(peak)) {
      nearest_ = Rated{std::move(plan), peak, {}, 0};
      return false;
    }
    ++found_.fitting;
    fitted_ = plan;
    const std::optional<double> step = step_time_ ? step_time_(plan) : roofline_step_s(job_, configuration_, plan, kv_tokens(bytes));
    const int samples = choices_.training ? std::max(1, plan.global_batch) : 1;
    keep({std::move(plan), peak, step, step ? *step / samples : 1e300});
    return true;
  }

  bool fits(double peak_gib) const { return !limit_gib_ || peak_gib <= *limit_gib_; }
  bool fits(const MemoryBytes& bytes) const { return fits(peak_bytes(job_, bytes) / gib); }

  // The fewest layers of a stage whose recomputation makes the plan fit, by halving; all but one where that is not enough.
  MemoryBytes recompute_layers(PlanPoint& point) const {
    int least = 1, most = std::max(1, static_cast<int>(job_.shape.layers + point.pipeline - 1) / point.pipeline - 1);
    point.recomputed_layers = most;
    if (MemoryBytes bytes = memory_bytes(job_, point); !fits(bytes)) return bytes;
    while (least < most) {
      point.recomputed_layers = (least + most) / 2;
      if (fits(memory_bytes(job_, point))) {
        most = point.recomputed_layers;
      } else {
        least = point.recomputed_layers + 1;
      }
    }
    point.recomputed_layers = most;
    return memory_bytes(job_, point);
  }

  double kv_tokens(const MemoryBytes& bytes) const {
    if (bytes.kv_token <= 0 || !limit_gib_) return job_.least_kv_tokens;
    return (*limit_gib_ * gib - (bytes.serving() - bytes.kv_cache)) / bytes.kv_token;
  }

  // Only the best few are kept; of equals the one found first, which is the simpler one.
  void keep(Rated rated) {
    const auto place =
        std::upper_bound(fitting_.begin(), fitting_.end(), rated.score, [](double score, const Rated& other) { return score < other.score; });
    if (place == fitting_.end() && fitting_.size() > options_.keep) return;
    fitting_.insert(place, std::move(rated));
    if (fitting_.size() > options_.keep + 1) fitting_.pop_back();
  }

  // Stated degrees that don't divide the GPUs: the plan is shown as stated, with one data-parallel copy.
  void consider_without_divisibility() {
    choices_.data = choices_.data.value_or(1);
    each_plan(choices_, [&](const Plan& plan) { consider(plan); });
    found_.faults.push_back("the stated degrees do not divide the " + std::to_string(choices_.gpus) + " GPUs");
  }

  RatedPlan shown(const Rated& rated) const {
    RatedPlan plan{rated.plan, rated.peak_gib, step_time_ ? rated.step_s : std::nullopt, {}};
    plan.plan.filled_in = choices_.filled_in;
    return plan;
  }

  static std::string compared(const Rated& other, const Rated& best) {
    if (best.score <= 0 || other.score >= 1e299) return "its time is not known";
    return format_rounded((other.score / best.score - 1) * 100, 2) + " % slower a sample, " + format_rounded(other.peak_gib, 3) + " GiB";
  }

  PlanSearch result() {
    found_.fits = !fitting_.empty();
    found_.faults.insert(found_.faults.begin(), choices_.faults.begin(), choices_.faults.end());
    if (fitting_.empty() && nearest_) {
      found_.best = shown(*nearest_);
      found_.best.because = "no plan fits; this one comes nearest with " + format_rounded(nearest_->peak_gib, 3) + " GiB";
    }
    if (fitting_.empty()) return std::move(found_);
    found_.best = shown(fitting_.front());
    found_.best.because = "the fastest of " + std::to_string(found_.fitting) + " plans that fit";
    for (std::size_t i = 1; i < fitting_.size(); ++i) {
      found_.runners_up.push_back(shown(fitting_[i]));
      found_.runners_up.back().because = compared(fitting_[i], fitting_.front());
    }
    return std::move(found_);
  }

  const Configuration& configuration_;
  const StepTime& step_time_;
  const PlanOptions& options_;
  MemoryJob job_;
  PlanChoices choices_;
  std::optional<double> limit_gib_;
  std::vector<Rated> fitting_;
  std::optional<Rated> nearest_;
  PlanSearch found_;
  std::optional<Plan> fitted_;    // the last one that fitted
  std::optional<Plan> hopeless_;  // the last one whose states alone are too much, whatever is recomputed
};

}  // namespace

PlanSearch search_plans(const Workload& workload, const Configuration& configuration, const StepTime& step_time, const PlanOptions& options) {
  return Search(workload, configuration, step_time, options).run();
}

Plan fill_plan(const Workload& workload, const Configuration& configuration, const StepTime& step_time, const PlanOptions& options) {
  return search_plans(workload, configuration, step_time, options).best.plan;
}

}  // namespace steelyard

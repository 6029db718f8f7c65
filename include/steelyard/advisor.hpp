// The engine: facts and rules in, decisions out. Immutable and thread-safe; copying is cheap.
#pragma once

#include <filesystem>
#include <limits>
#include <memory>
#include <steelyard/calibrate.hpp>
#include <steelyard/catalog.hpp>
#include <steelyard/decision.hpp>
#include <steelyard/issue.hpp>
#include <steelyard/language.hpp>
#include <steelyard/rule_book.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

namespace rules {
class Book;
}
namespace decide {
class MeasuredBoards;
}

struct RecommendOptions {
  Date today;                 // prices and support dates age; the caller says what day it is
  std::size_t trace_top = 1;  // entries of the ranking whose trace is kept
  /// Entries to write out of the ranking, of the rejections of each code (beside one of each kind of machine) and of what is undecided; all are
  /// counted. Writing less is what makes an answer over many offers fast.
  std::size_t keep = std::numeric_limits<std::size_t>::max();
};

class Advisor {
 public:
  /// Facts and rules compiled into the library; `rules` is "reference" or "field_guide".
  static Advisor embedded(std::string_view rules = "reference");
  /// A rule book by name or folder; issues with file:line:column where it has faults. `functions` may be called by its expressions. In `language` are
  /// the sentences of its rules and the questions; codes, ids and units stay as they are.
  static Loaded<Advisor> with_rules(const std::string& name_or_folder, const ModelFunctions& functions = {}, Language language = Language::english);
  Advisor with_catalog(Catalog catalog) const;
  /// The same with measured machines: for a board that was measured, its figures stand in place of the fitted efficiencies; other boards are
  /// estimated as before. Several files of one GPU give medians. Faults of the files are issues.
  Loaded<Advisor> with_calibrations(const std::vector<std::filesystem::path>& files) const;
  Advisor with_calibrations(const std::vector<Calibration>& calibrations) const;
  /// One a kind of machine.
  const std::vector<Calibration>& calibrations() const { return calibrations_; }
  /// The same as estimates ask them; null without calibrations.
  const decide::MeasuredBoards* measured() const { return measured_.get(); }

  const Catalog& catalog() const { return catalog_; }
  const rules::Book& book() const { return *book_; }
  const std::shared_ptr<const rules::Book>& shared_book() const { return book_; }
  /// Of the sentences of its answers.
  Language language() const;
  /// "reference", "field_guide", or the folder.
  const std::string& rules_name() const { return rules_name_; }

  /// Does this job run on this configuration, how fast, at what cost.
  Estimate estimate(const Workload& workload, const Configuration& configuration) const;
  /// Which offer of the catalog to rent; every offer is ranked, rejected or undecided, each with its reason.
  Decision select_cluster(const Workload& workload, const RecommendOptions& options) const;
  /// The whole trace of one offer; an issue with the nearest ids where the catalog has no such offer.
  Loaded<Explanation> explain(const Workload& workload, const std::string& offer, const RecommendOptions& options) const;

  /// Two offers side by side; an issue with the nearest ids where the catalog has no such offer.
  Loaded<Comparison> compare(const Workload& workload, const std::string& one, const std::string& other, const RecommendOptions& options) const;

 private:
  Advisor(Catalog catalog, std::shared_ptr<const rules::Book> book, std::string rules_name);
  Loaded<RankedOffer> decide_offer(const Workload& workload, const std::string& id, const Date& today) const;
  void add_what_if(const Workload& workload, const RecommendOptions& options, Explanation& explanation) const;
  std::vector<Explanation> ways_to_feasible(const Workload& workload, const Decision& decision) const;

  Catalog catalog_;
  std::shared_ptr<const rules::Book> book_;
  std::string rules_name_;
  std::vector<Calibration> calibrations_;
  std::shared_ptr<const decide::MeasuredBoards> measured_;  // null: no calibration
};

}  // namespace steelyard

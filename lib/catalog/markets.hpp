// Markets (countries, and the European Union) and the regions of providers that lie in them: data/schema/markets.yaml.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace steelyard::catalog {

class Markets {
 public:
  static const Markets& embedded();

  /// The market that a job means: "europe" is eu; empty where none is called so.
  std::optional<std::string> named(std::string_view word) const;
  /// The market that a region of a provider lies in; empty where that is not known ("", "all", "global").
  std::optional<std::string> of_region(std::string_view region, std::string_view provider) const;
  const std::vector<std::string>& all() const { return all_; }
  /// The names of a job that are nearest to an unknown one.
  std::vector<std::string> nearest(std::string_view word) const;

 private:
  enum class Kind { code, word, region };
  struct Place {
    std::string market;
    Kind kind = Kind::region;
  };
  struct OfProvider {
    std::vector<std::string> providers;
    std::string market;
    std::vector<std::string> regions;
  };

  Markets();
  void add(const std::string& market, const std::vector<std::string>& names, Kind kind);
  const Place* find(std::string_view name) const;
  /// The longest known name that a region begins with.
  std::string_view beginning(std::string_view region) const;
  std::optional<std::string> of_own(std::string_view region, std::string_view provider) const;
  const Place* country_at_end(std::string_view region, bool after_continent) const;
  static std::optional<std::string> of_both(const Place& first, const Place* last);
  static std::optional<std::string> market_of(const Place* place) { return place ? std::optional(place->market) : std::nullopt; }

  std::vector<std::string> all_;
  std::unordered_map<std::string, Place> places_;
  std::unordered_set<std::string> members_, continents_, english_, states_;
  std::vector<OfProvider> of_providers_;
};

}  // namespace steelyard::catalog

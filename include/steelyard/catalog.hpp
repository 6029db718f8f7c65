// All facts the engine knows: boards, models, offers, rates. Immutable once loaded; share it between threads.
#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <steelyard/board.hpp>
#include <steelyard/configuration.hpp>
#include <steelyard/issue.hpp>
#include <steelyard/model.hpp>
#include <steelyard/money.hpp>
#include <steelyard/offers.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

/// What a name means. Exactly one candidate: resolved. Several: ambiguous, ask. None: unknown, see `nearest`.
template <class T>
struct NameMatch {
  std::vector<const T*> candidates;
  std::vector<std::string> nearest;  // known names close to an unknown one
  std::string warning;               // e.g. a marketing name that maps to a chip; may be empty

  const T* resolved() const { return candidates.size() == 1 ? candidates.front() : nullptr; }
};

/// Boards by any of their names, longest name first; ambiguous names give all candidates.
class BoardIndex;
/// Models by id or alias.
class ModelIndex;

/// The catalog of facts. Copying is cheap: the contents are shared and never change.
class Catalog {
 public:
  /// The catalog compiled into the library.
  static const Catalog& embedded();

  const std::deque<Board>& boards() const;
  const std::deque<Model>& models() const;
  const OfferList& offers() const;
  const ExchangeRates& rates() const;

  /// What a board or model name means. `memory_gb` (0: not known) helps where a name leaves the memory open.
  NameMatch<Board> find_board(std::string_view name, double memory_gb = 0) const;
  NameMatch<Model> find_model(std::string_view name) const;

  /// The same facts with other offers.
  Catalog with_offers(OfferList offers) const;

  struct Contents;
  explicit Catalog(std::shared_ptr<const Contents> contents);
  const Contents& contents() const { return *contents_; }

 private:
  std::shared_ptr<const Contents> contents_;
};

/// Offers of one file in a format that `import` knows ("skypilot" "gpuhunt" "aws" "azure" "steelyard" or "auto").
/// Rows that can't be used are issues, each with its line; the others are offers. Board pointers belong to `facts`.
struct Imported {
  OfferList offers;
  Issues issues;
  std::string format;
  // What became of the rows: of every row exactly one.
  std::size_t used = 0;         // made a new offer
  std::size_t merged = 0;       // went into an offer that was there: another zone, the GPU's part of a price
  std::size_t unusable = 0;     // an issue says why
  std::size_t without_gpu = 0;  // sells no GPU
};
Imported import_offers(const std::filesystem::path& file, std::string_view format, const Catalog& facts);

/// The same from a text at hand; `name` is the file's name as in messages, its stem the provider.
Imported import_offers_text(std::string_view text, const std::string& name, std::string_view format, const Catalog& facts);

/// The offer as `import` gives it: {"offer": id, "configuration": {...}, "warnings": [...]}.
Value to_value(const Offer& offer);

/// Offers of files and folders (file stem = provider); rows that differ only by zone are one offer.
Imported load_offers(const std::vector<std::filesystem::path>& paths, const Catalog& facts);

}  // namespace steelyard

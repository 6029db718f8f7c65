// The `sources:` table of a data file: documents by a short key, so that entries can name them.
#pragma once

#include <map>
#include <steelyard/board.hpp>
#include <string>
#include <vector>

#include "load/fields.hpp"

namespace steelyard::catalog {

using Sources = std::map<std::string, Source>;

/// Reads the table at key `sources`; each entry has text and date.
Sources read_sources(load::Fields& file);

/// The sources that an entry names at key `sources`; an entry without any is an issue.
std::vector<Source> named_sources(load::Fields& entry, const Sources& known);

/// A date at a key, or an issue.
std::optional<Date> read_date(load::Fields& fields, const std::string& key);

}  // namespace steelyard::catalog

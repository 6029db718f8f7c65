// From notes of several files to one job: contradictions are errors, what follows from what is said is worked out.
#pragma once

#include <steelyard/catalog.hpp>
#include <steelyard/habits.hpp>

#include "habits/notes.hpp"

namespace steelyard::habits {

/// Fills workload, run and questions of an understanding from what was understood. Issues name both places of a contradiction.
void merge(Understanding& understanding, const Catalog& catalog, Issues& issues);

}  // namespace steelyard::habits

// The parts of the compiled module that stand in files of their own.
#pragma once

#include <pybind11/pybind11.h>

/// RuleBook and RuleRows.
void add_rule_books(pybind11::module_& m);

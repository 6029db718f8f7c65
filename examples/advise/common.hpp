// What several verbs share: the advisor that the options ask for, and printing an answer.
#pragma once

#include <steelyard/advisor.hpp>
#include <steelyard/report.hpp>
#include <steelyard/value.hpp>
#include <steelyard/workload.hpp>
#include <string>

#include "command_line.hpp"

namespace advise {

/// The advisor of --rules, --catalog and --calibration. Unusable rows of catalogs go to standard error.
steelyard::Advisor make_advisor(const CommandLine& line);

/// What the calibration files measured: as "calibrations" of an answer, and as a paragraph of text; nothing where there are none.
steelyard::Value with_calibrations(const steelyard::Advisor& advisor, steelyard::Value answer);
std::string calibrations_text(const steelyard::Advisor& advisor);

/// Declares --task, --model, --tensor ... (the flags that mirror the keys of a workload).
void declare_workload_flags(CommandLine& line);

/// Is one of these flags there?
bool names_a_job(const CommandLine& line);

/// The workload of the file (or standard input) and the flags; a flag overrides the file.
steelyard::Workload read_workload(const CommandLine& line, const steelyard::Catalog& catalog);

/// Prints the answer as JSON, or as the text that `text()` makes, to --out or standard output.
void print_answer(const CommandLine& line, const steelyard::Value& answer, const std::string& text);

/// Declares --lang.
void declare_language(CommandLine& line);
/// --lang, or English.
steelyard::Language language(const CommandLine& line);
/// The language of rules and questions: that of --lang for people; English for programs (JSON, CSV, batches).
steelyard::Language sentences(const CommandLine& line);

/// --today, or the day of the clock: the only place that reads it.
steelyard::Date today(const CommandLine& line);

}  // namespace advise

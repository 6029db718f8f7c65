// What the verbs on evidence share: reading texts, batch requests, answers for people.
#pragma once

#include <functional>
#include <steelyard/evidence.hpp>
#include <string>

#include "common.hpp"

namespace advise {

/// The evidence reader of --rules.
steelyard::Evidence make_evidence(const CommandLine& line);
/// All files of the command line, one below the other. UsageError where there is none.
std::string read_texts(const CommandLine& line);
/// One request {"id", "text"} or {"id", "file"}; faults come back as {"id", "error"}.
steelyard::Value answer_text(std::string request, const std::string& place, const std::function<steelyard::Value(const std::string&)>& answer);

std::string text_of(const steelyard::PasteReading& reading);
std::string text_of(const steelyard::VerifyReport& report);
std::string text_of(const steelyard::Diagnosis& diagnosis);

}  // namespace advise

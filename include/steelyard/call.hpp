// One door for all verbs: a request as JSON text in, an answer as JSON text out. Behind the C interface, and for embedding where types are in the
// way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

/// Answers `verb` ("recommend" "explain" "compare" "estimate" "stack" "read" "verify" "diagnose" "acceptance" "calibrate") in the form of the
/// contract.
///
/// The request is an object. recommend: {"workload"}; explain: {"workload", "offer"}; compare: {"workload", "offers": [one, other]};
/// estimate: {"workload", "configuration"}; stack: {"stack"}; read and diagnose: {"text"}; verify: {"promise", "files": {name: text}};
/// acceptance: {"configuration"}; calibrate: {"today"} and optionally "backend", "budget_s". The first four may have "calibration": the path of a
/// file, a calibration as `calibrate` answers it, or a list of these. All but calibrate may name "rules" (a shipped book or a folder); the first
/// three also "catalogs" (paths), "today" (a date; needed there) and "top". Faults come back as {"error": {"message", "issues"}}; never throws, but
/// for std::bad_alloc.
std::string call(std::string_view verb, std::string_view request);

/// The verbs that `call` knows.
const std::vector<std::string>& call_verbs();

}  // namespace steelyard

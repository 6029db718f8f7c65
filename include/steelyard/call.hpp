// One door for all verbs: a request as JSON text in, an answer as JSON text out. Behind the C interface, and for embedding where types are in the
// way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

/// Answers `verb` ("recommend" "explain" "compare" "launch" "estimate" "stack" "understand" "read" "verify" "diagnose" "acceptance" "calibrate"
/// "import" "lint") in the form of `advise VERB --format json`.
///
/// The request is an object. recommend: {"workload"}; explain: {"workload", "offer"}; compare: {"workload", "offers": [one, other]};
/// launch: {"workload"} and, where wanted, "offer" (else the best one) and "framework"; estimate: {"workload", "configuration"}; stack: {"stack"};
/// understand: {"files": {name: text}}; read and diagnose: {"text"}; verify: {"promise", "files": {name: text}}; acceptance: {"configuration"};
/// import: {"files": {name: text}} and optionally "format" (the name without its ending is the provider); lint: {"files", "today"};
/// calibrate: {"today"} and optionally "backend", "budget_s". recommend, explain, compare, launch and estimate may have "calibration": the path of a
/// file, a calibration as `calibrate` answers it, or a list of these. All but calibrate, understand, import and lint may name "rules" (a shipped book
/// or a folder) and "lang" ("en" or "zh": the language of the rules' sentences); the first four also "catalogs" (paths) and "today" (a date; needed
/// there); recommend also "top". Faults come back as {"error": {"message", "issues"}}; never throws, but for std::bad_alloc.
std::string call(std::string_view verb, std::string_view request);

/// The verbs that `call` knows.
const std::vector<std::string>& call_verbs();

}  // namespace steelyard

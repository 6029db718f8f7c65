// advise acceptance: the test kit of an offer, as a bash script.
#include <steelyard/evidence.hpp>

#include "evidence_text.hpp"
#include "files.hpp"

namespace advise {

using namespace steelyard;

int run_acceptance(const Words& words) {
  CommandLine line("acceptance CONFIGURATION", "A bash script that collects the evidence for this offer; `advise verify` reads what it leaves.",
                   {"advise acceptance offer.yaml --out acceptance.sh"});
  line.common();
  if (!line.parse(words)) return answered;
  if (line.files().size() != 1) throw UsageError("acceptance needs one CONFIGURATION, a YAML or JSON file");
  const Evidence evidence = make_evidence(line);
  const std::string file = line.files().front();
  const Configuration offer = value_or_throw(parse_configuration(read_input(file, line.timeout_s()), file, Catalog::embedded()));
  Value answer = Value::map();
  answer["schema"] = "steelyard.acceptance/1";
  answer["acceptance"] = evidence.acceptance(offer);
  print_answer(line, answer, evidence.acceptance_script(offer));
  return answered;
}

}  // namespace advise

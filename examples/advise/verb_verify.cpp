// advise verify: does the evidence prove what was promised.
#include <steelyard/evidence.hpp>

#include "evidence_text.hpp"
#include "files.hpp"

namespace advise {

using namespace steelyard;

int run_verify(const Words& words) {
  CommandLine line("verify --promise CONFIGURATION FILE...",
                   "Does the evidence prove the promise? Step by step: pass, fail or not proven. Exit code 0 only for pass.",
                   {"advise verify --promise offer.yaml ibstat.txt ib_write_bw.log nccl.log gpu_burn.log"});
  line.common().value("promise", "the promised configuration: a YAML or JSON file");
  if (!line.parse(words)) return answered;
  if (!line.has("promise")) throw UsageError("verify needs --promise CONFIGURATION, a YAML or JSON file");
  const Evidence evidence = make_evidence(line);
  const std::string file = line.text("promise");
  const Configuration promise = value_or_throw(parse_configuration(read_input(file, line.timeout_s()), file, Catalog::embedded()));
  std::vector<EvidenceFile> files;
  for (const std::string& name : line.files())
    files.push_back({name.substr(name.find_last_of('/') + 1), read_input(name, line.timeout_s(), most_evidence_bytes)});
  const VerifyReport report = evidence.verify(promise, files);
  print_answer(line, to_value(report), text_of(report));
  return report.result == "pass" ? answered : nothing_fits;
}

}  // namespace advise

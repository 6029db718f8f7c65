// advise read: what a pasted tool output says, and whether it is sound.
#include <steelyard/evidence.hpp>
#include <steelyard/requests.hpp>

#include "batch.hpp"
#include "evidence_text.hpp"
#include "files.hpp"

namespace advise {

using namespace steelyard;

int run_read(const Words& words) {
  CommandLine line(
      "read FILE...", "What the output of a tool says: facts, and a verdict by its own kind. Identities are redacted.",
      {"advise read ibstat.txt nccl.log", "nvidia-smi -q | advise read -", "advise read all_reduce.log --as-calibration --out cal.yaml"});
  line.common()
      .value("batch", "one JSON request a line: {\"id\", \"text\"} or {\"id\", \"file\"}")
      .flag("as-calibration", "print the measured figures as a calibration file");
  if (!line.parse(words)) return answered;
  const Evidence evidence = make_evidence(line);
  if (line.has("batch")) {
    if (!line.files().empty()) throw UsageError("read takes --batch or files, not both");
    const auto answer = [&](std::string text, const std::string& place) {
      return answer_text(std::move(text), place, [&](const std::string& paste) { return to_value(evidence.read(paste)); });
    };
    write_output(line.text("out"), run_batch(line.text("batch"), line.timeout_s(), answer));
    return answered;
  }
  const std::string text = read_texts(line);
  const PasteReading reading = evidence.read(text);
  if (line.has("as-calibration")) {
    write_output(line.text("out"), to_json(as_calibration(reading.records), 2) + "\n");
    return answered;
  }
  print_answer(line, to_value(reading), text_of(reading));
  return answered;
}

}  // namespace advise

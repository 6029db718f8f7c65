// advise diagnose: symptoms to causes, with check and remedy.
#include <steelyard/evidence.hpp>

#include "batch.hpp"
#include "evidence_text.hpp"
#include "files.hpp"

namespace advise {

using namespace steelyard;

int run_diagnose(const Words& words) {
  CommandLine line("diagnose FILE... | --symptom TEXT", "Likely causes of what a text shows, each with a check and a remedy.",
                   {"advise diagnose nccl.log dmesg.txt", "advise diagnose --symptom 'CUDA error 802: system not yet initialized'"});
  line.common().value("symptom", "the error text itself").value("batch", "one JSON request a line: {\"id\", \"text\"} or {\"id\", \"file\"}");
  if (!line.parse(words)) return answered;
  const Evidence evidence = make_evidence(line);
  if (line.has("batch")) {
    if (!line.files().empty()) throw UsageError("diagnose takes --batch or files, not both");
    const auto answer = [&](std::string text, const std::string& place) {
      return answer_text(std::move(text), place, [&](const std::string& paste) { return to_value(evidence.diagnose(paste)); });
    };
    write_output(line.text("out"), run_batch(line.text("batch"), line.timeout_s(), answer));
    return answered;
  }
  const Diagnosis diagnosis = evidence.diagnose(line.has("symptom") ? line.text("symptom") : read_texts(line));
  print_answer(line, to_value(diagnosis), text_of(diagnosis));
  return answered;
}

}  // namespace advise

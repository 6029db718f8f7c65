#include "estimate/speech/law.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "load/embedded.hpp"
#include "load/fields.hpp"

namespace steelyard::estimate {

namespace {

SpeechModel read_model(load::Fields& fields) {
  SpeechModel out;
  for (const std::string& name : fields.texts("names")) out.names.push_back(name_key(name));
  out.encoder = 1e9 * fields.required_number("encoder_b", 0);
  out.decoder = 1e9 * fields.required_number("decoder_b", 0);
  out.decoder_layers = fields.required_number("decoder_layers", 1);
  return out;
}

SpeechLaw read_law() {
  SpeechLaw out;
  const load::Document document = load::embedded_document("data/efficiency/speech.yaml");
  Issues issues;  // the shipped file is checked by a test
  load::Fields file(document, document.root, issues, "speech law");
  out.window_s = file.required_number("window_s", 1);
  out.positions = file.required_number("positions", 1);
  out.tokens_per_s = file.required_number("tokens_per_s", 0);
  out.encoder_share = file.required_number("encoder_share", 0, 1);
  out.spread = file.required_number("spread", 0);
  out.spread_unlisted = file.required_number("spread_unlisted", 0);
  out.interval_width = file.required_number("interval_width", 0);
  out.usual_layer_us = file.required_number("usual_layer_us", 0);
  if (const load::Node* list = file.node("software"))
    load::each_map(document, *list, issues, "software", [&](load::Fields& fields) {
      out.software.push_back({fields.required_text("name"), fields.required_number("layer_us", 0)});
    });
  if (const load::Node* list = file.node("models"))
    load::each_map(document, *list, issues, "model", [&](load::Fields& fields) { out.models.push_back(read_model(fields)); });
  return out;
}

}  // namespace

const SpeechLaw& SpeechLaw::embedded() {
  static const SpeechLaw shipped = read_law();
  return shipped;
}

const SpeechModel* SpeechLaw::find_model(const Workload& workload) const {
  for (const std::string& name : {workload.model_name, workload.model ? workload.model->id : std::string()}) {
    const std::string key = name_key(name);
    for (const SpeechModel& one : models)
      if (!key.empty() && std::find(one.names.begin(), one.names.end(), key) != one.names.end()) return &one;
  }
  return nullptr;
}

const SpeechSoftware* SpeechLaw::find_software(const std::string& framework) const {
  const std::string key = name_key(framework);
  const SpeechSoftware* best = nullptr;
  for (const SpeechSoftware& one : software)
    if (key.starts_with(one.name) && (!best || one.name.size() > best->name.size())) best = &one;
  return best;
}

SpeechTimes speech_times(const SpeechModel& model, const SpeechLaw& law, double layer_us, double windows, double tokens, double peak,
                         double memory_rate) {
  SpeechTimes out;
  out.compute = 2 * windows * (model.encoder * law.positions + model.decoder * tokens) / (peak * law.encoder_share);
  out.memory_bound = tokens * 2 * model.decoder / memory_rate;
  out.host = tokens * model.decoder_layers * layer_us * 1e-6;
  return out;
}

}  // namespace steelyard::estimate

// The time law of speech recognition by an encoder and a decoder. Formulas and sources: docs/reference/estimate-diffusion.md.
#pragma once

#include <optional>
#include <steelyard/configuration.hpp>
#include <steelyard/workload.hpp>
#include <string>
#include <vector>

namespace steelyard::estimate {

/// Weights in parameters.
struct SpeechModel {
  std::vector<std::string> names;  // as keys (name_key)
  double encoder = 0, decoder = 0, decoder_layers = 0;
};

/// Host time of a decoder layer and step.
struct SpeechSoftware {
  std::string name;
  double layer_us = 0;
};

/// data/efficiency/speech.yaml.
struct SpeechLaw {
  double window_s = 30, positions = 1500, tokens_per_s = 0, encoder_share = 0;
  double spread = 0, spread_unlisted = 0, interval_width = 0, usual_layer_us = 0;
  std::vector<SpeechModel> models;
  std::vector<SpeechSoftware> software;

  static const SpeechLaw& embedded();
  const SpeechModel* find_model(const Workload& workload) const;
  /// The software whose name the framework's begins with; the longest wins. Null where none does.
  const SpeechSoftware* find_software(const std::string& framework) const;
};

/// One batch of windows on one GPU, seconds by where they go.
struct SpeechTimes {
  double compute = 0, memory_bound = 0, host = 0;
  double total() const { return compute + memory_bound + host; }
};
/// encoder: 2 operations a weight and position; decoder: a step a token reads its weights once (16 bits) and launches each layer.
SpeechTimes speech_times(const SpeechModel& model, const SpeechLaw& law, double layer_us, double windows, double tokens, double peak,
                         double memory_rate);

}  // namespace steelyard::estimate

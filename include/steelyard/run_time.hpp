// Times of whole jobs that are no language-model training step: serving, classic training, folding, diffusion, speech.
#pragma once

#include <steelyard/configuration.hpp>
#include <steelyard/estimate.hpp>
#include <steelyard/workload.hpp>
#include <string>
#include <vector>

namespace steelyard {

/// Serving a language model: output_tokens_per_s and requests_per_s of the whole configuration at the stated concurrency (none: the highest load that
/// fits; GPUs beyond the plan run replicas), latency_ms of the stated concurrent requests started together (none: of a single request).
/// `missing` names the facts that would tell where figures are empty.
TimeEstimate estimate_serving(const Workload& workload, const Configuration& configuration, const Plan& plan,
                              std::vector<std::string>* missing = nullptr);

/// True where `estimate_classic` is the estimate of a training job: vision, detection, speech, recommenders, and the encoders it knows by name.
bool trains_classic(const Workload& workload);

/// Training that is no language-model pretraining by a stated plan: convolutional nets, detection, BERT-like encoders, translation, recommenders,
/// speech. step_time_s where the batch is known; samples_per_s, or tokens_per_s where there is a sequence length.
TimeEstimate estimate_classic(const Workload& workload, const Configuration& configuration, std::vector<std::string>* missing = nullptr);

/// One protein or complex folded on one GPU (AlphaFold 3, OpenFold, Boltz ...): latency_ms, and samples_per_s of all GPUs side by side.
TimeEstimate estimate_folding(const Workload& workload, const Configuration& configuration, std::vector<std::string>* missing = nullptr);

/// True where `estimate_diffusion` is the estimate: image and video models that are trained or generate.
bool runs_diffusion(const Workload& workload);

/// A diffusion model. Training: step_time_s of the plan and samples_per_s. Generation: latency_ms of the images asked for together (one where none
/// are stated) with the model's usual number of steps, samples_per_s of all GPUs side by side. `missing` names the facts that would tell.
TimeEstimate estimate_diffusion(const Workload& workload, const Configuration& configuration, const Plan& plan,
                                std::vector<std::string>* missing = nullptr);

/// True where `estimate_speech` is the estimate: a listed speech model that serves.
bool recognises_speech(const Workload& workload);

/// Speech recognition: latency_ms of the windows (30 s of audio) that run together on a GPU (serving.concurrency over the GPUs, else one),
/// samples_per_s windows of all GPUs. Always "extrapolated": few published runs stand behind it.
TimeEstimate estimate_speech(const Workload& workload, const Configuration& configuration, std::vector<std::string>* missing = nullptr);

}  // namespace steelyard

// Structs as plain values, in the contract's keys; what is not known is absent.
#include <steelyard/catalog.hpp>
#include <steelyard/workload.hpp>

#include "core/entries.hpp"

namespace steelyard {

namespace {

void put_map(Value& map, const char* key, Value inner) {
  if (!inner.as_map().empty()) map[key] = std::move(inner);
}

void put_nonzero(Value& map, const char* key, int value) {
  if (value != 0) map[key] = value;
}

Value value_of(const Parallel& parallel) {
  Value map = Value::map();
  put(map, "tensor", parallel.tensor);
  put(map, "pipeline", parallel.pipeline);
  put(map, "context", parallel.context);
  put(map, "expert", parallel.expert);
  put(map, "virtual_pipeline", parallel.virtual_pipeline);
  put(map, "data", parallel.data);
  put(map, "sequence_parallel", parallel.sequence_parallel);
  return map;
}

Value value_of(const Work& work) {
  Value map = Value::map();
  put(map, "tokens", work.tokens);
  put(map, "samples", work.samples);
  put(map, "steps", work.steps);
  put(map, "requests", work.requests);
  put(map, "hours", work.hours);
  put(map, "epochs", work.epochs);
  put(map, "dataset_samples", work.dataset_samples);
  return map;
}

Value value_of(const Serving& serving) {
  Value map = Value::map();
  put(map, "engine", serving.engine);
  put(map, "input_tokens", serving.input_tokens);
  put(map, "output_tokens", serving.output_tokens);
  put(map, "concurrency", serving.concurrency);
  put(map, "requests_per_s", serving.requests_per_s);
  put(map, "latency_p99_ms", serving.latency_p99_ms);
  put(map, "max_model_len", serving.max_model_len);
  put(map, "weight_only", serving.weight_only);
  return map;
}

Value value_of(const Inputs& inputs) {
  Value map = Value::map();
  put(map, "image_px", inputs.image_px);
  put(map, "images", inputs.images);
  put(map, "residues", inputs.residues);
  put(map, "tokens", inputs.tokens);
  put(map, "frames", inputs.frames);
  return map;
}

Value value_of(const Needs& needs) {
  Value map = Value::map();
  if (needs.fp64) map["fp64"] = true;
  put(map, "os", needs.os);
  if (needs.windows_native) map["windows_native"] = true;
  put(map, "power_w_max", needs.power_w_max);
  put(map, "memory_gib", needs.memory_gib);
  return map;
}

Value value_of(const Software& software) {
  Value map = Value::map();
  put(map, "framework", software.framework);
  put(map, "version", software.version);
  put(map, "cuda", software.cuda);
  put(map, "image", software.image);
  put(map, "release_date", software.release_date);
  put(map, "packages", software.packages);
  return map;
}

Value value_of(const Constraints& limits) {
  Value map = Value::map(), gpus = Value::map();
  if (limits.budget) map["budget"] = to_value(*limits.budget);
  put(map, "deadline_h", limits.deadline_h);
  put(gpus, "names", limits.gpu_names);
  put(gpus, "min", limits.gpus_min);
  put(gpus, "max", limits.gpus_max);
  put_map(map, "gpus", std::move(gpus));
  put(map, "nodes_max", limits.nodes_max);
  put(map, "markets", limits.markets);
  put(map, "providers", limits.providers);
  if (limits.spot != "allowed") map["spot"] = limits.spot;
  put(map, "resumable", limits.resumable);
  return map;
}

Value value_of(const DataVolumes& data) {
  Value map = Value::map();
  put(map, "storage_gib", data.storage_gib);
  put(map, "egress_gib", data.egress_gib);
  return map;
}

Value value_of(const Checkpoint& checkpoint) {
  Value map = Value::map();
  put(map, "gib", checkpoint.gib);
  put(map, "gb_per_s", checkpoint.gb_per_s);
  put(map, "restart_s", checkpoint.restart_s);
  return map;
}

void put_terms(Value& map, const PriceTerms& terms) {
  put(map, "billing_increment_s", terms.billing_increment_s);
  put(map, "minimum_h", terms.minimum_h);
  put(map, "commitment_h", terms.commitment_h);
  put(map, "discount", terms.discount);
  if (terms.storage_per_gib_month) {
    Value& storage = map["storage"] = Value::map();
    put(storage, "gib", terms.storage_gib);
    storage["amount"] = *terms.storage_per_gib_month;
    storage["per"] = "gib_month";
  }
  if (terms.egress_per_gib) {
    map["egress"]["amount"] = *terms.egress_per_gib;
    map["egress"]["per"] = "gib";
  }
  put(map, "interruptions_per_h", terms.interruptions_per_h);
}

Value value_of(const InterNode& network) {
  Value map = Value::map();
  put(map, "kind", network.kind);
  put(map, "gbit_per_s_per_node", network.gbit_per_s_per_node);
  put(map, "ports_per_node", network.ports_per_node);
  put(map, "gbit_per_s_per_port", network.gbit_per_s_per_port);
  put(map, "gpudirect", network.gpudirect);
  return map;
}

Value value_of(const Role& role) {
  Value map = Value::map();
  put(map, "role", role.role);
  if (role.model) map["model"] = to_value(*role.model);
  if (!role.model) put(map, "model", role.model_name);
  put(map, "method", role.method);
  put(map, "engine", role.engine);
  return map;
}

}  // namespace

Value to_value(const Money& money) {
  Value map = Value::map();
  map["amount"] = money.amount;
  map["currency"] = money.currency;
  return map;
}

Value to_value(const Price& price) {
  Value map = Value::map();
  map["amount"] = price.amount;
  map["currency"] = price.currency;
  map["per"] = price.per;
  map["purchase"] = price.purchase;
  if (price.date) map["date"] = to_string(*price.date);
  if (price.terms) put_terms(map, *price.terms);
  return map;
}

Value to_value(const Model& model) {
  Value map = Value::map();
  put(map, "id", model.id);
  put(map, "params_b", model.params_b);
  put(map, "params_active_b", model.params_active_b);
  put(map, "csi_params_b", model.csi_params_b);
  put(map, "layers", model.layers);
  put(map, "hidden", model.hidden);
  put(map, "heads", model.heads);
  put(map, "kv_heads", model.kv_heads);
  put(map, "head_dim", model.head_dim);
  put(map, "ffn", model.ffn);
  put(map, "gated_mlp", model.gated_mlp);
  put(map, "vocab", model.vocab);
  put(map, "tied_embeddings", model.tied_embeddings);
  put_nonzero(map, "experts", model.experts);
  put_nonzero(map, "experts_per_token", model.experts_per_token);
  put_nonzero(map, "shared_experts", model.shared_experts);
  put_nonzero(map, "first_dense_layers", model.first_dense_layers);
  put(map, "moe_ffn", model.moe_ffn);
  put(map, "kv_lora_rank", model.kv_lora_rank);
  put(map, "q_lora_rank", model.q_lora_rank);
  put(map, "rope_head_dim", model.rope_head_dim);
  put(map, "stored_format", model.stored_format);
  put(map, "stored_part", model.stored_part);
  put(map, "stored_block", model.stored_block);
  return map;
}

Value to_value(const Configuration& configuration) {
  Value map = Value::map(), measured = Value::map();
  put(map, "gpu", configuration.board ? configuration.board->id : configuration.gpu);
  map["gpus_per_node"] = configuration.gpus_per_node;
  map["nodes"] = configuration.nodes;
  put(map, "intra_node", configuration.intra_node);
  put(map, "gpu_peer_access", configuration.gpu_peer_access);
  put(map, "nvlink_domain_gpus", configuration.nvlink_domain_gpus);
  put_map(map, "inter_node", value_of(configuration.inter_node));
  put(map, "host_memory_gib", configuration.host_memory_gib);
  put(map, "shm_gib", configuration.shm_gib);
  put(map, "os", configuration.os);
  put(map, "driver", configuration.driver);
  if (configuration.price) map["price"] = to_value(*configuration.price);
  put(measured, "samples_per_s", configuration.measured.samples_per_s);
  put(measured, "requests_per_s", configuration.measured.requests_per_s);
  put(measured, "tokens_per_s", configuration.measured.tokens_per_s);
  put_map(map, "measured", std::move(measured));
  return map;
}

Value to_value(const Offer& offer) {
  Value map = Value::map();
  map["offer"] = offer.id;
  map["configuration"] = to_value(offer.configuration);
  put(map, "vcpus", offer.vcpus);
  put(map, "warnings", offer.warnings);
  return map;
}

Value to_value(const Workload& workload) {
  Value map = Value::map(), batch = Value::map();
  put(map, "name", workload.name);
  put(map, "task", workload.task);
  if (workload.model) map["model"] = to_value(*workload.model);
  if (!workload.model) put(map, "model", workload.model_name);
  put(map, "precision", workload.precision);
  put(map, "quantization", workload.quantization);
  if (workload.lora) {
    map["lora"]["rank"] = workload.lora->rank;
    map["lora"]["targets"] = workload.lora->targets;
  }
  put(map, "method", workload.method);
  put(map, "optimizer", workload.optimizer);
  put(map, "sharding", workload.sharding);
  put(map, "offload", workload.offload);
  put(map, "load", workload.load);
  put(map, "unified_memory", workload.unified_memory);
  put(map, "activation_checkpointing", workload.activation_checkpointing);
  put_map(map, "parallel", value_of(workload.parallel));
  put(batch, "micro", workload.batch.micro);
  put(batch, "global", workload.batch.global);
  put_map(map, "batch", std::move(batch));
  put(map, "sequence_length", workload.sequence_length);
  put_map(map, "work", value_of(workload.work));
  if (workload.serving) put_map(map, "serving", value_of(*workload.serving));
  put_map(map, "inputs", value_of(workload.inputs));
  put_map(map, "needs", value_of(workload.needs));
  put_map(map, "software", value_of(workload.software));
  put_map(map, "constraints", value_of(workload.constraints));
  put_map(map, "data", value_of(workload.data));
  put_map(map, "checkpoint", value_of(workload.checkpoint));
  for (const Role& role : workload.roles) map["roles"].push_back(value_of(role));
  return map;
}

}  // namespace steelyard

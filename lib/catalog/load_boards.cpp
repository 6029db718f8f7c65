#include "catalog/loaders.hpp"
#include "catalog/sources.hpp"
#include "core/text.hpp"

namespace steelyard::catalog {

namespace {

using load::Fields;

const std::vector<std::string> formats = {"bf16", "fp16", "tf32", "fp8", "mxfp8", "mxfp4", "nvfp4", "fp4", "int8", "int4", "fp32", "fp64"};

/// One peak: format, kind and rate. Kinds: `dense` (matrix units, FP32 accumulation), `dense_fp16_accumulate`, `vector` (plain units).
void read_peak(Fields& fields, Board& board) {
  const auto format = fields.word("format", formats);
  const double tflops = fields.required_number("tflops", 1e-3, 1e6);
  if (fields.text("kind") == "sparse") {
    fields.fault("kind", "kind: a sparse peak is no rate that a dense job reaches", "enter the dense figure (usually half) with kind: dense");
    return fields.text("basis"), fields.finish();
  }
  const auto kind = fields.word("kind", {"dense", "dense_fp16_accumulate", "vector"});
  if (!fields.has("kind")) {
    fields.fault("kind", "peak: kind is missing", "add kind: dense, dense_fp16_accumulate or vector; a peak without its kind can't be compared");
  }
  if (!fields.has("format")) fields.fault("format", "peak: format is missing", "add format: bf16, fp16, fp32 ...");
  if (const auto basis = fields.word("basis", {"derived", "disputed"}); basis && format) {
    board.warnings.push_back(*format + " peak of " + format_number(tflops) + " is " + *basis);
  }
  fields.finish();
  if (!kind || !format) return;
  if (*kind == "dense_fp16_accumulate") {
    board.fp16_accumulate_tflops = tflops;
  } else if (*kind == "vector" && *format == "fp16") {
    board.non_tensor_fp16_tflops = tflops;
  } else {
    board.dense_tflops[*kind == "dense" && *format == "fp64" ? "fp64_tensor" : *format] = tflops;
  }
}

void read_names(Fields& fields, Board& board) {
  board.id = fields.required_text("id");
  board.vendor = fields.required_text("vendor");
  board.chip = fields.required_text("chip");
  board.form_factor = fields.text("form_factor").value_or("");
  board.architecture = fields.text("architecture").value_or("");
  board.marketing_name = fields.text("marketing_name").value_or("");
  board.aliases = fields.texts("aliases");
  if (const load::Node* names = fields.node("doubtful_names")) {
    each_map(fields.document(), *names, fields.issues(), "doubtful name", [&](Fields& name) {
      board.doubtful_names[name.required_text("name")] = name.required_text("warning");
      name.finish();
    });
  }
  board.rare = fields.flag("rare").value_or(false);
  board.board_class = fields.word("board_class", {"datacenter", "workstation", "consumer", "accelerator", "fpga"}).value_or("");
  board.release_year = fields.integer("release_year", 1990, 2100);
}

void read_hardware(Fields& fields, Board& board) {
  board.memory_gb_nominal = fields.number("memory_gb_nominal", 0.1, 1e5).value_or(0);
  board.reported_memory_mib = fields.number("reported_memory_mib", 100, 1e8);
  board.usable_memory_gib = fields.number("usable_memory_gib", 0.1, 1e5);
  board.usable_memory_measured = fields.flag("usable_memory_measured").value_or(false);
  board.memory_bandwidth_gb_per_s = fields.number("memory_bandwidth_gb_per_s", 1, 1e6);
  if (const load::Node* peaks = fields.node("peaks")) {
    each_map(fields.document(), *peaks, fields.issues(), "peak", [&](Fields& peak) { read_peak(peak, board); });
  }
  board.measured_bf16_tflops = fields.number("measured_bf16_tflops", 1e-3, 1e6);
  board.tdp_w = fields.number("tdp_w", 1, 1e5);
  board.pcie_generation = fields.integer("pcie_generation", 1, 9);
  board.pcie_lanes = fields.integer("pcie_lanes", 1, 32);
  board.nvlink_generation = fields.integer("nvlink_generation", 1, 9);
  board.nvlink_gb_per_s_bidirectional = fields.number("nvlink_gb_per_s_bidirectional", 1, 1e5);
  board.nvlink_kind = fields.word("nvlink_kind", {"nvswitch", "mesh", "pairs", "none"}).value_or("");
  board.peer_access = fields.flag("peer_access");
  board.slice_units_per_chip = fields.integer("slice_units_per_chip", 1, 16);
}

void read_software(Fields& fields, Board& board) {
  board.compute_capability = fields.number("compute_capability", 1, 99);
  board.gfx = fields.text("gfx").value_or("");
  board.first_cuda = fields.text("first_cuda").value_or("");
  board.last_cuda = fields.text("last_cuda").value_or("");
  board.first_stack = fields.text("first_stack").value_or("");
  board.first_driver = fields.text("first_driver").value_or("");
  board.last_driver_branch = fields.text("last_driver_branch").value_or("");
  board.kernel_module = fields.text("kernel_module").value_or("");
  board.fabric_manager = fields.flag("fabric_manager");
  board.mig = fields.flag("mig");
}

}  // namespace

Loaded<std::vector<Board>> load_boards(const load::Document& document) {
  Loaded<std::vector<Board>> loaded{std::vector<Board>(), {}};
  Fields file(document, document.root, loaded.issues, "board file");
  const Sources sources = read_sources(file);
  if (const load::Node* list = file.node("boards")) {
    each_map(document, *list, loaded.issues, "board", [&](Fields& fields) {
      Board& board = loaded.value->emplace_back();
      board.where = fields.where();
      read_names(fields, board);
      read_hardware(fields, board);
      read_software(fields, board);
      for (std::string& warning : fields.texts("warnings")) board.warnings.push_back(std::move(warning));
      board.sources = named_sources(fields, sources);
      fields.finish();
    });
  } else {
    file.fault("boards", "board file: boards is missing", "add `boards:` with a list of boards");
  }
  file.finish();
  if (has_errors(loaded.issues)) loaded.value.reset();
  return loaded;
}

}  // namespace steelyard::catalog

namespace steelyard {

std::optional<double> dense_peak_tflops(const Board& board, std::string_view format) {
  const auto look = [&](std::string_view name) -> std::optional<double> {
    const auto found = board.dense_tflops.find(std::string(name));
    return found == board.dense_tflops.end() ? std::nullopt : std::optional(found->second);
  };
  if (const auto exact = look(format)) return exact;
  if (format == "mxfp8") return look("fp8");
  if (format == "mxfp4" || format == "nvfp4") return look("fp4");
  return std::nullopt;
}

}  // namespace steelyard

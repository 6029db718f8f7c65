#include "estimate/gemm/law.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.hpp"
#include "load/embedded.hpp"
#include "load/fields.hpp"

namespace steelyard::estimate {

namespace {

double fourth(double x) { return x * x * x * x; }
double fourth_root(double x) { return std::sqrt(std::sqrt(x)); }

/// Microseconds to move bytes: from memory, or from the cache where the working set stays in it.
double move_us(double bytes, const Processor& processor, const GemmLaw& law) {
  const double memory_us = bytes / (processor.memory_gb_per_s * 1e3);
  if (processor.cache_mb <= 0) return memory_us;
  const double in_cache = 1 / (1 + fourth(bytes / (law.cache_share * processor.cache_mb * 1e6)));
  const double cache_us = bytes / (1e3 * std::max(processor.memory_gb_per_s, law.cache_tb_per_s * 1e3));
  return memory_us * (1 - in_cache) + cache_us * in_cache;
}

struct Tile {
  double rows, columns, penalty;
};

double tiled_us(double m, double n, double k, const Processor& processor, const GemmFormat& format, const GemmLaw& law) {
  const Tile tiles[] = {{128, 256, 1},          {256, 128, 1},          {128, 128, law.tile_128},
                        {64, 128, law.tile_64}, {128, 64, law.tile_64}, {64, 64, law.tile_small}};
  const double operations_per_us = processor.peak_tflops * 1e6 * law.rate / processor.multiprocessors;
  double best = 1e300;
  for (int parts = 1; parts <= (format.splits_k ? 32 : 1); parts *= 2) {
    const double price = parts == 1 ? 0 : law.split_us * std::log2(parts + 1.0) + 4 * parts * m * n / (2e3 * processor.memory_gb_per_s);
    const double latency = fourth(law.k_step_us * k / parts);
    for (const Tile& tile : tiles) {
      const double w = std::ceil(m / tile.rows) * std::ceil(n / tile.columns) * parts / processor.multiprocessors;
      const double waves = w < 4 ? std::ceil(w) : w + law.tail;
      const double compute = 2 * tile.rows * tile.columns * (k / parts + law.fill) * tile.penalty / operations_per_us;
      best = std::min(best, waves * fourth_root(fourth(compute) + latency) + price);
    }
  }
  return best;
}

struct ProcessorFacts {
  double multiprocessors = 0, cache_mb = 0;
};

std::map<std::string, ProcessorFacts, std::less<>> read_processors() {
  std::map<std::string, ProcessorFacts, std::less<>> out;
  const load::Document document = load::embedded_document("data/efficiency/processors.yaml");
  Issues issues;  // the shipped file is checked by a test
  load::Fields file(document, document.root, issues, "processor file");
  if (const load::Node* list = file.node("processors"))
    load::each_map(document, *list, issues, "processor", [&](load::Fields& fields) {
      out[fields.required_text("of")] = {fields.required_number("multiprocessors", 1), fields.required_number("cache_mb", 0)};
    });
  return out;
}

}  // namespace

GemmFormat gemm_format(std::string_view format) {
  if (format == "fp8" || format == "int8") return {1, 3, true};
  if (format == "mxfp8") return {1 + 1.0 / 32, 3, true};
  if (format == "nvfp4" || format == "mxfp4" || format == "fp4") return {0.5625, 2.5625, false};
  if (format == "fp32" || format == "tf32") return {4, 0, true};
  if (format == "fp64") return {8, 0, true};
  return {2, 0, true};
}

double gemm_time_us(double m, double n, double k, const Processor& processor, const GemmFormat& format, const GemmLaw& law) {
  const double bytes = (m * k + n * k) * format.bytes_per_element + 2 * m * n;
  const double work = fourth_root(fourth(tiled_us(m, n, k, processor, format, law)) + fourth(move_us(bytes, processor, law) / law.memory));
  const double cast = format.cast_bytes > 0 ? move_us(m * k * format.cast_bytes, processor, law) / law.cast : 0;
  return law.launch_us + work + cast;
}

Processor processor_of(const Board& board, std::string_view format) {
  static const std::map<std::string, ProcessorFacts, std::less<>> known = read_processors();
  Processor out;
  out.peak_tflops = dense_peak_tflops(board, format).value_or(0);
  out.memory_gb_per_s = board.memory_bandwidth_gb_per_s.value_or(0);
  for (const std::string& name : {board.id, board.chip + "-" + board.form_factor, board.chip}) {
    const auto found = known.find(name);
    if (found == known.end()) continue;
    out.multiprocessors = found->second.multiprocessors;
    out.cache_mb = found->second.cache_mb;
    break;
  }
  return out;
}

}  // namespace steelyard::estimate

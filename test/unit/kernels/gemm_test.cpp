#include <cmath>
#include <steelyard/catalog.hpp>
#include <steelyard/kernels.hpp>

#include "estimate/gemm/efficiency.hpp"
#include "load/embedded.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::estimate;

namespace {

const Board& board(const char* name) {
  const Board* found = Catalog::embedded().find_board(name).resolved();
  REQUIRE(found);
  return *found;
}

}  // namespace

TEST_CASE("one full wave of tiles takes its operations at the stated rate") {
  // 132 tiles of 128 x 256, K = 8192: 132 multiprocessors, one tile each.
  GemmLaw law;
  law.launch_us = 0, law.rate = 0.5, law.fill = 0, law.k_step_us = 0, law.memory = 1e9;
  const Processor processor{1000, 3350, 132, 0};
  const double m = 128 * 12, n = 256 * 11, k = 8192;
  CHECK(gemm_time_us(m, n, k, processor, gemm_format("bf16"), law) == Approx(2 * m * n * k / (500e6)).epsilon(1e-6));
}

TEST_CASE("one row more than a wave takes a second wave") {
  GemmLaw law;
  law.launch_us = 0, law.fill = 0, law.k_step_us = 0, law.memory = 1e9, law.split_us = 1e9, law.tile_128 = law.tile_64 = law.tile_small = 1;
  const Processor processor{1000, 3350, 1, 0};
  const double one = gemm_time_us(64, 64, 4096, processor, gemm_format("bf16"), law);
  CHECK(gemm_time_us(65, 64, 4096, processor, gemm_format("bf16"), law) == Approx(2 * one));
}

TEST_CASE("a thin product takes the time of its bytes") {
  GemmLaw law;
  law.launch_us = 0, law.memory = 0.8, law.k_step_us = 0, law.fill = 0;
  const double bytes = (1.0 * 8192 + 65536.0 * 8192) * 2 + 2 * 65536;
  CHECK(gemm_time_us(1, 65536, 8192, {1000, 2000, 132, 0}, gemm_format("bf16"), law) == Approx(bytes / (1600e3)).epsilon(0.02));
}

TEST_CASE("what stays in the cache moves at the cache's rate") {
  GemmLaw law;
  law.launch_us = 0, law.memory = 1, law.k_step_us = 0, law.cache_share = 0.5, law.cache_tb_per_s = 4, law.rate = 1e6;
  const Processor cached{1000, 1000, 132, 100}, plain{1000, 1000, 132, 0};
  const double small = gemm_time_us(16, 512, 8192, plain, gemm_format("bf16"), law) / gemm_time_us(16, 512, 8192, cached, gemm_format("bf16"), law);
  CHECK(small == Approx(4).epsilon(0.02));
  const double large =
      gemm_time_us(16, 65536, 8192, plain, gemm_format("bf16"), law) / gemm_time_us(16, 65536, 8192, cached, gemm_format("bf16"), law);
  CHECK(large == Approx(1).epsilon(0.01));
}

TEST_CASE("fp4 products pay for quantising A and for a long K") {
  GemmLaw law;
  const Processor processor{9000, 8000, 148, 0};
  const double with_cast = gemm_time_us(32768, 512, 4096, processor, gemm_format("nvfp4"), law);
  GemmFormat without = gemm_format("nvfp4");
  without.cast_bytes = 0;
  CHECK(with_cast - gemm_time_us(32768, 512, 4096, processor, without, law) == Approx(32768.0 * 4096 * 2.5625 / (8000e3 * law.cast)));
  CHECK(gemm_time_us(6, 2560, 65536, processor, gemm_format("nvfp4"), law) > law.k_step_us * 65536);
}

TEST_CASE("a board's own factor beats its architecture's, which beats none") {
  GemmEfficiency efficiency;
  efficiency.fitted.parameters = {{"bf16.rate", 0.5}, {"bf16.rate@Hopper", 1.1}, {"bf16.rate@H100-SXM5-80GB", 1.2}};
  CHECK(efficiency.law("bf16", board("H100-SXM5-80GB")).rate == Approx(0.66));
  CHECK(efficiency.law("fp16", board("H200-SXM-141GB")).rate == Approx(0.55));
  CHECK(efficiency.law("bf16", board("A100-SXM4-80GB")).rate == Approx(0.5));
  CHECK(efficiency.law("fp8", board("H100-SXM5-80GB")).rate == GemmLaw().rate);
}

TEST_CASE("processors: every entry of the shipped file is read and names something") {
  const load::Document document = load::embedded_document("data/efficiency/processors.yaml");
  Issues issues;
  load::Fields file(document, document.root, issues, "processors");
  int entries = 0;
  load::each_map(document, *file.node("processors"), issues, "processor", [&](load::Fields& fields) {
    const std::string name = fields.required_text("of");
    fields.required_number("multiprocessors", 1);
    fields.required_number("cache_mb", 0);
    fields.finish();
    ++entries;
    bool known = false;
    for (const Board& b : Catalog::embedded().boards()) known = known || name == b.id || name == b.chip || name == b.chip + "-" + b.form_factor;
    INFO(name);
    CHECK(known);
  });
  CHECK(issues.empty());
  CHECK(entries > 30);
  CHECK(processor_of(board("H100-PCIe-80GB"), "bf16").multiprocessors == 114);
  CHECK(processor_of(board("H100-SXM5-80GB"), "bf16").multiprocessors == 132);
}

TEST_CASE("estimate_gemm: measured boards, others, and what is missing") {
  const GemmEstimate seen = estimate_gemm(board("H100-SXM5-80GB"), 8192, 8192, 8192, "bf16");
  REQUIRE(seen.time_us);
  CHECK(*seen.tflops > 500);
  CHECK(*seen.tflops < 989);
  CHECK(seen.confidence == "same_gpu");
  CHECK(seen.interval->low < *seen.time_us);
  CHECK(seen.interval->high > *seen.time_us);
  const GemmEstimate other = estimate_gemm(board("H100-PCIe-80GB"), 8192, 8192, 8192, "bf16");
  CHECK(other.confidence == "extrapolated");
  CHECK(other.interval->high / *other.time_us > seen.interval->high / *seen.time_us);
  CHECK(*estimate_gemm(board("H100-SXM5-80GB"), 16384, 8192, 8192, "bf16").time_us > *seen.time_us);
  const GemmEstimate none = estimate_gemm(board("A100-SXM4-80GB"), 128, 128, 128, "fp8");
  CHECK_FALSE(none.time_us);
  CHECK(none.missing == std::vector<std::string>{"board.dense_tflops.fp8"});
  CHECK_FALSE(estimate_gemm(board("A100-SXM4-80GB"), 0, 128, 128, "bf16").time_us);
}

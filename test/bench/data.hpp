// Where the data of the benchmarks lie.
#pragma once

#include <string>

namespace steelyard::bench {

/// The folder of `data/bench`: --data DIR, or STEELYARD_BENCH_DATA, or ../shared/data/bench beside the sources.
const std::string& data_folder();
void set_data_folder(std::string folder);

}  // namespace steelyard::bench

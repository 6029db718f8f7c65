// How perftest says that a test did not begin.
#pragma once

#include <string>
#include <string_view>

namespace steelyard::evidence {

/// The line, where it says that the two ends did not come together or a resource could not be made; else empty.
std::string perftest_failure(std::string_view line);

/// "write_bw" of a command line with "ib_write_bw"; empty where there is none.
std::string perftest_command(std::string_view line);

}  // namespace steelyard::evidence

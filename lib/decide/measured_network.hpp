// What a calibration over several nodes says of the network between them.
#pragma once

#include "decide/measured.hpp"

namespace steelyard::decide {

/// `board` and `found`: of the same file, with the link inside a node where that was measured. Empty where the file does not name its network (what
/// such a network usually reaches is not known then), or where the time inside the nodes hides it.
std::optional<MeasuredNetwork> read_network(const Calibration& calibration, const Board& board, const MeasuredBoard& found, int gpus, int nodes);

}  // namespace steelyard::decide

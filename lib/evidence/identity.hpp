// What a record says about the promised boards: which, how many, whole or a share, with what links and driver.
#pragma once

#include <steelyard/configuration.hpp>
#include <steelyard/evidence.hpp>
#include <string>
#include <string_view>

namespace steelyard::evidence {

/// Facts of the promise that its boards are compared with, into `facts` (the rules see `promise.*`).
void add_board_promise(const Configuration& promise, Value& facts);

/// What the record shows of them (`seen.*`). `record`: the record's own facts and what follows from them.
Value identity_facts(const Configuration& promise, const ToolRecord& record, const Value& facts, const std::string& verdict_class);

/// Is driver `seen` of an older version than `promised`? Parts that were not promised do not count: 550.54 holds for 550.54.15.
bool older_driver(std::string_view seen, std::string_view promised);

}  // namespace steelyard::evidence

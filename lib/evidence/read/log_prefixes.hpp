// What loggers and pagers put in front of a line of output.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "evidence/read/paste.hpp"

namespace steelyard::evidence {

/// "[rank0]:" and "[default0]:" of torchrun.
bool strip_torchrun(std::string_view& line);

/// "Nov 12 10:04:55 " of syslog and journalctl; host and process behind it stay.
bool strip_syslog_time(std::string_view& line);

/// "INFO ", "[INFO] ", "INFO: ", "- INFO - " as a logger writes it behind its time stamp. Warnings and errors keep their word: it may be the tool's.
bool strip_level(std::string_view& line);

/// Length of "host process[123]: " in front of a line, 0 where there is none or where the process tells what the message is about.
std::size_t process_prefix(std::string_view line);

/// Numbers of `cat -n` and `nl`, only where they run through the whole text.
bool strip_line_numbers(std::vector<Line>& lines);

}  // namespace steelyard::evidence

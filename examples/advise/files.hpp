// Reading input and writing output, with the promises of the contract: bounded waiting, atomic files, quiet broken pipes.
#pragma once

#include <string>
#include <string_view>

namespace advise {

/// Largest price list or batch; document (the limit of the library's YAML and JSON); paste of what tools printed: longer ones are logs of days, which
/// say nothing more and take minutes to read.
constexpr std::size_t most_input_bytes = std::size_t{1} << 30, most_document_bytes = std::size_t{16} << 20,
                      most_evidence_bytes = std::size_t{32} << 20;

/// The text of a file, or of standard input for "-". Throws steelyard::LoadError. Waits at most `timeout_s` for standard input and pipes (0: no
/// limit).
std::string read_input(const std::string& name, double timeout_s = 0, std::size_t most_bytes = most_document_bytes);

/// Waits until a named pipe has something to read, at most `timeout_s` (0: no limit); keeps what is in it. Nothing happens for other files.
class PipeReady {
 public:
  PipeReady(const std::string& name, double timeout_s);
  ~PipeReady();
  PipeReady(const PipeReady&) = delete;
  PipeReady& operator=(const PipeReady&) = delete;

 private:
  int descriptor_ = -1;
};

/// Writes all of it to a file (whole or not at all; the file behind a link), into a pipe or device, or, where the name is empty or "-", to standard
/// output.
void write_output(const std::string& name, std::string_view text);

/// Gives a closed standard stream its number back, so that no file is opened under it; reading and writing it go on to fail.
void occupy_standard_streams();

/// SIGINT, SIGTERM and SIGHUP leave with 130 and without a half-written file.
void install_signal_handlers();

}  // namespace advise

// docker run: image, GPUs, shared memory, and the command inside. Source: docs.docker.com/reference/cli/docker/container/run (2026-10).
#include "core/text.hpp"
#include "habits/readers.hpp"

namespace steelyard::habits {

namespace {

// "all", "4", "device=0,1" with or without quotes of its own.
void take_gpus(Sayings& said) {
  auto text = said.word("gpus");
  if (!text) return;
  std::string plain;
  for (const char c : *text) {
    if (c != '"' && c != '\'') plain += c;
  }
  if (plain == "all") return said.leave_open("gpus", "all: as many as the machine has");
  if (plain.rfind("device=", 0) == 0) return said.take("gpus", "run.gpus_per_node", split(plain.substr(7), ',').size());
  const auto count = parse_integer(plain);
  if (count && *count > 0) return said.take("gpus", "run.gpus_per_node", static_cast<std::int64_t>(*count));
  said.leave_open("gpus", "expected all, a number or device=0,1, found '" + *text + "'");
}

void take_shared_memory(Sayings& said) {
  if (const auto ipc = said.word("ipc")) said.take("ipc", "run.ipc", *ipc);
  const auto size = said.word("shm_size");
  if (!size) return;
  const auto gib = memory_gib(*size);
  if (gib) said.take("shm_size", "run.shm_gib", *gib);
  if (!gib) said.leave_open("shm_size", "expected a size such as 16g, found '" + *size + "'");
}

}  // namespace

void read_docker_run(const Words& words, const std::string& file, Notes& notes) {
  const std::vector<std::string> switches = {"rm",         "it",   "i", "t",           "d",           "ti",  "dit",       "itd",           "detach",
                                             "privileged", "init", "P", "publish_all", "interactive", "tty", "read_only", "no_healthcheck"};
  const std::size_t end = end_of_options(words, switches);
  Options options = read_options({words.begin(), words.begin() + static_cast<std::ptrdiff_t>(end)}, file, switches);
  Sayings said(options.said, "docker run", notes);
  note_unresolved(options, file, said);
  take_gpus(said);
  take_shared_memory(said);
  said.ignore({"rm",          "it",         "i",       "t",        "d",      "ti",          "dit",          "itd",     "detach",   "privileged",
               "init",        "v",          "volume",  "mount",    "e",      "env",         "env_file",     "p",       "publish",  "P",
               "publish_all", "name",       "network", "net",      "ulimit", "w",           "workdir",      "runtime", "restart",  "cap_add",
               "device",      "u",          "user",    "hostname", "h",      "entrypoint",  "security_opt", "memory",  "m",        "cpus",
               "add_host",    "log_driver", "log_opt", "label",    "l",      "interactive", "tty",          "pull",    "group_add"});
  said.finish();
  if (end >= words.size()) return;
  // "$IMAGE bash run.sh": what hangs on a variable was passed over as if it were options.
  if (end > 0 && words[end - 1].unresolved && words[end - 1].text.rfind('-', 0) != 0) {
    read_command({words.begin() + static_cast<std::ptrdiff_t>(end), words.end()}, file, notes);
    return;
  }
  const Word& image = words[end];
  const Said named{"image", {image.text}, image.unresolved, {file, image.line, image.column}, false};
  if (image.unresolved) {
    notes.leave_open(named, "hangs on a variable that this text does not set");
  } else {
    notes.take("software.image", image.text, named, "docker run");
  }
  const Words inner(words.begin() + static_cast<std::ptrdiff_t>(end) + 1, words.end());
  if (read_command(inner, file, notes)) return;
  // The image of vLLM is the server itself: what follows are its arguments.
  if (!said.has("entrypoint") && image.text.find("vllm-openai") != std::string::npos && !inner.empty()) read_vllm(inner, file, notes);
}

}  // namespace steelyard::habits

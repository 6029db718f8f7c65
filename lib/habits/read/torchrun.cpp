// torchrun and DeepSpeed's launcher. Sources: docs.pytorch.org/docs/stable/elastic/run.html, deepspeed.ai/getting-started (2026-10).
#include <algorithm>

#include "core/text.hpp"
#include "habits/readers.hpp"

namespace steelyard::habits {

namespace {

Words behind(const Words& words, std::size_t first) { return {words.begin() + static_cast<std::ptrdiff_t>(first), words.end()}; }

void take_elastic_nodes(Sayings& said) {
  const auto nodes = said.word("nnodes");
  if (!nodes) {
    if (!said.has("nnodes")) said.assume("run.nodes", 1, "nnodes");
    return;
  }
  const std::vector<std::string> range = split(*nodes, ':');
  const bool fixed = range.size() == 1 || (range.size() == 2 && range[0] == range[1]);
  const auto count = parse_integer(range[0]);
  if (fixed && count && *count > 0) {
    said.take("nnodes", "run.nodes", static_cast<std::int64_t>(*count));
  } else {
    said.leave_open("nnodes", "a range of nodes, '" + *nodes + "'");
  }
}

}  // namespace

void read_torchrun(const Words& words, const std::string& file, Notes& notes) {
  const std::vector<std::string> switches = {"standalone", "m", "module", "no_python", "use_env", "run_path"};
  const std::size_t end = end_of_options(words, switches);
  Options options = read_options({words.begin(), words.begin() + static_cast<std::ptrdiff_t>(end)}, file, switches);
  Sayings said(options.said, "torchrun", notes);
  note_unresolved(options, file, said);
  const auto per_node = said.word("nproc_per_node");
  if (per_node && (*per_node == "gpu" || *per_node == "cpu")) {
    said.leave_open("nproc_per_node", "'" + *per_node + "': as many as the machine has");
  } else {
    said.count("nproc_per_node", "run.gpus_per_node");
  }
  take_elastic_nodes(said);
  said.ignore({"master_addr", "master_port", "node_rank", "rdzv_*", "standalone", "max_restarts", "m", "module", "no_python", "use_env", "log_dir",
               "redirects", "tee", "role", "monitor_interval", "start_method", "local_addr", "local_ranks_filter"});
  said.finish();
  read_training_script(behind(words, end), file, notes);
}

void read_deepspeed_launcher(const Words& words, const std::string& file, Notes& notes) {
  const std::vector<std::string> switches = {"module", "no_python", "no_local_rank", "no_ssh", "force_multi", "enable_each_rank_log"};
  const std::size_t end = end_of_options(words, switches);
  Options options = read_options({words.begin(), words.begin() + static_cast<std::ptrdiff_t>(end)}, file, switches);
  Sayings said(options.said, "deepspeed launcher", notes);
  note_unresolved(options, file, said);
  said.count("num_gpus", "run.gpus_per_node");
  if (const auto include = said.word("include"); include && include->find('@') == std::string::npos) {
    // "localhost:0,1,2,3": the GPUs of one node.
    const std::string devices = include->substr(include->find(':') + 1);
    said.take("include", "run.gpus_per_node", split(devices, ',').size());
    said.take("include", "run.nodes", 1);
  }
  said.count("num_nodes", "run.nodes");
  if (!said.has("num_nodes") && !said.has("hostfile") && !said.has("include")) said.assume("run.nodes", 1, "num_nodes");
  said.leave_open("hostfile", "names another file, with the nodes and their slots: say --num_nodes and --num_gpus");
  said.ignore({"master_addr", "master_port", "launcher", "launcher_args", "module", "no_python", "no_local_rank", "no_ssh", "force_multi",
               "node_rank", "save_pid", "enable_each_rank_log", "ssh_port"});
  said.finish();
  read_training_script(behind(words, end), file, notes);
}

}  // namespace steelyard::habits

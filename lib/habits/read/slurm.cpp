// Slurm: #SBATCH lines and the options of srun. Source: slurm.schedmd.com/sbatch.html (2026-10).
#include <cctype>

#include "core/text.hpp"
#include "habits/readers.hpp"

namespace steelyard::habits {

namespace {

constexpr std::pair<const char*, const char*> short_names[] = {
    {"N", "nodes"},  {"G", "gpus"},  {"n", "ntasks"},  {"c", "cpus_per_task"}, {"t", "time"},     {"p", "partition"}, {"J", "job_name"},
    {"o", "output"}, {"e", "error"}, {"A", "account"}, {"q", "qos"},           {"w", "nodelist"}, {"x", "exclude"}};

// "-N2" and "-N 2" mean --nodes=2.
void spell_out(std::vector<Said>& said) {
  for (Said& one : said) {
    for (const auto& [letter, name] : short_names) {
      if (one.key == letter) one.key = name;
      const bool joined = one.key.size() > 1 && one.key[0] == letter[0] && std::isdigit(static_cast<unsigned char>(one.key[1])) && one.values.empty();
      if (!joined) continue;
      one.values.push_back(one.key.substr(1));
      one.key = name;
    }
  }
}

// "gpu:a100:8", "a100:8", "8": the count, and the board where it is named.
void take_gpus(Sayings& said, const char* key, const char* field) {
  const auto text = said.word(key);
  if (!text) return;
  std::vector<std::string> parts = split(*text, ':');
  if (parts.front() == "gpu" && parts.size() > 1) parts.erase(parts.begin());
  const auto count = parse_integer(parts.back());
  if (!count || *count < 1) return said.leave_open(key, "expected a number of GPUs, found '" + *text + "'");
  said.take(key, field, static_cast<std::int64_t>(*count));
  if (parts.size() > 1) said.take(key, "run.gpu", parts.front());
}

}  // namespace

void read_slurm(const Words& words, const std::string& file, Notes& notes) {
  Options options = read_options(words, file, {"exclusive", "requeue", "no_requeue", "label", "l", "unbuffered", "u"});
  spell_out(options.said);
  Sayings said(std::move(options.said), "slurm", notes);
  const auto nodes = said.word("nodes");
  if (nodes && nodes->find('-') != std::string::npos) {
    said.leave_open("nodes", "a range of nodes, '" + *nodes + "'");
  } else {
    said.count("nodes", "run.nodes");
  }
  take_gpus(said, "gpus_per_node", "run.gpus_per_node");
  take_gpus(said, "gres", "run.gpus_per_node");
  take_gpus(said, "gpus", "run.gpus");
  said.leave_open("time", "a limit of one batch job, not the deadline of the work: state constraints.deadline");
  said.ignore({"job_name",     "output",   "error",       "partition",
               "account",      "qos",      "ntasks*",     "cpus_per_task",
               "cpus_per_gpu", "mem*",     "exclusive",   "mail_*",
               "nodelist",     "exclude",  "constraint",  "requeue",
               "no_requeue",   "signal",   "open_mode",   "chdir",
               "dependency",   "array",    "reservation", "container_*",
               "label",        "l",        "unbuffered",  "u",
               "export",       "cpu_bind", "mpi",         "kill_on_bad_exit",
               "wait",         "gpu_bind", "comment",     "no_container_*",
               "overlap",      "jobid",    "distribution"});
  said.finish();
}

}  // namespace steelyard::habits

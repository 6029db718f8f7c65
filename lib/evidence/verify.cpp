// Promise and evidence, step by step. Facts are gathered here; the rules of the chosen book decide.
#include <algorithm>
#include <set>

#include "core/text.hpp"
#include "evidence/books.hpp"
#include "evidence/fact_values.hpp"
#include "evidence/identity.hpp"
#include "evidence/judge.hpp"
#include "evidence/read/scan.hpp"
#include "evidence/references.hpp"

namespace steelyard {

namespace {

using evidence::number_of;
using evidence::text_of;

struct Seen {
  ToolRecord record;
  Value facts;  // record_facts
  std::string verdict_class;
  std::string place;  // "ibstat.txt:7"
};

std::vector<Seen> read_files(const std::vector<EvidenceFile>& files, const rules::Book& book, std::set<std::string>& redacted) {
  std::vector<Seen> seen;
  for (const EvidenceFile& file : files) {
    const bool pcie_card = evidence::names_pcie_card(file.text);
    const Redaction redaction = redact(file.text);
    redacted.insert(redaction.kinds.begin(), redaction.kinds.end());
    for (ToolRecord& record : read_tool_output(file.text)) {
      const auto judgement = evidence::judge_record(record, pcie_card, book);
      Seen one{std::move(record), {}, judgement ? judgement->verdict_class : "", {}};
      one.facts = evidence::record_facts(one.record, Catalog::embedded());
      one.place = file.name + ":" + std::to_string(one.record.first_line);
      seen.push_back(std::move(one));
    }
  }
  return seen;
}

bool is_ports(const Seen& seen) { return seen.record.subject == "ports"; }
bool is_nccl_tests(const Seen& seen) { return seen.record.tool == "nccl-tests" || seen.record.tool == "rccl-tests"; }

/// Rate of one port: stated, or total over ports; else that of the ports seen, or of one adapter a GPU where ports are sold with that rate.
std::optional<double> port_rate(const Configuration& promise, const std::vector<Seen>& seen) {
  const InterNode& network = promise.inter_node;
  if (network.gbit_per_s_per_port) return network.gbit_per_s_per_port;
  if (!network.gbit_per_s_per_node) return std::nullopt;
  if (network.ports_per_node && *network.ports_per_node > 0) return *network.gbit_per_s_per_node / *network.ports_per_node;
  for (const Seen& one : seen) {
    const auto rate = is_ports(one) ? number_of(one.facts, "fabric_rate_gbit_per_s") : std::nullopt;
    if (rate && *rate <= *network.gbit_per_s_per_node) return rate;
  }
  const double for_each_gpu = *network.gbit_per_s_per_node / std::max(1, promise.gpus_per_node);
  const evidence::References& references = evidence::References::embedded();
  if (for_each_gpu >= 100 && references.is_line_rate(for_each_gpu)) return for_each_gpu;
  return references.is_line_rate(*network.gbit_per_s_per_node) ? network.gbit_per_s_per_node : std::nullopt;
}

std::string promised_layer(const std::string& kind) {
  if (kind == "infiniband") return "InfiniBand";
  return kind == "roce" ? "Ethernet" : "";
}

Value promise_facts(const Configuration& promise, const std::vector<Seen>& seen) {
  const InterNode& network = promise.inter_node;
  Value facts = Value::map();
  facts["rdma"] = network.kind == "infiniband" || network.kind == "roce" || network.kind == "efa";
  facts["layer"] = promised_layer(network.kind);
  evidence::set(facts, "gbit_per_s_per_node", network.gbit_per_s_per_node);
  evidence::set(facts, "port_gbit_per_s", port_rate(promise, seen));
  evidence::set(facts, "stated_port_gbit_per_s", network.gbit_per_s_per_port);
  facts["gpus_per_node"] = promise.gpus_per_node;
  facts["nodes"] = promise.nodes;
  evidence::set(facts, "gpudirect", network.gpudirect);
  evidence::add_board_promise(promise, facts);
  return facts;
}

Value link_facts(const Configuration& promise, const Seen& seen) {
  Value facts = Value::map();
  const std::string layer = promised_layer(promise.inter_node.kind);
  const Value* ports = seen.record.facts.find("ports");
  const Value::List list = ports && ports->is_list() ? ports->as_list() : Value::List{};
  double rate = 0;
  std::int64_t count = 0, down = 0;
  for (const Value& port : list) {
    if (text_of(port, "link_layer") != layer) continue;
    const double speed = number_of(port, "rate_gbit_per_s").value_or(0);
    const bool up = text_of(port, "state") == "Active" && (!port.find("physical_state") || text_of(port, "physical_state") == "LinkUp");
    if (!up) ++down;
    if (up && speed > rate) rate = speed, count = 0;
    if (up && speed == rate) ++count;
  }
  const bool rates_printed = std::any_of(list.begin(), list.end(), [](const Value& port) { return port.find("rate_gbit_per_s") != nullptr; });
  if (rates_printed) facts["link_gbit_per_s"] = rate * static_cast<double>(count);
  if (rates_printed && count > 0) facts["link_port_gbit_per_s"] = rate;
  facts["link_ports"] = count;
  facts["link_down"] = down;
  return facts;
}

bool between_nodes(const Seen& seen, const Configuration& promise) {
  if (!is_nccl_tests(seen)) return false;
  if (const auto nodes = number_of(seen.facts, "nodes")) return *nodes > 1;
  const auto ranks = number_of(seen.facts, "ranks");
  return ranks && *ranks > promise.gpus_per_node;
}

/// The promised kind of transport, by the log: adapters of the right layer for InfiniBand and RoCE, libfabric for EFA.
bool network_fits(const Seen& log, const Configuration& promise) {
  const std::string network = text_of(log.facts, "network");
  if (promise.inter_node.kind == "efa") return network == "OFI";
  if (network != "IB") return promise.inter_node.kind == "ethernet" && network == "Socket";
  const Value* layers = log.facts.find("link_layers");
  const std::string wanted = promised_layer(promise.inter_node.kind);
  if (layers == nullptr || !layers->is_list()) return false;
  return std::any_of(layers->as_list().begin(), layers->as_list().end(), [&](const Value& layer) { return layer == Value(wanted); });
}

void add_run(const Seen& one, const Configuration& promise, Value& facts) {
  const double wrong = number_of(one.facts, "wrong_values").value_or(0) + number_of(one.facts, "out_of_bounds_values").value_or(0);
  if (wrong > 0) facts["wrong_values"] = wrong;
  const auto busbw = number_of(one.facts, "peak_busbw_gb_per_s");
  if (!between_nodes(one, promise) || !busbw) return;
  facts["collective"] = true;
  facts["busbw_gb_per_s"] = *busbw;
  const auto rate = promise.inter_node.gbit_per_s_per_node;
  if (rate && *rate > 0) facts["collective_share"] = *busbw / (*rate / 8);
  const auto ranks = number_of(one.facts, "ranks"), nodes = number_of(one.facts, "nodes");
  const int count = nodes ? static_cast<int>(*nodes) : ranks ? static_cast<int>(*ranks) / std::max(1, promise.gpus_per_node) : 0;
  if (!promise.board || !ranks || !rate || count < 2) return;
  const auto* reference = evidence::References::embedded().collective(*promise.board, one.record.subject, static_cast<int>(*ranks), count, *rate);
  if (reference) facts["collective_ratio"] = *busbw / reference->gb_per_s;
}

Value collective_facts(const Configuration& promise, const std::vector<Seen>& seen, std::string& place) {
  Value facts = Value::map();
  for (const Seen& one : seen) {
    const bool log = one.record.tool == "nccl-log", run = is_nccl_tests(one);
    if (!log && !run) continue;
    if (place.empty() || between_nodes(one, promise)) place = one.place;
    if (run) add_run(one, promise, facts);
    if (!log || text_of(facts, "log_class") == "not_rdma") continue;
    facts["network"] = text_of(one.facts, "network");
    facts["network_fits"] = network_fits(one, promise);
    facts["log_class"] = one.verdict_class;
    facts["hcas"] = number_of(one.facts, "hcas").value_or(0);
    if (const Value* direct = one.facts.find("gpudirect")) facts["gpudirect"] = *direct;
  }
  return facts;
}

/// "samples/s 187.6", "tokens/s 318,400", "187.6 samples/s": the last figure in the texts.
std::optional<double> throughput(const std::vector<EvidenceFile>& files, std::string_view unit) {
  std::optional<double> found;
  for (const EvidenceFile& file : files) {
    for (std::size_t at = file.text.find(unit); at != std::string::npos; at = file.text.find(unit, at + 1)) {
      std::string behind = file.text.substr(at + unit.size(), 24);
      behind.erase(std::remove(behind.begin(), behind.end(), ','), behind.end());
      behind.erase(0, behind.find_first_not_of(" :=\t"));
      const std::vector<std::string_view> before_it =
          evidence::words(std::string_view(file.text).substr(at < 24 ? 0 : at - 24, std::min<std::size_t>(at, 24)));
      if (const auto value = evidence::leading_number(behind); value && evidence::starts_with(file.text.substr(at + unit.size(), 2), " "))
        found = value;
      else if (!before_it.empty() && evidence::number(before_it.back()))
        found = evidence::number(before_it.back());
    }
  }
  return found;
}

Value workload_facts(const Configuration& promise, const std::vector<EvidenceFile>& files) {
  Value facts = Value::map();
  const std::pair<std::optional<double>, std::string_view> kinds[] = {
      {promise.measured.samples_per_s, "samples/s"}, {promise.measured.tokens_per_s, "tokens/s"}, {promise.measured.requests_per_s, "requests/s"}};
  for (const auto& [promised, unit] : kinds) {
    const auto measured = promised && *promised > 0 ? throughput(files, unit) : std::nullopt;
    if (measured) facts["workload_share"] = *measured / *promised;
  }
  return facts;
}

int badness(const std::string& result) { return result == "fail" ? 2 : result == "pass" ? 1 : 0; }

class Verifier {
 public:
  Verifier(const Configuration& promise, const std::vector<EvidenceFile>& files, const Evidence::Books& books)
      : promise_(promise), files_(files), books_(books) {
    std::set<std::string> redacted;
    seen_ = read_files(files, books.reference, redacted);
    promise_facts_ = promise_facts(promise, seen_);
    report_.redacted.assign(redacted.begin(), redacted.end());
  }

  VerifyReport run() {
    const std::string board = promise_.gpu + " x " + std::to_string(promise_.gpus_per_node);
    const std::string network = network_words();
    each(
        "0 identity", "verify.step.identity", board, [](const Seen&) { return true; },
        [&](const Seen& one) { return evidence::identity_facts(promise_, one.record, one.facts, one.verdict_class); });
    each("1 link", "verify.step.link", network, is_ports, [&](const Seen& one) { return link_facts(promise_, one); });
    each(
        "2 write bandwidth", "verify.step.write", network, [](const Seen& one) { return one.record.tool == "perftest"; },
        [](const Seen&) { return Value::map(); });
    std::string place;
    const Value collective = collective_facts(promise_, seen_, place);
    add("3 collective", network, decide("verify.step.collective", nullptr, collective), place);
    each(
        "4 burn-in", "verify.step.burn_in", board, [](const Seen& one) { return one.record.tool == "gpu-burn"; },
        [&](const Seen& one) { return evidence::identity_facts(promise_, one.record, one.facts, one.verdict_class); });
    add("5 workload",
        promise_.measured.samples_per_s || promise_.measured.tokens_per_s || promise_.measured.requests_per_s ? "throughput as stated" : "not stated",
        decide("verify.step.workload", nullptr, workload_facts(promise_, files_)), files_.empty() ? "" : files_.front().name);
    conclude();
    return std::move(report_);
  }

 private:
  std::string network_words() const {
    const InterNode& network = promise_.inter_node;
    if (network.kind.empty()) return "network not stated";
    return network.kind + (network.gbit_per_s_per_node ? " " + format_rounded(*network.gbit_per_s_per_node, 4) + " gbit/s a node" : "");
  }

  rules::Outcome decide(const std::string& decision, const Seen* one, Value seen_facts) const {
    Value facts = Value::map();
    facts["promise"] = promise_facts_;
    facts["seen"] = std::move(seen_facts);
    if (one) facts["record"] = one->facts;
    rules::Session session(books_.chosen.decision(decision) ? books_.chosen : books_.reference, std::move(facts));
    return session.decide(decision);
  }

  static VerifyStep step_of(const std::string& name, const std::string& promised, const rules::Outcome& outcome, const std::string& place) {
    VerifyStep step;
    step.step = name;
    step.promised = promised;
    step.result = outcome.output.is_string() ? outcome.output.as_string() : "not_proven";
    if (!outcome.hits.empty())
      step.because = outcome.hits.front().because, step.rule = outcome.hits.front().rule, step.where = outcome.hits.front().where;
    else
      step.because = outcome.error, step.rule = outcome.decision, step.where = outcome.where;
    step.measured = step.because;
    step.evidence = place;
    return step;
  }

  void add(const std::string& name, const std::string& promised, const rules::Outcome& outcome, const std::string& place) {
    report_.steps.push_back(step_of(name, promised, outcome, outcome.output == Value("not_proven") && name[0] == '5' ? "" : place));
  }

  /// The worst of all records that bear on a step: a failure outranks a pass, and a pass outranks silence.
  template <class Fits, class Facts>
  void each(const std::string& name, const std::string& decision, const std::string& promised, Fits fits, Facts facts) {
    std::optional<VerifyStep> worst;
    for (const Seen& one : seen_) {
      if (!fits(one)) continue;
      VerifyStep step = step_of(name, promised, decide(decision, &one, facts(one)), one.place);
      if (!worst || badness(step.result) > badness(worst->result)) worst = std::move(step);
    }
    if (!worst) {
      worst = VerifyStep{};
      worst->step = name;
      worst->promised = promised;
      worst->because = worst->measured = "no evidence";
    }
    report_.steps.push_back(std::move(*worst));
  }

  void conclude() {
    const auto is = [&](std::size_t at, const char* result) { return report_.steps[at].result == result; };
    bool failed = false, proven = true;
    for (std::size_t at = 0; at < report_.steps.size(); ++at) {
      failed = failed || is(at, "fail");
      if (at >= 1 && at <= 4) proven = proven && is(at, "pass");
    }
    report_.result = failed ? "fail" : proven ? "pass" : "not_proven";
  }

  const Configuration& promise_;
  const std::vector<EvidenceFile>& files_;
  const Evidence::Books& books_;
  std::vector<Seen> seen_;
  Value promise_facts_;
  VerifyReport report_;
};

}  // namespace

VerifyReport Evidence::verify(const Configuration& promise, const std::vector<EvidenceFile>& files) const {
  return Verifier(promise, files, *books_).run();
}

}  // namespace steelyard

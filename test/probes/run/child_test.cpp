#include "probes/run/child.hpp"

#include <csignal>

#include "probes/probe.hpp"
#include "support/catch.hpp"

using namespace steelyard::probes;

namespace {

ChildRequest shell(const std::string& script) {
  ChildRequest out;
  out.command = {"/bin/sh", "-c", script};
  out.deadline_s = 30;
  return out;
}

}  // namespace

TEST_CASE("results come as lines, all else is kept as log") {
  ChildRequest request = shell("read word; echo \"got $word\"; echo fault >&2; echo one >&3; printf 'two\\nthree' >&3; exit 4");
  request.input = "hello\n";
  std::vector<std::string> lines;
  request.line = [&](std::string_view line) { lines.emplace_back(line); };
  const ChildResult result = run_child(request);
  CHECK(result.end == ChildResult::End::exited);
  CHECK(result.code == 4);
  CHECK(lines == std::vector<std::string>{"one", "two"});  // a line without an end is half a line
  CHECK(result.log.find("got hello") != std::string::npos);
  CHECK(result.log.find("fault") != std::string::npos);
}

TEST_CASE("a crash is told from an exit") {
  const ChildResult result = run_child(shell("kill -SEGV $$"));
  CHECK(result.end == ChildResult::End::crashed);
  CHECK(result.code == SIGSEGV);
  CHECK(describe(result) == "crashed: Segmentation fault");
}

TEST_CASE("at the deadline the whole family is killed") {
  ChildRequest request = shell("trap '' TERM INT; (trap '' TERM; while :; do read x < /dev/tty || sleep 1000; done) & echo $! >&3; wait");
  request.deadline_s = 0.3;
  int grandchild = 0;
  request.line = [&](std::string_view line) { grandchild = std::stoi(std::string(line)); };
  const ChildResult result = run_child(request);
  CHECK(result.end == ChildResult::End::timed_out);
  CHECK(describe(result) == "no end within the deadline");
  REQUIRE(grandchild > 0);
  // Killed and waiting to be collected by init, or gone.
  bool gone = false;
  for (int i = 0; i < 1000 && !gone; ++i)
    gone = kill(grandchild, 0) != 0 || run_child(shell("grep -q '^State:.Z' /proc/" + std::to_string(grandchild) + "/status")).code == 0;
  CHECK(gone);
}

TEST_CASE("an interruption ends the child at once") {
  ChildRequest request = shell("echo ready >&3; sleep 1000");
  bool ready = false;
  request.line = [&](std::string_view) { ready = true; };
  request.cancelled = [&] { return ready; };
  CHECK(run_child(request).end == ChildResult::End::cancelled);
}

TEST_CASE("a program that is not there is no crash of ours") {
  ChildRequest request;
  request.command = {"/no/such/program"};
  const ChildResult result = run_child(request);
  CHECK(result.end == ChildResult::End::not_started);
  CHECK(result.log.find("/no/such/program") != std::string::npos);
}

TEST_CASE("only the end of a long log is kept") {
  const ChildResult result =
      run_child(shell("i=0; while [ $i -lt 9000 ]; do echo 'a line of forty characters or somewhat more'; i=$((i+1)); done; echo last"));
  CHECK(result.log.size() <= 160 * 1024);
  CHECK(result.log.substr(result.log.size() - 5) == "last\n");
}

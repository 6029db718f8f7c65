#include "probes/ranks/ranks.hpp"

#include <atomic>

#include "probes/collectives.hpp"
#include "probes/host/engine.hpp"
#include "probes/ranks/threads.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::probes;
using steelyard::test::with_ranks;

TEST_CASE("ranks over TCP agree on figures") {
  std::atomic<int> good{0};
  with_ranks(4, [&](Ranks& ranks) {
    const double most = ranks.most(10.0 + ranks.rank());
    char word[8] = "none";
    if (ranks.rank() == 2) std::copy_n("hello", 6, word);
    ranks.broadcast(word, sizeof word, 2);
    ranks.barrier();
    if (most == 13 && std::string(word) == "hello" && ranks.size() == 4 && ranks.kind() == "tcp") ++good;
  });
  CHECK(good == 4);
}

TEST_CASE("collectives over TCP give the right elements for even and odd counts of ranks and sizes") {
  for (const int size : {2, 3, 5}) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{7}, std::size_t{100000}}) {
      std::atomic<int> wrong{0};
      with_ranks(size, [&](Ranks& ranks) {
        HostCollectives engine(ranks);
        for (const std::string kind : {"all_reduce", "all_gather", "reduce_scatter", "alltoall", "send_recv"}) {
          engine.prepare(kind, static_cast<double>(count * static_cast<std::size_t>(size) * 4));
          if (engine.wrong() != 0) ++wrong;
        }
      });
      INFO(size << " ranks, " << count << " elements each");
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("a foreign server on the port is passed over") {
  const int port = steelyard::test::free_port();
  const Socket foreign = listen_on(port + 1);
  std::atomic<int> good{0};
  with_ranks(
      2, [&](Ranks& ranks) { good += ranks.most(1) == 1; }, port);
  CHECK(good == 2);
}

TEST_CASE("ranks that do not come are given up with a reason") {
  Launcher alone;
  alone.size = 2;
  alone.address = "127.0.0.1";
  alone.port = steelyard::test::free_port();
  CHECK_THROWS_WITH(tcp_ranks(alone, "x", 0.2), Catch::Contains("did not find each other in time"));
  alone.rank = 1;
  CHECK_THROWS_WITH(tcp_ranks(alone, "x", 0.2), Catch::Contains("did not find each other in time"));
  alone.address = "";
  CHECK_THROWS_WITH(tcp_ranks(alone, "x", 0.2), Catch::Contains("MASTER_ADDR"));
}

TEST_CASE("a rank that leaves ends the others with a message, not a hang") {
  CHECK_THROWS_AS(with_ranks(3,
                             [&](Ranks& ranks) {
                               if (ranks.rank() == 1) return;
                               std::vector<float> in(1000, 1), out(1000);
                               for (int i = 0; i < 1000; ++i) ranks.all_reduce(out.data(), in.data(), in.size());
                             }),
                  RanksError);
}

TEST_CASE("an MPI plugin that cannot be loaded gives way to TCP, or says why") {
  CHECK_THROWS_WITH(mpi_ranks("/no/such/plugin.so"), Catch::Contains("/no/such/plugin.so"));
  Launcher launcher;
  CHECK(open_ranks(launcher, {}, "x", 1) == nullptr);
  launcher.kind = "mpirun";
  launcher.size = 2;
  CHECK_THROWS_WITH(open_ranks(launcher, {"/no/such/plugin.so"}, "x", 0.2), Catch::Contains("MASTER_ADDR") && Catch::Contains("/no/such/plugin.so"));
}

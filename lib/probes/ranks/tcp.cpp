// Ranks over TCP: a meeting at rank 0, then a connection between each two ranks. Ring and pairwise algorithms.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <thread>

#include "probes/ranks/ranks.hpp"
#include "probes/ranks/socket.hpp"

namespace steelyard::probes {

namespace {

constexpr int kPorts = 8;                // a launcher's own store may hold the first ones
constexpr double kGreetingPatience = 3;  // seconds: a foreign server on a port does not answer our greeting

struct Greeting {
  char magic[16] = "steelyard-ranks";
  char meeting[96] = {};
  std::int32_t rank = 0;
  std::int32_t port = 0;  // where this rank listens
};

struct Place {
  char address[64] = {};
  std::int32_t port = 0;
};

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Where the part of a rank lies in a buffer of equal parts, and its length.
auto equal_parts(std::size_t count_each) {
  return [count_each](int index) { return std::pair(count_each * static_cast<std::size_t>(index), count_each); };
}

class TcpRanks final : public Ranks {
 public:
  TcpRanks(const Launcher& launcher, const std::string& channel, double patience_s)
      : launcher_(launcher), meeting_((launcher.job + "/" + channel).substr(0, 95)), end_s_(now_s() + patience_s) {
    to_.resize(static_cast<std::size_t>(size()));
    listening_ = listen_on(0);
    if (!listening_) throw RanksError("no port to listen on");
    const std::vector<Place> places = rank() == 0 ? gather_places() : report_to_first();
    connect_all(places);
  }

  std::string kind() const override { return "tcp"; }
  int rank() const override { return launcher_.rank; }
  int size() const override { return launcher_.size; }
  int nodes() const override { return launcher_.nodes; }

  void barrier() override { most(0); }

  void broadcast(void* data, std::size_t bytes, int root) override {
    if (rank() != root) return receive_all(to(root), data, bytes);
    for (int other = 0; other < size(); ++other) {
      if (other != root) send_all(to(other), data, bytes);
    }
  }

  double most(double value) override {
    if (rank() != 0) {
      send_all(to(0), &value, sizeof value);
    } else {
      for (int other = 1; other < size(); ++other) {
        double theirs = 0;
        receive_all(to(other), &theirs, sizeof theirs);
        value = std::max(value, theirs);
      }
    }
    broadcast(&value, sizeof value, 0);
    return value;
  }

  // Reduce-scatter, then all-gather, each around the ring.
  void all_reduce(float* out, const float* in, std::size_t count) override {
    std::copy(in, in + count, out);
    const std::size_t each = (count + static_cast<std::size_t>(size()) - 1) / static_cast<std::size_t>(size());
    const auto part = [&](int index) {
      const std::size_t first = std::min(count, each * static_cast<std::size_t>(index));
      return std::pair(first, std::min(count, first + each) - first);
    };
    ring_sum(out, part, rank());
    ring_share(out, part, rank() + 1);
  }

  void all_gather(float* out, const float* in, std::size_t count_each) override {
    std::copy(in, in + count_each, out + count_each * static_cast<std::size_t>(rank()));
    ring_share(out, equal_parts(count_each), rank());
  }

  // After the ring each rank holds the sum of the part after its own number; starting one earlier puts its own part there.
  void reduce_scatter(float* out, const float* in, std::size_t count_each) override {
    work_.assign(in, in + count_each * static_cast<std::size_t>(size()));
    ring_sum(work_.data(), equal_parts(count_each), rank() - 1);
    const float* mine = work_.data() + count_each * static_cast<std::size_t>(rank());
    std::copy(mine, mine + count_each, out);
  }

  void alltoall(float* out, const float* in, std::size_t count_each) override {
    const auto at = [&](int index) { return count_each * static_cast<std::size_t>(index); };
    std::copy(in + at(rank()), in + at(rank()) + count_each, out + at(rank()));
    for (int step = 1; step < size(); ++step) {
      const int next = wrap(rank() + step), previous = wrap(rank() - step);
      exchange(to(next), in + at(next), count_each * sizeof(float), to(previous), out + at(previous), count_each * sizeof(float));
    }
  }

  void send_recv(float* out, const float* in, std::size_t count) override {
    exchange(to(wrap(rank() + 1)), in, count * sizeof(float), to(wrap(rank() - 1)), out, count * sizeof(float));
  }

 private:
  int wrap(int index) const { return ((index % size()) + size()) % size(); }
  const Socket& to(int other) const { return to_[static_cast<std::size_t>(other)]; }

  // Each step passes one part on and adds the part that arrives; `first` is the part this rank passes on first.
  template <class Part>
  void ring_sum(float* data, Part part, int first) {
    for (int step = 0; step + 1 < size(); ++step) {
      const auto [out_at, out_count] = part(wrap(first - step));
      const auto [in_at, in_count] = part(wrap(first - step - 1));
      arriving_.resize(in_count);
      exchange(to(wrap(rank() + 1)), data + out_at, out_count * sizeof(float), to(wrap(rank() - 1)), arriving_.data(), in_count * sizeof(float));
      for (std::size_t i = 0; i < in_count; ++i) data[in_at + i] += arriving_[i];
    }
  }

  template <class Part>
  void ring_share(float* data, Part part, int first) {
    for (int step = 0; step + 1 < size(); ++step) {
      const auto [out_at, out_count] = part(wrap(first - step));
      const auto [in_at, in_count] = part(wrap(first - step - 1));
      exchange(to(wrap(rank() + 1)), data + out_at, out_count * sizeof(float), to(wrap(rank() - 1)), data + in_at, in_count * sizeof(float));
    }
  }

  double left_s() const {
    const double left = end_s_ - now_s();
    if (left <= 0)
      throw RanksError("the ranks did not find each other in time (" + launcher_.address + ", ports from " + std::to_string(launcher_.port + 1) +
                       ")");
    return left;
  }

  Greeting greeting() const {
    Greeting out;
    std::memcpy(out.meeting, meeting_.data(), meeting_.size());
    out.rank = rank();
    out.port = port_of(listening_);
    return out;
  }

  bool belongs(const Greeting& other) const { return std::memcmp(other.magic, Greeting().magic, 16) == 0 && meeting_ == std::string(other.meeting); }

  // Rank 0: takes a port of the meeting, waits for all others, tells all of them where each one listens.
  std::vector<Place> gather_places() {
    Socket meeting;
    for (int offset = 1; offset <= kPorts && !meeting; ++offset) meeting = listen_on(launcher_.port + offset);
    if (!meeting) throw RanksError("ports " + std::to_string(launcher_.port + 1) + " to " + std::to_string(launcher_.port + kPorts) + " are taken");
    std::vector<Place> places(static_cast<std::size_t>(size()));
    std::vector<Socket> guests(static_cast<std::size_t>(size()));
    std::strncpy(places[0].address, launcher_.address.c_str(), sizeof places[0].address - 1);
    places[0].port = port_of(listening_);
    for (int missing = size() - 1; missing > 0;) {
      Socket guest = accept_within(meeting, left_s());
      Greeting theirs;
      if (!guest || !receive_within(guest, &theirs, sizeof theirs, kGreetingPatience) || !belongs(theirs)) continue;
      if (theirs.rank < 1 || theirs.rank >= size() || guests[static_cast<std::size_t>(theirs.rank)]) continue;
      Place& place = places[static_cast<std::size_t>(theirs.rank)];
      std::strncpy(place.address, peer_address(guest).c_str(), sizeof place.address - 1);
      place.port = theirs.port;
      const Greeting mine = greeting();
      send_all(guest, &mine, sizeof mine);
      guests[static_cast<std::size_t>(theirs.rank)] = std::move(guest);
      --missing;
    }
    for (const Socket& guest : guests) {
      if (guest) send_all(guest, places.data(), places.size() * sizeof(Place));
    }
    return places;
  }

  // The others: look for rank 0 on the ports of the meeting until it answers.
  std::vector<Place> report_to_first() {
    std::vector<Place> places(static_cast<std::size_t>(size()));
    for (int offset = 1;; offset = offset % kPorts + 1) {
      Socket meeting = connect_to(launcher_.address, launcher_.port + offset, std::min(left_s(), kGreetingPatience));
      if (!meeting) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        continue;
      }
      const Greeting mine = greeting();
      Greeting theirs;
      try {
        send_all(meeting, &mine, sizeof mine);
        if (!receive_within(meeting, &theirs, sizeof theirs, std::min(left_s(), kGreetingPatience)) || !belongs(theirs)) continue;
        // The places come when the last rank has reported.
        if (receive_within(meeting, places.data(), places.size() * sizeof(Place), left_s())) return places;
      } catch (const RanksError&) {
        left_s();  // a foreign server hung up: try the next port
      }
    }
  }

  // Each rank calls those before it and is called by those after it.
  void connect_all(const std::vector<Place>& places) {
    for (int other = 0; other < rank(); ++other) {
      const Place& place = places[static_cast<std::size_t>(other)];
      Socket socket = connect_to(place.address, place.port, left_s());
      if (!socket) throw RanksError("rank " + std::to_string(other) + " cannot be reached");
      const Greeting mine = greeting();
      send_all(socket, &mine, sizeof mine);
      to_[static_cast<std::size_t>(other)] = std::move(socket);
    }
    for (int missing = size() - 1 - rank(); missing > 0;) {
      Socket socket = accept_within(listening_, left_s());
      Greeting theirs;
      if (!socket || !receive_within(socket, &theirs, sizeof theirs, kGreetingPatience) || !belongs(theirs)) continue;
      if (theirs.rank <= rank() || theirs.rank >= size()) continue;
      to_[static_cast<std::size_t>(theirs.rank)] = std::move(socket);
      --missing;
    }
    listening_ = Socket();
  }

  Launcher launcher_;
  std::string meeting_;
  double end_s_;
  Socket listening_;
  std::vector<Socket> to_;
  std::vector<float> arriving_, work_;
};

}  // namespace

std::unique_ptr<Ranks> tcp_ranks(const Launcher& launcher, const std::string& channel, double patience_s) {
  if (launcher.address.empty()) throw RanksError("the address of rank 0 is not known: set MASTER_ADDR");
  return std::make_unique<TcpRanks>(launcher, channel, patience_s);
}

}  // namespace steelyard::probes

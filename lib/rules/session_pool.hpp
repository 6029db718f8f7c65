// Sessions of one book that are lent again and again: making one, and freeing it, takes longer than many a decision.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "rules/rules.hpp"

namespace steelyard::rules {

/// Safe to use from several threads. What is lent must come back before the pool ends.
class SessionPool {
 public:
  struct GiveBack {
    SessionPool* pool = nullptr;
    void operator()(Session* session) const { pool->idle_again(std::unique_ptr<Session>(session)); }
  };
  using Lent = std::unique_ptr<Session, GiveBack>;

  explicit SessionPool(Book book) : book_(std::move(book)) {}

  /// A session with the facts of whoever had it last: `Session::reset` it. Its end gives it back.
  Lent lend() {
    std::unique_lock lock(guard_);
    if (idle_.empty()) {
      lock.unlock();
      return Lent(new Session(book_), GiveBack{this});
    }
    Lent session(idle_.back().release(), GiveBack{this});
    idle_.pop_back();
    return session;
  }

 private:
  void idle_again(std::unique_ptr<Session> session) {
    const std::lock_guard lock(guard_);
    idle_.push_back(std::move(session));
  }

  Book book_;
  std::mutex guard_;
  std::vector<std::unique_ptr<Session>> idle_;  // the last one given back is lent first
};

}  // namespace steelyard::rules

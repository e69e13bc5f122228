// The hash of a world's state: equal when nothing that can still happen could tell two runs apart.
#include "fuzz/world/simulation.hpp"

namespace picklock::race {
namespace {

class Hash {
 public:
  void add(std::uint64_t value) {
    value_ = (value_ ^ value) * 0x9e3779b97f4a7c15;
    value_ ^= value_ >> 32;
  }
  void add(Instant instant) { add(static_cast<std::uint64_t>(instant.time_since_epoch().count())); }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x243f6a8885a308d3;
};

}  // namespace

std::uint64_t Simulation::state() const {
  Hash hash;
  hash.add(now_);
  for (const int left : left_) hash.add(static_cast<std::uint64_t>(left));
  for (std::size_t i = 0; i < worker_count_; ++i) {
    const Process& process = processes_[i];
    hash.add(process.history);
    hash.add(static_cast<std::uint64_t>(process.state) << 2 |
             static_cast<std::uint64_t>(process.started) << 1 |
             static_cast<std::uint64_t>(process.news));
    if (process.state == State::sleeping) hash.add(process.wake);
    hash.add(std::max(facts_[i].frozen_until, now_));
    if (!facts_[i].ran_since_pause) hash.add(facts_[i].frozen_from);
    if (facts_[i].last_deadline) hash.add(*facts_[i].last_deadline);
    hash.add(static_cast<std::uint64_t>(process.clock.ppm()));
  }
  for (const SimulatedConnection& link : connections_) {
    if (!servers_[link.node()].used || link.worker() >= worker_count_) continue;
    hash.add(link.requests.size() << 20 | link.answers.size() << 10 | link.orphans.size());
    hash.add(std::max(link.stalled_until, now_));
    link.answers.for_each([&](const Answer& answer) {
      hash.add(answer.digest + answer.ticket);
      hash.add(answer.sent);
    });
    link.orphans.for_each([&](const Request& request) {
      hash.add(request.ticket);
      hash.add(request.sent);
    });
  }
  for (const Server& server : servers_) {
    if (!server.used) continue;
    hash.add(server.redis.inspect().digest());
    hash.add(static_cast<std::uint64_t>(server.clock.offset().count()));
    hash.add(static_cast<std::uint64_t>(server.clock.ppm()));
    hash.add(std::max(server.back_at, now_));
    hash.add(server.saved && has_budget(Fault::restart) ? server.saved_digest : 0);
  }
  hash.add(oracles_.state());
  return hash.value();
}

/// The event is who does what, or which fault strikes whom; the state is who has what.
void Simulation::mark_coverage(std::uint32_t event) {
  Hash hash;
  for (std::size_t i = 0; i < worker_count_; ++i) {
    hash.add(static_cast<std::uint64_t>(processes_[i].state) << 2 |
             static_cast<std::uint64_t>(facts_[i].frozen_until > now_) << 1 |
             static_cast<std::uint64_t>(oracles_.is_inside(i)));
  }
  hash.add(oracles_.owners());
  const std::uint64_t after = hash.value();
  new_edges_ += coverage_->add((abstract_ * 31 + event) * 31 + after);
  abstract_ = after;
}

}  // namespace picklock::race

// The server's truth about a lock, read from the keyspace after every request: who holds it, and
// whether anybody but the owner has ended or prolonged a hold.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <picklock/emulator.hpp>

namespace picklock::test {

class Watcher {
 public:
  struct Held {
    std::int64_t permits = 1;
    std::int64_t deadline_ms = 0;
    bool operator==(const Held&) const = default;
  };
  using Holders = std::map<std::string, Held>;

  Watcher(Emulator& redis, std::string name, std::int64_t limit)
      : redis_(redis), name_(std::move(name)), limit_(limit) {}

  /// The holders whose time has not run out.
  Holders holders() const {
    Holders found;
    const Inspector look = redis_.inspect();
    const std::int64_t now = to_unix_ms(redis_.now());
    if (const auto owner = look.string(name_)) {
      const auto deadline = look.deadline(name_);
      found[std::string{*owner}] = {limit_, deadline ? to_unix_ms(*deadline) : -1};
    } else if (look.type(name_) == "hash") {
      const Reply all = client_.call("HGETALL", name_);
      for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
        const std::string& value = all[i + 1].text();
        const std::size_t space = value.find(' ');
        if (space == value.npos) continue;
        const Held held{std::stoll(value.substr(0, space)), std::stoll(value.substr(space + 1))};
        if (held.deadline_ms >= now) found[all[i].text()] = held;
      }
    }
    return found;
  }

  /// Compares with what was there before: `client_id` sent the request that was just carried out.
  /// Returns what is wrong, empty if nothing is.
  std::string check(const std::string& client_id) {
    const Holders before = std::exchange(last_, holders());
    const std::int64_t now = to_unix_ms(redis_.now());
    std::int64_t permits = 0;
    for (const auto& [owner, held] : last_) permits += held.permits;
    if (permits > limit_) return "S: " + std::to_string(permits) + " permits are held";
    for (const auto& [owner, held] : before) {
      if (owner.starts_with(client_id) || held.deadline_ms < now) continue;
      const auto after = last_.find(owner);
      if (after == last_.end()) return "O1: " + client_id + " has ended the hold of " + owner;
      if (after->second != held) return "O2: " + client_id + " has changed the hold of " + owner;
    }
    return {};
  }

 private:
  Emulator& redis_;
  mutable Client client_ = redis_.connect();
  std::string name_;
  std::int64_t limit_;
  Holders last_;
};

}  // namespace picklock::test

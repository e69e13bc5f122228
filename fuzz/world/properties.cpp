#include "fuzz/world/properties.hpp"

#include <algorithm>
#include <utility>

#include "emulator/base/numbers.hpp"
#include "fuzz/world/digest.hpp"
#include "fuzz/world/oracles.hpp"

namespace picklock::race {
namespace {

/// How many holds of `token` the key counts.
std::int64_t count_of(std::string_view key, std::string_view token, const Inspector& server) {
  if (server.type(key) == "hash")
    return parse_int64(server.field(key, token).value_or("0")).value_or(0);
  return server.string(key) == token ? 1 : 0;
}

}  // namespace

void Properties::clear() {
  rules_.clear();
  waits_.clear();
  next_order_ = 0;
  over_.clear();
  fences_.clear();
  clean_.clear();
  clock_went_back_ = false;
  at_rest_.clear();
  most_commands_ = 0;
  rates_.clear();
}

Properties::Rule& Properties::rule(std::size_t key) {
  for (Rule& rule : rules_) {
    if (rule.key == key) return rule;
  }
  rules_.push_back({.key = key});
  return rules_.back();
}

std::size_t Properties::text_index(std::string_view text) {
  const auto found = std::find(texts_.begin(), texts_.end(), text);
  const auto index = static_cast<std::size_t>(found - texts_.begin());
  if (found == texts_.end()) texts_.emplace_back(text);
  return index;
}

std::size_t Properties::wait(std::size_t key, std::size_t worker, Instant now) {
  waits_.push_back(
      {.active = true, .key = key, .worker = worker, .order = next_order_++, .since = now});
  return waits_.size() - 1;
}

bool Properties::abandon(std::size_t worker) {
  bool any = false;
  for (Waiting& wait : waits_) any |= wait.worker == worker && std::exchange(wait.active, false);
  return any;
}

bool Properties::waits_within_bound(std::size_t worker) const {
  return std::any_of(waits_.begin(), waits_.end(), [this, worker](const Waiting& waiting) {
    return waiting.active && waiting.worker == worker &&
           std::any_of(rules_.begin(), rules_.end(), [&waiting](const Rule& rule) {
             return rule.key == waiting.key && rule.bound;
           });
  });
}

void Properties::taken(std::size_t slot) {
  const Waiting& winner = waits_[slot];
  end_wait(slot);
  const std::optional<int> most = rule(winner.key).overtakes;
  if (!most) return;
  for (Waiting& other : waits_) {
    if (!other.active || other.key != winner.key || other.order > winner.order) continue;
    if (++other.overtaken <= *most) continue;
    oracles_->report({.verdict = Class::violation,
                      .oracle = Oracle::fairness,
                      .resource = winner.key,
                      .subject = winner.worker,
                      .other = other.worker,
                      .seen = other.overtaken,
                      .right = *most});
  }
}

void Properties::time_passed(Instant now, const std::vector<WorkerFacts>& workers) {
  for (const Waiting& waiting : waits_) {
    if (!waiting.active) continue;
    const std::optional<Duration> bound = rule(waiting.key).bound;
    const std::optional<Instant> free = oracles_->free_since(waiting.key);
    if (!bound || !free) continue;
    const Instant begun = std::max({*free, waiting.since, workers[waiting.worker].hindered_until,
                                    workers[waiting.worker].frozen_until});
    if (now <= begun + *bound) continue;
    oracles_->report({.verdict = Class::violation,
                      .oracle = Oracle::waiting,
                      .resource = waiting.key,
                      .subject = waiting.worker,
                      .right = *bound / std::chrono::milliseconds{1}});
  }
}

void Properties::expect_count(std::size_t key, std::size_t worker, std::string_view token,
                              std::int64_t count, const Inspector& server) {
  const std::int64_t seen = count_of(oracles_->lock_keys()[key].name, token, server);
  if (seen == count) return;
  oracles_->report({.verdict = oracles_->blame(),
                    .oracle = Oracle::hold_count,
                    .resource = key,
                    .subject = worker,
                    .seen = seen,
                    .right = count});
}

void Properties::over(std::size_t key, std::size_t, std::string_view token) {
  over_.push_back({key, std::string{token}});
}

void Properties::sent(std::size_t worker, std::span<const std::string_view> words, Instant now) {
  for (const Over& over : over_) {
    if (std::find(words.begin(), words.end(), over.token) == words.end()) continue;
    oracles_->report({.verdict = Class::violation,
                      .oracle = Oracle::quiescence,
                      .resource = over.key,
                      .subject = worker,
                      .deed = Deed::sent});
  }
  if (most_commands_ == 0) return;
  if (worker >= rates_.size()) rates_.resize(worker + 1);
  Rate& rate = rates_[worker];
  const std::int64_t second = to_unix_ms(now) / 1000;
  rate.count = rate.second == second ? rate.count + 1 : 1;
  rate.second = second;
  if (rate.count <= most_commands_) return;
  oracles_->report({.verdict = Class::violation,
                    .oracle = Oracle::hot_loop,
                    .subject = worker,
                    .right = most_commands_});
}

void Properties::changed(std::size_t key, std::size_t worker, const Inspector& server) {
  for (const Over& over : over_) {
    if (over.key != key || count_of(oracles_->lock_keys()[key].name, over.token, server) == 0)
      continue;
    oracles_->report({.verdict = oracles_->blame(),
                      .oracle = Oracle::quiescence,
                      .resource = key,
                      .subject = worker,
                      .deed = Deed::revived});
  }
}

std::size_t Properties::fence(std::string_view name, std::size_t key) {
  fences_.push_back({.text = text_index(name), .key = key});
  return fences_.size() - 1;
}

bool Properties::write(std::size_t index, std::size_t worker, FencingToken token) {
  Fencing& fence = fences_[index];
  const bool refused = token < fence.highest;
  const auto blame = [&](Deed deed) {
    oracles_->report({.verdict = Class::violation,
                      .oracle = Oracle::fencing,
                      .resource = fence.text,
                      .subject = worker,
                      .other = fence.writer,
                      .deed = deed});
  };
  if (refused) {
    if (fence.key != kNobody && oracles_->is_holder(fence.key, worker)) blame(Deed::refused);
    return false;
  }
  if (token == fence.highest && fence.writer != kNobody && fence.writer != worker)
    blame(Deed::shared);
  fence.highest = token;
  fence.writer = worker;
  return true;
}

void Properties::write_unchecked(std::size_t index, std::size_t worker, FencingToken token) {
  Fencing& fence = fences_[index];
  if (token >= fence.highest) {
    fence.highest = token;
    fence.writer = worker;
    return;
  }
  oracles_->report({.verdict = Class::violation,
                    .oracle = Oracle::fencing,
                    .resource = fence.text,
                    .subject = worker,
                    .other = fence.writer,
                    .deed = Deed::stale});
}

void Properties::check_clean(const Clean& clean, const Inspector& server, Instant now) {
  for (const std::string& key : server.keys()) {
    if (std::find(clean.kept.begin(), clean.kept.end(), key) != clean.kept.end()) continue;
    const std::optional<Instant> deadline = server.deadline(key);
    if (deadline && (clock_went_back_ || *deadline <= now + clean.within)) continue;
    oracles_->report({.verdict = oracles_->blame(),
                      .oracle = Oracle::leaked,
                      .resource = text_index(key),
                      .deed = deadline ? Deed::prolonged : Deed::none,
                      .right = clean.within / std::chrono::milliseconds{1}});
  }
}

void Properties::expect(std::size_t worker, bool condition, std::string_view sentence) {
  if (condition) return;
  oracles_->report({.verdict = Class::violation,
                    .oracle = Oracle::property,
                    .resource = text_index(sentence),
                    .subject = worker});
}

std::uint64_t Properties::state(Instant origin) const {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  const auto add = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * 0xd1342543de82ef95;
    hash ^= hash >> 32;
  };
  for (const Waiting& waiting : waits_) {
    if (!waiting.active) continue;
    add(waiting.key << 32 | waiting.worker << 16 | static_cast<std::uint64_t>(waiting.overtaken));
    add(static_cast<std::uint64_t>((waiting.since - origin).count()));
    const std::optional<Instant> free = oracles_->free_since(waiting.key);
    if (free) add(static_cast<std::uint64_t>((*free - origin).count()));
  }
  for (const Over& over : over_) add(digest(over.token) + over.key);
  for (const Fencing& fence : fences_) {
    add(static_cast<std::uint64_t>(fence.highest.epoch));
    add(static_cast<std::uint64_t>(fence.highest.sequence));
    add(fence.writer);
  }
  for (const Rate& rate : rates_) {
    add(static_cast<std::uint64_t>((Instant{std::chrono::seconds{rate.second}} - origin).count()));
    add(static_cast<std::uint64_t>(rate.count));
  }
  return hash;
}

}  // namespace picklock::race

#include "fuzz/world/oracles.hpp"

#include <algorithm>
#include <utility>

#include "emulator/base/short_text.hpp"

namespace picklock::race {

void Oracles::clear() {
  for (LockKey& key : keys_) {
    key.declared = false;
    key.value.clear();
  }
  stays_.clear();
  properties_.clear();
  histories_.clear();
  finding_ = Finding{};
  excused_ = false;
  owners_ = 0;
}

void Oracles::set_clock(std::size_t node, const LocalClock& clock) {
  if (node >= clocks_.size()) clocks_.resize(node + 1, nullptr);
  clocks_[node] = &clock;
}

/// Redis judges a deadline by whole milliseconds of its own clock and lets the key live at it.
bool Oracles::is_past(const LockKey& key, Instant now) const {
  const Instant wall = clocks_[key.node]->wall(now);
  return wall > *key.deadline && to_unix_ms(wall) > to_unix_ms(*key.deadline);
}

std::size_t Oracles::entry(std::size_t node, std::string_view name) {
  std::size_t index = 0;
  while (index < keys_.size() && (keys_[index].node != node || !is_same(keys_[index].name, name)))
    ++index;
  if (index == keys_.size()) {
    keys_.emplace_back();
    keys_.back().node = node;
    keys_.back().name = name;
  }
  return index;
}

std::size_t Oracles::lock_key(std::size_t node, std::string_view name) {
  const std::size_t index = entry(node, name);
  LockKey& key = keys_[index];
  key.declared = true;
  key.present = false;
  key.writer = kNobody;
  key.deadline.reset();
  key.free_since = Instant{};
  count_owners();
  return index;
}

void Oracles::adopt(std::size_t node, const Inspector& server) {
  for (LockKey& key : keys_) {
    if (!key.declared || key.node != node) continue;
    const Inspector::Key found = server.key(key.name);
    if (!found.exists) continue;
    key.present = true;
    key.value = found.string.value_or(std::string_view{});
    key.deadline = found.deadline;
  }
}

std::size_t Oracles::claimed_key(std::size_t node, std::string_view name, std::size_t worker,
                                 Instant now, const Inspector& server) {
  const std::size_t index = entry(node, name);
  if (keys_[index].declared) return index;
  lock_key(node, name);
  look(index, worker, now, server);
  return index;
}

bool Oracles::is_inside(std::size_t worker) const {
  return std::ranges::any_of(
      stays_, [&](const Stay& stay) { return stay.active && stay.worker == worker; });
}

void Oracles::report(const Finding& finding) {
  if (finding.verdict > finding_.verdict) finding_ = finding;
}

std::size_t Oracles::new_stay(std::size_t exclusive, std::size_t worker) {
  std::size_t slot = 0;
  while (slot < stays_.size() && stays_[slot].active) ++slot;
  Stay& stay = slot < stays_.size() ? stays_[slot] : stays_.push();
  stay.active = true;
  stay.claims = false;
  stay.key = 0;
  stay.weight = 1;
  stay.exclusive = exclusive;
  stay.worker = worker;
  stay.until.reset();
  return slot;
}

std::size_t Oracles::enter(std::size_t exclusive, std::size_t worker, Instant now,
                           const std::vector<WorkerFacts>& workers, std::int64_t weight,
                           std::optional<Instant> until) {
  const std::size_t slot = new_stay(exclusive, worker);
  stays_[slot].weight = weight;
  stays_[slot].until = until ? until : workers[worker].last_deadline;
  check_overlap(slot, now, workers);
  return slot;
}

std::size_t Oracles::enter(std::size_t exclusive, std::size_t worker, std::size_t key,
                           std::string_view token, std::optional<Instant> until, Instant now,
                           const std::vector<WorkerFacts>& workers, const Inspector& server) {
  const std::size_t slot = new_stay(exclusive, worker);
  Stay& stay = stays_[slot];
  stay.claims = true;
  stay.key = key;
  stay.token = token;
  stay.until = until;
  check_overlap(slot, now, workers);
  check_claim(stay, now, server);
  return slot;
}

/// More inside than the section has room for; who enters what it is inside of is still one. The one
/// limit that no lock without fencing can pass: the earlier holder stood still from before its own
/// deadline until after it, so that it could not know that its time was over.
void Oracles::check_overlap(std::size_t slot, Instant now,
                            const std::vector<WorkerFacts>& workers) {
  const Stay& late = stays_[slot];
  const Room room = room_of(late.exclusive);
  std::int64_t all = late.weight;
  std::int64_t awake = late.weight;  // Without those that overslept.
  std::size_t sleeper = kNobody;
  std::size_t other = kNobody;
  for (const Stay& early : stays_) {
    if (!early.active || &early == &late || early.exclusive != late.exclusive) continue;
    if (early.worker == late.worker && room.oracle != Oracle::permits) continue;
    const WorkerFacts& holder = workers[early.worker];
    const bool overslept = early.until && now > *early.until &&
                           holder.frozen_from <= *early.until && holder.frozen_until > *early.until;
    all += early.weight;
    if (!overslept) awake += early.weight;
    std::size_t& named = overslept ? sleeper : other;
    if (named == kNobody) named = early.worker;
  }
  if (all <= room.capacity) return;
  const bool excusable = awake <= room.capacity;
  report({.verdict = excusable ? Class::documented_limit : blame(),
          .oracle = room.oracle,
          .resource = late.exclusive,
          .subject = late.worker,
          .other = excusable ? sleeper : other,
          .deed = excused_ && !excusable ? Deed::excused : Deed::none});
}

void Oracles::check_claim(const Stay& stay, Instant now, const Inspector& server) {
  if (!stay.claims || (stay.until && now > *stay.until)) return;
  const LockKey& key = keys_[stay.key];
  if (server.string(key.name) == stay.token) return;
  const bool found = server.exists(key.name);
  if (found && server.type(key.name) == "hash" && server.field(key.name, stay.token)) return;
  report({.verdict = blame(),
          .oracle = Oracle::belief,
          .resource = stay.key,
          .subject = stay.worker,
          .other = kNobody,
          .deed = found ? Deed::foreign : Deed::missing});
}

bool Oracles::abandon(std::size_t worker) {
  bool any = properties_.abandon(worker);
  for (Stay& stay : stays_) any |= stay.worker == worker && std::exchange(stay.active, false);
  return any;
}

void Oracles::expire(std::size_t node, Instant now) {
  for (LockKey& key : keys_) {
    if (!key.declared || key.node != node || !key.present) continue;
    if (!key.deadline || !is_past(key, now)) continue;
    key.free_since = *free_since(static_cast<std::size_t>(&key - keys_.data()));
    key.present = false;
    set_writer(key, kNobody);
  }
}

std::optional<Instant> Oracles::free_since(std::size_t index) const {
  const LockKey& key = keys_[index];
  if (!key.present) return key.free_since;
  if (!key.deadline) return std::nullopt;
  const Instant last = clocks_[key.node]->world_until_wall_ms(*key.deadline);
  if (last == Instant::max()) return std::nullopt;  // Its clock stands still.
  return last + std::chrono::milliseconds{1};
}

void Oracles::set_room(std::size_t exclusive, Room room) {
  if (exclusive >= rooms_.size()) rooms_.resize(exclusive + 1);
  rooms_[exclusive] = room;
}

void Oracles::look(std::size_t index, std::size_t worker, Instant now, const Inspector& server) {
  LockKey& key = keys_[index];
  const bool was_present = key.present;
  const std::size_t owner = key.writer;
  const Inspector::Key found = server.key(key.name);
  key.present = found.exists;
  if (!key.present) {
    set_writer(key, kNobody);
    key.deadline.reset();
    if (was_present) key.free_since = now;
    if (was_present && owner != worker && owner != kNobody)
      report({Class::violation, Oracle::ownership, index, worker, owner, Deed::freed});
    return;
  }
  const std::string_view value = found.string.value_or(std::string_view{});
  const std::optional<Instant>& deadline = found.deadline;
  // A fault may have left the key to nobody: then nobody can be robbed of it.
  const bool foreign = was_present && owner != worker && owner != kNobody;
  if (foreign && value != key.value)
    report({Class::violation, Oracle::ownership, index, worker, owner, Deed::overwrote});
  else if (foreign && deadline != key.deadline)
    report({Class::violation, Oracle::ownership, index, worker, owner, Deed::prolonged});
  if (!was_present || value != key.value) set_writer(key, worker);
  key.value = value;
  key.deadline = deadline;
}

void Oracles::changed(std::size_t node, std::size_t worker, Instant now, const Inspector& server) {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (!keys_[i].declared || keys_[i].node != node) continue;
    look(i, worker, now, server);
    properties_.changed(i, worker, server);
  }
  for (const Stay& stay : stays_) {
    if (stay.active && stay.claims && keys_[stay.key].node == node) check_claim(stay, now, server);
  }
}

void Oracles::disturbed(std::size_t node, Instant now, const Inspector& server, bool excuses) {
  excused_ |= excuses;
  for (LockKey& key : keys_) {
    if (!key.declared || key.node != node) continue;
    const Inspector::Key found = server.key(key.name);
    const std::string_view value = found.string.value_or(std::string_view{});
    key.present = found.exists;
    if (!key.present) key.free_since = now;
    if (!key.present || value != key.value) set_writer(key, kNobody);
    key.value = value;
    key.deadline = found.deadline;
  }
}

void Oracles::set_writer(LockKey& key, std::size_t worker) {
  if (std::exchange(key.writer, worker) != worker) count_owners();
}

/// Asked for at every step, and seldom another.
void Oracles::count_owners() {
  owners_ = 0;
  for (const LockKey& key : keys_) {
    if (key.declared) owners_ = owners_ * 31 + (key.writer + 2);  // Nobody's number is -1.
  }
}

/// The keys' contents and deadlines are in the servers.
std::uint64_t Oracles::state(Instant origin) const {
  std::uint64_t hash = excused_ ? 2 : 1;
  const auto add = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  };
  for (const LockKey& key : keys_) {
    if (key.declared) add(key.present ? key.writer + 2 : 1);
  }
  for (const Stay& stay : stays_) {
    if (!stay.active) continue;
    add(stay.exclusive << 32 | stay.worker << 16 | stay.key << 1 |
        static_cast<std::uint64_t>(stay.claims));
    add(static_cast<std::uint64_t>(stay.weight));
    if (stay.until) add(static_cast<std::uint64_t>((*stay.until - origin).count()));
  }
  add(properties_.state(origin));
  if (!histories_.empty()) add(histories_.state(origin));
  return hash;
}

/// Between two commands a key can only expire: a holder must not believe for longer than its key
/// lives.
void Oracles::time_passed(Instant now, const std::vector<WorkerFacts>& workers) {
  properties_.time_passed(now, workers);
  histories_.time_passed(now);
  for (const Stay& stay : stays_) {
    if (!stay.active || !stay.claims) continue;
    const LockKey& key = keys_[stay.key];
    if (!key.present || !key.deadline || !is_past(key, now)) continue;
    if (stay.until && !is_past(key, *stay.until)) continue;
    report({.verdict = blame(),
            .oracle = Oracle::belief,
            .resource = stay.key,
            .subject = stay.worker,
            .other = kNobody,
            .deed = Deed::missing});
  }
}

void Oracles::gone(std::size_t worker) {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const LockKey& key = keys_[i];
    if (key.declared && key.present && key.writer == worker && !key.deadline)
      report({.verdict = Class::violation,
              .oracle = Oracle::no_ttl,
              .resource = i,
              .subject = worker});
  }
}

}  // namespace picklock::race

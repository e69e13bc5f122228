#include "fuzz/gallery/gallery.hpp"

#include <array>
#include <memory>

#include "emulator/base/sha1.hpp"
#include "fuzz/gallery/protocol.hpp"
#include "lua/scripts.hpp"

namespace picklock::race {
namespace {

constexpr std::array kLocks{
    GalleryLock{"simple-setnx", "script: SETNX, then EXPIRE in seconds; released by its owner only",
                Class::documented_limit,
                "a ttl of 0 never expires: a crashed holder blocks all for ever", &kSimpleSetnx},
    GalleryLock{"reentrant-hash",
                "script: a hash counts the owner's holds, EXPIRE in seconds; taken twice here",
                Class::documented_limit,
                "a ttl of 0 never expires; taking it again does not lengthen the ttl",
                &kReentrantHash},
    GalleryLock{"set-nx-px", "SET NX PX; released by a script that checks the token",
                Class::documented_limit,
                "none but a pause beyond the ttl, which no lock without fencing survives",
                &kSetNxPx},
    GalleryLock{"del-without-check", "SET NX PX; released by a bare DEL", Class::violation,
                "a late holder frees the lock of the next", &kDelWithoutCheck},
    GalleryLock{"get-then-del", "SET NX PX; released by GET, and DEL if the token fits",
                Class::violation, "the lock may change hands between GET and DEL", &kGetThenDel},
    GalleryLock{"setnx-then-expire", "SETNX, then EXPIRE as a second command; released by a script",
                Class::violation, "a crash between the two leaves a lock that never expires",
                &kSetnxThenExpire},
};

constexpr std::array<std::string_view, 8> kNames{"alice", "bob",   "carol", "dave",
                                                 "erin",  "frank", "grace", "heidi"};

LockScript load(std::string_view name) {
  if (name.empty()) return {};
  const std::string_view source = scripts::find(name);
  const auto digest = sha1_hex(source);
  return {source, std::string{digest.data(), digest.size()}};
}

std::uint64_t digest(std::uint64_t hash, std::string_view text) {
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

}  // namespace

std::span<const GalleryLock> gallery() { return kLocks; }

const GalleryLock* find_lock(std::string_view name) {
  for (const GalleryLock& lock : kLocks) {
    if (lock.name == name) return &lock;
  }
  return nullptr;
}

Scenario make_scenario(const GalleryLock& lock, const LockSettings& settings) {
  const Protocol& protocol = *lock.protocol;
  auto bench = std::make_shared<Bench>();  // Shared, for a Scenario is copied.
  bench->settings = settings;
  bench->acquire = load(protocol.acquire_script);
  bench->release = load(protocol.release_script);
  return [bench, &protocol](World& world) {
    Node& redis = world.redis("redis", [&](Emulator& emulator) {
      Client client = emulator.connect();
      for (const LockScript* script : {&bench->acquire, &bench->release}) {
        if (!script->source.empty()) client.call("SCRIPT", "LOAD", script->source);
      }
    });
    bench->redis = &redis;
    bench->section = &world.exclusive("section");
    world.lock_key(redis, kLockKey);
    for (int i = 0; i < bench->settings.workers; ++i) {
      world.spawn(kNames[static_cast<std::size_t>(i)],
                  [shared = bench.get(), &protocol](Worker& worker) {
                    return take_turns(worker, *shared, protocol);
                  });
    }
  };
}

ExploreOptions make_options(const GalleryLock& lock, const LockSettings& settings) {
  ExploreOptions options;
  options.scenario = lock.name;
  options.parameters = {static_cast<std::uint64_t>(settings.workers),
                        static_cast<std::uint64_t>(settings.rounds),
                        static_cast<std::uint64_t>(settings.ttl_ms)};
  options.configuration = digest(0xcbf29ce484222325, lock.name);
  for (const std::string_view script :
       {lock.protocol->acquire_script, lock.protocol->release_script})
    options.configuration = digest(options.configuration, scripts::find(script));
  options.replay_command = "picklock-fuzz replay ";
  return options;
}

bool read_settings(std::span<const std::uint64_t> parameters, LockSettings& settings) {
  if (parameters.size() != 3) return false;
  if (parameters[0] < 2 || parameters[0] > kNames.size()) return false;
  if (parameters[1] < 1 || parameters[1] > 100 || parameters[2] > 1'000'000'000) return false;
  settings.workers = static_cast<int>(parameters[0]);
  settings.rounds = static_cast<int>(parameters[1]);
  settings.ttl_ms = static_cast<std::int64_t>(parameters[2]);
  return true;
}

}  // namespace picklock::race

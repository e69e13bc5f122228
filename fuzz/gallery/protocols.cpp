// The protocols themselves. Each is as its users write it, weaknesses included.
#include <stdexcept>

#include "fuzz/gallery/protocol.hpp"

namespace picklock::race {
namespace {

/// EVALSHA, and EVAL when the server does not know the script. `ttl` is empty for scripts that take
/// none.
Task<Reply> run_script(Worker& worker, const Bench& bench, const LockScript& script,
                       std::string_view token, std::string_view ttl) {
  const std::array<std::string_view, 6> words{"EVALSHA", script.digest, "1", kLockKey, token, ttl};
  const std::size_t count = ttl.empty() ? words.size() - 1 : words.size();
  const Call by_digest =
      worker.call(*bench.redis, std::span<const std::string_view>{words.data(), count});
  Reply reply = co_await by_digest;
  if (!reply.is_error() || !reply.text().starts_with("NOSCRIPT")) co_return reply;
  std::array<std::string_view, 6> whole = words;
  whole[0] = "EVAL";
  whole[1] = script.source;
  const Call by_source =
      worker.call(*bench.redis, std::span<const std::string_view>{whole.data(), count});
  reply = co_await by_source;
  co_return reply;
}

Task<bool> acquire_by_script(Worker& worker, const Bench& bench, std::string_view token) {
  const std::string ttl = std::to_string(ttl_seconds(bench.settings));
  const Reply reply = co_await run_script(worker, bench, bench.acquire, token, ttl);
  co_return reply.integer() == 1;
}

Task<> release_by_script(Worker& worker, const Bench& bench, std::string_view token) {
  const Reply reply = co_await run_script(worker, bench, bench.release, token, "");
  static_cast<void>(reply.integer());  // Throws if the script answers something else.
}

Task<bool> acquire_by_set(Worker& worker, const Bench& bench, std::string_view token) {
  const Reply reply =
      co_await worker.call(*bench.redis, "SET", kLockKey, token, "NX", "PX", bench.settings.ttl_ms);
  if (reply.is_error()) throw std::runtime_error{reply.text()};
  co_return !reply.is_null();
}

Task<> release_unchecked(Worker& worker, const Bench& bench, std::string_view) {
  const Reply reply = co_await worker.call(*bench.redis, "DEL", kLockKey);
  static_cast<void>(reply.integer());
}

Task<> release_after_get(Worker& worker, const Bench& bench, std::string_view token) {
  const Reply owner = co_await worker.call(*bench.redis, "GET", kLockKey);
  if (owner != token) co_return;
  const Reply reply = co_await worker.call(*bench.redis, "DEL", kLockKey);
  static_cast<void>(reply.integer());
}

Task<bool> acquire_in_two_steps(Worker& worker, const Bench& bench, std::string_view token) {
  const Reply taken = co_await worker.call(*bench.redis, "SETNX", kLockKey, token);
  if (taken.integer() == 0) co_return false;
  const Reply timed =
      co_await worker.call(*bench.redis, "EXPIRE", kLockKey, ttl_seconds(bench.settings));
  static_cast<void>(timed.integer());
  co_return true;
}

}  // namespace

const Protocol kSimpleSetnx{.acquire_script = "simple_setnx_acquire",
                            .release_script = "simple_setnx_release",
                            .acquire = acquire_by_script,
                            .release = release_by_script,
                            .in_seconds = true,
                            .zero_is_for_ever = true};
const Protocol kReentrantHash{.acquire_script = "reentrant_hash_acquire",
                              .release_script = "reentrant_hash_release",
                              .acquire = acquire_by_script,
                              .release = release_by_script,
                              .in_seconds = true,
                              .zero_is_for_ever = true,
                              .depth = 2};
const Protocol kSetNxPx{.acquire_script = "",
                        .release_script = "set_nx_px_release",
                        .acquire = acquire_by_set,
                        .release = release_by_script};
const Protocol kDelWithoutCheck{.acquire_script = "",
                                .release_script = "",
                                .acquire = acquire_by_set,
                                .release = release_unchecked};
const Protocol kGetThenDel{.acquire_script = "",
                           .release_script = "",
                           .acquire = acquire_by_set,
                           .release = release_after_get};
const Protocol kSetnxThenExpire{.acquire_script = "",
                                .release_script = "set_nx_px_release",
                                .acquire = acquire_in_two_steps,
                                .release = release_by_script,
                                .in_seconds = true};

}  // namespace picklock::race

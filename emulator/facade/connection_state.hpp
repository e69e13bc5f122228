// What a Client, its Pendings and its Emulator share.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <picklock/emulator.hpp>

#include "emulator/base/fifo.hpp"
#include "emulator/engine/engine.hpp"
#include "emulator/facade/executor.hpp"
#include "emulator/resp/reply_builder.hpp"

namespace picklock::detail {

/// The emulator's innards, as long as the emulator lives.
struct Core {
  Engine* engine = nullptr;  ///< Null once the emulator is gone.
  Executor* executor = nullptr;

  /// Runs `work()` where the engine lives.
  template <class Work>
  void run(Work&& work) {
    if (!executor) return work();
    executor->run([](void* context) { (*static_cast<std::remove_reference_t<Work>*>(context))(); },
                  &work);
  }
};

struct Connection final : SessionEvents {
  explicit Connection(std::shared_ptr<Core> the_core) : core(std::move(the_core)) {}
  ~Connection() override;

  /// Sends a request behind those that still wait; returns its number.
  std::uint64_t send(Args words);
  /// Whether request `number` has no reply yet, and may have one.
  bool is_waiting(std::uint64_t number) const { return number > answered && !has_lost(); }
  /// Whether the reply to request `number` is there.
  bool has(std::uint64_t number) { return find_numbered(replies, number) != nullptr; }
  /// The reply to request `number`, once; false if it is not there.
  bool take(std::uint64_t number, Reply& reply);
  void resumed() override;
  void restored() override;
  void late_request_ends() override { note_wait(); }
  void output_appeared() override;
  ReplyWriter* message_writer() override { return &message_builder; }
  /// Throws std::logic_error if the emulator or the session has ended.
  void check_open() const;

  std::shared_ptr<Core> core;  // Shared: clients may outlive the emulator, and must notice.
  ReplyBuilder builder;
  ReplyBuilder message_builder;
  std::deque<Reply> messages;  // Published to this client and not taken yet.
  Session* session = nullptr;
  std::uint64_t id = 0;  // The session's, for when both are gone.
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  std::uint64_t wait = 0;  // Blocked::order of the request that blocks; 0: none does.
  Fifo<std::pair<std::uint64_t, Reply>> replies;  // In the order of their numbers.
  std::deque<std::vector<std::string>> queued;    // Sent while a request before them blocks.

  void note_wait() { wait = session->blocked ? session->blocked->order : 0; }

 private:
  void execute(Args words);
  void collect();
  /// Whether requests will never be answered: the connection or the emulator has ended, or a
  /// restored snapshot knows nothing of them.
  bool has_lost() const;
  /// Closes their numbers, so that the next reply is the next request's.
  void forget_lost();

  friend class picklock::Client;
};

}  // namespace picklock::detail

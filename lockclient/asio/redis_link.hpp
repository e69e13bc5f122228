// A link to a real server: requests by ticket, over one session after the other.
//
// Knows which request awaits which reply, what is lost, and when to try again; the bytes are the
// session's business. Belongs to the loop's thread.
#pragma once

#include <asio/steady_timer.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/base/fifo.hpp"
#include "lockclient/asio/loop_impl.hpp"
#include "lockclient/asio/server_session.hpp"

namespace picklock {

class RedisLink final : public Link, private ServerSession::Owner {
 public:
  RedisLink(std::shared_ptr<RedisLoop::Impl> loop, Endpoint endpoint);
  ~RedisLink() override;

  Ticket send(std::span<const std::string_view> words) override;
  std::optional<Reply> reply(Ticket ticket) override;
  Instant now() const override { return RedisLoop::Impl::now(); }
  void wake_at(Instant instant) override;
  std::optional<Reply> message() override;
  bool is_lost(Ticket ticket) const override;
  std::string why_broken() const override { return why_broken_; }
  std::uint64_t connections() const override { return connections_; }
  std::uint64_t random() override;
  bool run_one() override { return loop_->run_one(); }

 private:
  /// A request whose reply has not come. Those that are confirmed by push frames name what they
  /// confirm.
  struct Waiting {
    Ticket ticket = 0;
    std::string confirmation{};  ///< "subscribe", "unsubscribe"...; empty: replied to as usual.
    std::string channel{};       ///< The first one; empty: whichever.
  };

  void speak_resp3() override {}  // Every session does, from its greeting on.
  bool received(Reply reply) override;
  void received_all() override;
  void refused(const Reply& reply) override;
  void broke(const std::string& why) override;
  bool awaits_answers() const override { return !waiting_.empty(); }

  void open();
  void ended();
  void set_alarm(Instant instant);
  void cancel_alarm();
  void rang(Instant instant);
  bool is_confirmation(const Reply& push) const;
  void tell();

  std::shared_ptr<RedisLoop::Impl> loop_;  // Shared: see RedisLoop.
  const Endpoint endpoint_;
  std::shared_ptr<NameLookup> lookup_;      // Shared with the session.
  std::shared_ptr<ServerSession> session_;  // Shared with its own operations. Null: none is open.
  asio::steady_timer alarm_;
  std::shared_ptr<RedisLink*> alive_;  // Watched by the alarm, which may ring once this has gone.
  std::optional<Instant> wake_;        // When the listener is to be told.
  std::optional<Instant> alarm_at_;    // What the alarm is set to: then, or before.
  std::uint64_t connections_ = 1;
  std::uint32_t failures_ = 0;  // Sessions that have ended since the last answer.
  Instant ended_at_{};          // The last session.
  std::string why_broken_;
  Ticket last_ticket_ = 0;
  Fifo<Waiting> waiting_;
  Fifo<std::pair<Ticket, Reply>> arrived_;       // In the order of the tickets.
  std::vector<std::pair<Ticket, Ticket>> lost_;  // From, to; growing. One for each break.
  std::deque<Reply> messages_;
};

}  // namespace picklock

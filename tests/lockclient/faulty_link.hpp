// A link that spoils one of its requests, and tells who watches after each that was carried out.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <picklock/link.hpp>
#include <picklock/local_loop.hpp>

#include "tests/support/catch.hpp"

namespace picklock::test {

/// What happens to a request.
enum class Spoil {
  none,
  drop_request,    ///< It never arrives, and nobody says so.
  drop_reply,      ///< It is carried out, and nobody says so.
  break_before,    ///< The connection breaks before it arrives.
  break_after,     ///< The connection breaks after it was carried out.
  duplicate,       ///< It is carried out twice in a row.
  duplicate_late,  ///< It is carried out once more after `late` further requests of any client.
};

/// Which request of all the clients is spoilt; shared by the links of one run.
struct SpoilPlan {
  Spoil spoil = Spoil::none;
  std::size_t at = 0;
  std::size_t late = 0;
  bool mute = false;         ///< Nothing is carried out any more.
  bool deaf = false;         ///< All is carried out, and no answer arrives.
  std::size_t requests = 0;  ///< Sent so far.
  /// Called before and after the second carrying out of a duplicate, and with both replies.
  std::function<void()> before_duplicate{};
  std::function<void()> between_duplicates{};
  std::function<void(const Reply&, const Reply&)> after_duplicate{};
  std::function<void(const std::string& words)> after_request{};
  /// Sends what was kept back for later.
  std::function<void()> resend{};
  std::size_t resend_at = 0;
};

/// Calls `run(plan)` for each of `positions` requests spoilt in every way; gives how often that
/// was.
template <class Run>
std::size_t spoil_each(std::size_t positions, Run run) {
  std::size_t cases = 0;
  for (const Spoil spoil : {Spoil::drop_request, Spoil::drop_reply, Spoil::break_before,
                            Spoil::break_after, Spoil::duplicate, Spoil::duplicate_late}) {
    for (std::size_t at = 0; at < positions; ++at) {
      const std::size_t latest = spoil == Spoil::duplicate_late ? positions - at : 1;
      for (std::size_t late = 0; late < latest; ++late) {
        INFO("spoil " << static_cast<int>(spoil) << " at " << at << ", " << late << " later");
        SpoilPlan plan{.spoil = spoil, .at = at, .late = late};
        run(plan);
        ++cases;
      }
    }
  }
  return cases;
}

class FaultyLink final : public Link, private Link::Listener {
 public:
  FaultyLink(LocalLoop& loop, Link& inner, SpoilPlan& plan)
      : loop_(loop), inner_(inner), plan_(plan) {
    inner_.listen(this);
  }
  ~FaultyLink() { inner_.listen(nullptr); }

  Ticket send(std::span<const std::string_view> words) override {
    const bool spoilt = plan_.spoil != Spoil::none && plan_.requests == plan_.at;
    ++plan_.requests;
    if (plan_.resend && plan_.requests > plan_.resend_at) std::exchange(plan_.resend, nullptr)();
    const Ticket ticket = ++last_ticket_;
    if (plan_.mute) return ticket;
    if (plan_.deaf) {
      carry_out(words, std::nullopt);
      return ticket;
    }
    if (!spoilt) {
      carry_out(words, ticket);
      return ticket;
    }
    switch (plan_.spoil) {
      case Spoil::drop_request:
        break;
      case Spoil::drop_reply:
        carry_out(words, std::nullopt);
        break;
      case Spoil::break_after:
        carry_out(words, ticket);
        loop_.disconnect(inner_);
        break;
      case Spoil::break_before:
        lost_.push_back(ticket);
        loop_.disconnect(inner_);
        inner_.wake_at(inner_.now());
        break;
      case Spoil::duplicate: {
        const Ticket first = carry_out(words, ticket);
        if (plan_.before_duplicate) plan_.before_duplicate();
        twice_ = Twice{ticket, first, carry_out(words, std::nullopt)};
        if (plan_.between_duplicates) plan_.between_duplicates();
        break;
      }
      case Spoil::duplicate_late:
        carry_out(words, ticket);
        plan_.resend_at = plan_.requests + plan_.late;
        plan_.resend = [this, kept = std::vector<std::string>(words.begin(), words.end())] {
          const std::vector<std::string_view> again(kept.begin(), kept.end());
          carry_out(again, std::nullopt);
        };
        break;
      case Spoil::none:
        carry_out(words, ticket);
    }
    return ticket;
  }

  std::optional<Reply> reply(Ticket ticket) override {
    const auto early = early_.find(ticket);
    if (early != early_.end()) {
      Reply reply = std::move(early->second);
      early_.erase(early);
      return reply;
    }
    const auto inner = tickets_.find(ticket);
    if (inner == tickets_.end()) return std::nullopt;
    std::optional<Reply> reply = inner_.reply(inner->second);
    if (reply) tickets_.erase(inner);
    return reply;
  }
  Instant now() const override { return inner_.now(); }
  void wake_at(Instant instant) override { inner_.wake_at(instant); }
  std::optional<Reply> message() override { return inner_.message(); }
  bool is_lost(Ticket ticket) const override {
    const auto inner = tickets_.find(ticket);
    return (inner != tickets_.end() && inner_.is_lost(inner->second)) ||
           std::find(lost_.begin(), lost_.end(), ticket) != lost_.end();
  }
  std::string why_broken() const override { return "it was spoilt"; }
  std::uint64_t connections() const override { return inner_.connections(); }
  std::uint64_t random() override { return inner_.random(); }
  bool run_one() override { return inner_.run_one(); }

 private:
  void speak_resp3() override {}
  void on_event() override {
    if (twice_) {
      const std::optional<Reply> first = inner_.reply(twice_->first);
      const std::optional<Reply> second = inner_.reply(twice_->second);
      if (first && second && plan_.after_duplicate) plan_.after_duplicate(*first, *second);
      if (first) early_[twice_->ours] = *first;
      twice_.reset();
    }
    if (listener() != nullptr) listener()->on_event();
  }

  Ticket carry_out(std::span<const std::string_view> words, std::optional<Ticket> ticket) {
    const Ticket sent = inner_.send(words);
    if (ticket) tickets_[*ticket] = sent;
    std::string text;
    for (const std::string_view word : words) text.append(text.empty() ? "" : " ").append(word);
    if (plan_.after_request) plan_.after_request(text);
    return sent;
  }

  LocalLoop& loop_;
  Link& inner_;
  SpoilPlan& plan_;
  Ticket last_ticket_ = 0;
  std::map<Ticket, Ticket> tickets_;  ///< Ours -> the inner link's, until it is answered.
  std::vector<Ticket> lost_;
  /// A request that was carried out twice: our ticket, and the inner link's two.
  struct Twice {
    Ticket ours, first, second;
  };
  std::optional<Twice> twice_;
  std::map<Ticket, Reply> early_;
};

}  // namespace picklock::test

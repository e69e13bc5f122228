#include "lockclient/asio/redis_link.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "emulator/resp/request_writer.hpp"

namespace picklock {
namespace {

constexpr Duration kFirstPause = std::chrono::milliseconds{10};
constexpr Duration kLongestPause = std::chrono::seconds{1};

Duration pause_after(std::uint32_t failures) {
  if (failures == 0) return {};
  return std::min(kFirstPause * (1 << std::min(failures - 1, 7U)), kLongestPause);
}

/// In lower case, as push frames name it, if it is one that they confirm.
std::string confirmation_of(std::string_view command) {
  std::string name{command};
  for (char& letter : name) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return name.ends_with("subscribe") ? name : std::string{};
}

}  // namespace

RedisLink::RedisLink(std::shared_ptr<RedisLoop::Impl> loop, Endpoint endpoint)
    : loop_(std::move(loop)),
      endpoint_(std::move(endpoint)),
      lookup_(std::make_shared<NameLookup>(loop_->executor, endpoint_.host, endpoint_.port)),
      alarm_(loop_->executor),
      alive_(std::make_shared<RedisLink*>(this)) {}

RedisLink::~RedisLink() {
  if (session_) session_->finish();
}

Link::Ticket RedisLink::send(std::span<const std::string_view> words) {
  // A server would not answer it, and each later request would have the reply of the next one.
  if (words.empty()) throw std::invalid_argument("a request needs at least one word");
  if (!session_) open();
  const Ticket ticket = ++last_ticket_;
  Waiting& waiting = waiting_.emplace_back();
  waiting.ticket = ticket;
  waiting.confirmation = confirmation_of(words[0]);
  if (!waiting.confirmation.empty() && words.size() > 1) waiting.channel = words[1];
  append_request(session_->output(), words);
  session_->flush();
  return ticket;  // What was noted of it may have been done with by now.
}

void RedisLink::open() {
  ServerSession::Owner& owner = *this;
  session_ = std::make_shared<ServerSession>(loop_->executor, endpoint_, lookup_, owner);
  session_->start(ended_at_ + pause_after(failures_) - now());
}

std::optional<Reply> RedisLink::reply(Ticket ticket) {
  auto* const it =
      std::lower_bound(arrived_.begin(), arrived_.end(), ticket,
                       [](const auto& one, Ticket named) { return one.first < named; });
  if (it == arrived_.end() || it->first != ticket) return std::nullopt;
  std::optional<Reply> reply{std::move(it->second)};
  arrived_.erase(it);
  return reply;
}

std::optional<Reply> RedisLink::message() {
  if (messages_.empty()) return std::nullopt;
  std::optional<Reply> message{std::move(messages_.front())};
  messages_.pop_front();
  return message;
}

bool RedisLink::is_lost(Ticket ticket) const {
  const auto after =
      std::upper_bound(lost_.begin(), lost_.end(), ticket,
                       [](Ticket one, const auto& range) { return one < range.first; });
  return after != lost_.begin() && ticket <= std::prev(after)->second;
}

std::uint64_t RedisLink::random() {
  const std::uint64_t high = loop_->random();
  return high << 32 | loop_->random();
}

void RedisLink::wake_at(Instant instant) {
  if (listener() == nullptr && wake_) instant = std::min(*wake_, instant);
  if (instant == Instant::max()) {
    wake_.reset();
    if (!session_) cancel_alarm();
    return;
  }
  wake_ = instant;
  // The kernel need not hear of each request's limit: an alarm that rings too early is set again.
  if (!alarm_at_ || *alarm_at_ > instant) set_alarm(instant);
}

void RedisLink::set_alarm(Instant instant) {
  alarm_at_ = instant;
  // An alarm that rings too early is set again, and the clock's nanoseconds must not overflow.
  constexpr Duration kLongest = std::chrono::hours{24 * 365 * 100};
  const Instant rings = std::min(instant, now() + kLongest);
  alarm_.expires_at(std::chrono::steady_clock::time_point{rings.time_since_epoch()});
  alarm_.async_wait([weak = std::weak_ptr{alive_}, instant](const asio::error_code& error) {
    const auto alive = weak.lock();
    if (!error && alive) (*alive)->rang(instant);
  });
}

void RedisLink::cancel_alarm() {
  alarm_at_.reset();
  alarm_.cancel();
}

void RedisLink::rang(Instant instant) {
  if (alarm_at_ != instant) return;  // Another took its place.
  alarm_at_.reset();
  if (!wake_) return;
  if (*wake_ > now()) return set_alarm(*wake_);
  wake_.reset();
  tell();
}

bool RedisLink::is_confirmation(const Reply& push) const {
  if (waiting_.empty() || waiting_.front().confirmation.empty() || push.size() < 2) return false;
  const Waiting& first = waiting_.front();
  return push[0] == first.confirmation && (first.channel.empty() || push[1] == first.channel);
}

bool RedisLink::received(Reply reply) {
  if (reply.type() == Reply::Type::push && !is_confirmation(reply)) {
    messages_.push_back(std::move(reply));
    return true;
  }
  if (waiting_.empty()) return false;
  failures_ = 0;
  arrived_.emplace_back(waiting_.front().ticket, std::move(reply));
  waiting_.pop_front();
  return true;
}

void RedisLink::received_all() { tell(); }

// Nothing of what waits has been carried out, and this is why.
void RedisLink::refused(const Reply& reply) {
  for (const Waiting& one : waiting_) arrived_.emplace_back(one.ticket, reply);
  waiting_.clear();
  ended();
}

void RedisLink::broke(const std::string& why) {
  why_broken_ = endpoint_.address() + ": " + why;
  if (!waiting_.empty()) lost_.emplace_back(waiting_.front().ticket, waiting_.back().ticket);
  waiting_.clear();
  ended();
}

void RedisLink::ended() {
  session_.reset();
  ended_at_ = now();
  ++failures_;
  ++connections_;
  if (!wake_) cancel_alarm();
  tell();
}

void RedisLink::tell() {
  if (listener() != nullptr) listener()->on_event();
}

}  // namespace picklock

#include <algorithm>
#include <utility>

#include "emulator/facade/connection_state.hpp"

namespace picklock {

namespace detail {

Connection::~Connection() {
  if (!core->engine || !session) return;
  core->run([this] { core->engine->close(*session); });
}

void Connection::check_open() const {
  if (!core->engine)
    throw std::logic_error("the emulator of this client is gone: destroy clients first");
  if (session->closing)
    throw std::logic_error(
        "the server has closed this connection: connect a new client with Emulator::connect()");
}

bool Connection::has_lost() const {
  return answered < sent && (!core->engine || session->closing || !session->is_blocked());
}

void Connection::forget_lost() {
  if (!has_lost()) return;
  queued.clear();
  answered = sent;
}

void Connection::collect() {
  if (builder.complete()) {
    replies.emplace_back(++answered, builder.take());
    // A restored snapshot blocked a request again that had its reply: this one is nobody's.
    sent = std::max(sent, answered);
    return;
  }
  // A client that has turned its replies off gets nil for each.
  if (answered < sent && !session->is_blocked() && !session->closing)
    replies.emplace_back(++answered, Reply{});
}

void Connection::execute(Args words) {
  core->engine->execute(*session, words);
  note_wait();
  collect();
}

// Numbers are for what was sent in the time that is: the reply to what a snapshot blocks again is
// nobody's.
void Connection::restored() {
  const std::uint64_t before = std::exchange(wait, 0);
  note_wait();
  if (wait != 0 && wait == before && answered < sent) return;
  if (!queued.empty()) queued.clear();  // To clear an empty one takes a while.
  answered = sent;
  if (wait != 0) ++sent;
}

std::uint64_t Connection::send(Args words) {
  check_open();
  forget_lost();
  ++sent;
  if (session->is_blocked())
    queued.emplace_back(words.begin(), words.end());
  else
    execute(words);
  return sent;
}

void Connection::resumed() {
  note_wait();
  collect();
  while (!queued.empty() && !session->is_blocked() && !session->closing) {
    const std::vector<std::string> words = std::move(queued.front());
    queued.pop_front();
    execute(std::vector<std::string_view>(words.begin(), words.end()));
  }
}

void Connection::output_appeared() {
  if (message_builder.complete()) messages.push_back(message_builder.take());
}

bool Connection::take(std::uint64_t number, Reply& reply) {
  auto* const it = find_numbered(replies, number);
  if (it == nullptr) return false;
  reply = std::move(it->second);
  replies.erase(it);
  return true;
}

}  // namespace detail

namespace {
[[noreturn]] void throw_would_block(Args words) {
  std::string request;
  for (const std::string_view word : words)
    request += (request.empty() ? "" : " ") + std::string{word};
  throw WouldBlock(
      request +
      " blocks: send it with Client::send() and advance the clock, or let another client wake it");
}

[[noreturn]] void throw_reply_lost() {
  throw ReplyLost("a fault has lost this request or its reply: see Emulator::faults()");
}

/// What a Client or a Pending stands for, unless it was moved from.
detail::Connection& connection_of(const std::shared_ptr<detail::Connection>& connection) {
  if (!connection)
    throw std::logic_error("this handle was moved from: use the one that took its place");
  return *connection;
}

void check_words(Args words) {
  if (words.empty()) throw std::invalid_argument("a request needs at least the command's name");
}
}  // namespace

Reply Client::call(std::span<const std::string_view> words) {
  check_words(words);
  Reply result;
  detail::Connection& connection = connection_of(connection_);
  connection.core->run([&] {
    connection.check_open();
    if (connection.session->is_blocked())
      throw WouldBlock(
          "an earlier request of this client still blocks: advance the clock, or use another "
          "client");
    connection.forget_lost();
    ++connection.sent;
    connection.core->engine->execute(*connection.session, words);
    if (connection.session->silenced) {
      --connection.sent;
      throw_reply_lost();
    }
    if (connection.session->is_blocked()) {
      connection.core->engine->withdraw(*connection.session);
      --connection.sent;
      throw_would_block(words);
    }
    ++connection.answered;
    // A client that has turned its replies off gets nil.
    if (connection.builder.complete()) result = connection.builder.take();
  });
  return result;
}

Pending Client::send(std::span<const std::string_view> words) {
  check_words(words);
  std::uint64_t number = 0;
  detail::Connection& connection = connection_of(connection_);
  connection.core->run([&] { number = connection.send(words); });
  return Pending{connection_, number};
}

std::optional<Reply> Client::next_message() {
  std::optional<Reply> message;
  connection_of(connection_).core->run([&] {
    auto& messages = connection_->messages;
    if (messages.empty()) return;
    message = std::move(messages.front());
    messages.pop_front();
  });
  return message;
}

bool Client::is_blocked() const {
  bool blocked = false;
  connection_of(connection_).core->run([&] {
    blocked = connection_->core->engine && connection_->session->is_blocked();
  });
  return blocked;
}

bool Client::is_connected() const {
  if (!connection_) return false;
  bool connected = false;
  connection_->core->run(
      [&] { connected = connection_->core->engine && !connection_->session->closing; });
  return connected;
}

std::uint64_t Client::id() const { return connection_of(connection_).id; }

bool Pending::is_blocked() const {
  bool waiting = false;
  connection_of(connection_).core->run([&] { waiting = connection_->is_waiting(number_); });
  return waiting;
}

bool Pending::is_lost() const {
  bool lost = false;
  connection_of(connection_).core->run([&] {
    lost = !connection_->is_waiting(number_) && !connection_->has(number_);
  });
  return lost;
}

bool Pending::is_there() const {
  bool is_there = false;
  connection_of(connection_).core->run([&] { is_there = connection_->has(number_); });
  return is_there;
}

std::optional<Reply> Pending::poll() {
  std::optional<Reply> reply;
  connection_of(connection_).core->run([&] {
    if (number_ <= connection_->answered && !connection_->take(number_, reply.emplace()))
      reply.reset();
  });
  return reply;
}

Reply Pending::reply() {
  Reply reply;
  bool is_there = false;
  connection_of(connection_).core->run([&] {
    if (number_ > connection_->answered) connection_->check_open();
    if (connection_->is_waiting(number_) && connection_->session->silenced) throw_reply_lost();
    if (connection_->is_waiting(number_))
      throw WouldBlock(
          "the reply is still held back: advance the clock, or let another client wake it");
    is_there = connection_->take(number_, reply);
  });
  if (!is_there)
    throw std::logic_error(
        "this reply was taken before, or a restored snapshot knows nothing of its request: keep "
        "the Reply, not the Pending");
  return reply;
}

}  // namespace picklock

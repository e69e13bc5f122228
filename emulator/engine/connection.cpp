#include "emulator/engine/connection.hpp"

#include <array>
#include <span>

namespace picklock {

Connection::Connection(Engine& engine, Driver* driver, std::string_view peer,
                       std::string_view local)
    : engine_(engine), driver_(driver), session_(engine.open(writer_, this, peer, local)) {}

Connection::~Connection() { engine_.close(session_); }

namespace {
// A client that asks for more than this without reading is served no further until it reads; it may
// well send everything first. Redis executes whatever comes, and relies on its output limits.
constexpr std::size_t kMuchOutput = 1024 * 1024;
// Others have their turns after so many requests: more than one read of a socket brings, fewer than
// may have gathered meanwhile.
constexpr std::size_t kMostAtOnce = 4096;
constexpr std::size_t kAhead = Dict<KeyEntry>::kPrefetched;
}  // namespace

void Connection::resume_as(const SessionState& before) {
  Identity& identity = session_.identity.edit();
  identity.name = before.identity->name;
  identity.user = before.identity->user;
  identity.library_name = before.identity->library_name;
  identity.library_version = before.identity->library_version;
  session_.steers = before.steers;
  session_.database = before.database;
  session_.resp_version = before.resp_version;
  session_.authenticated = before.authenticated;
  session_.unrestricted = before.unrestricted;
  writer_.set_version(before.resp_version);
}

std::size_t Connection::receive(std::string_view bytes) {
  if (should_close()) return 0;
  parser_.feed(bytes);
  // Redis: client-query-buffer-limit. What makes a request too large is not answered.
  if (static_cast<std::int64_t>(parser_.unparsed()) >
      engine_.config.watching().query_buffer_bytes) {
    session_.closing = session_.output_is_void = true;
    output_.clear();
    return 0;
  }
  return pump();
}

std::size_t Connection::drained() {
  if (!held_back_ || unsent() > 0) return 0;
  held_back_ = false;
  return pump();
}

void Connection::output_appeared() {
  if (executing_ > 0) return;
  check_output();
  if (driver_) driver_->output_ready(*this);
}

void Connection::check_output() {
  if (!session_.closing) engine_.check_output(session_, unsent());
  if (session_.output_is_void) output_.clear();
}

std::size_t Connection::pump() {
  ++executing_;
  engine_.begin_turn();
  const std::size_t executed = execute_complete_requests();
  engine_.end_turn();  // Others whose waits are over go on in it, and so may a script of theirs.
  --executing_;
  check_output();
  return executed;
}

void Connection::late_request_ends() {
  --executing_;
  output_appeared();
}

// A client that is cut off at a limit is not spared it.
bool Connection::is_limited() const {
  const OutputLimit& limit = engine_.config.output_limits().of(session_.output_class());
  return limit.hard_bytes > 0 || limit.soft_bytes > 0;
}

// In a pipeline, the keys of requests to come are on their way from memory while others are served.
void Connection::fetch_ahead() {
  const Database* const database = engine_.keyspace.at(session_.database);
  if (!database || !database->keys().is_far()) return;
  std::array<std::string_view, kAhead> keys;
  const std::size_t found = parser_.look_ahead(keys);
  if (found > 1) database->keys().prefetch(std::span{keys}.first(found));
}

std::size_t Connection::execute_complete_requests() {
  std::size_t executed = 0;
  while (!session_.is_blocked() && !session_.closing && !engine_.is_abandoned) {
    held_back_ = parser_.buffered() > 0 &&
                 (executed == kMostAtOnce || (unsent() > kMuchOutput && !is_limited()));
    if (held_back_) break;
    if (executed % kAhead == 0 && parser_.buffered() > 0) fetch_ahead();
    parser_.max_bulk_bytes = engine_.config.max_bulk_bytes();
    const auto status = parser_.next(session_.authenticated || !engine_.acl.requires_login());
    if (status == RequestParser::Status::incomplete) break;
    if (status == RequestParser::Status::empty) {
      engine_.end_request(session_, nullptr);
      continue;
    }
    if (status == RequestParser::Status::error) {
      engine_.replies_to(session_).error(parser_.error());
      session_.closing = true;
      break;
    }
    engine_.execute(session_, parser_.words());
    check_output();
    ++executed;
  }
  return executed;
}

void Connection::resumed() {
  pump();
  if (driver_) driver_->output_ready(*this);
}

}  // namespace picklock

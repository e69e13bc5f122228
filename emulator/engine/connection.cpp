#include "emulator/engine/connection.hpp"

namespace picklock {

Connection::Connection(Engine& engine, Driver* driver, std::string_view peer,
                       std::string_view local)
    : engine_(engine), driver_(driver), session_(engine.open(writer_, this, peer, local)) {}

Connection::~Connection() { engine_.close(session_); }

void Connection::receive(std::string_view bytes) {
  if (should_close()) return;
  parser_.feed(bytes);
  pump();
}

void Connection::output_appeared() {
  if (driver_ && !pumping_) driver_->output_ready(*this);
}

void Connection::pump() {
  pumping_ = true;
  engine_.begin_turn();
  execute_complete_requests();
  pumping_ = false;
  engine_.end_turn();
}

void Connection::execute_complete_requests() {
  while (!session_.is_blocked() && !session_.closing) {
    parser_.max_bulk_bytes = engine_.config.max_bulk_bytes();
    const auto status = parser_.next(session_.authenticated || !engine_.acl.requires_login());
    if (status == RequestParser::Status::incomplete) return;
    if (status == RequestParser::Status::error) {
      writer_.error(parser_.error());
      session_.closing = true;
      return;
    }
    engine_.execute(session_, parser_.words());
    if (session_.output_is_void) output_.clear();
  }
}

void Connection::resumed() {
  pump();
  if (driver_) driver_->output_ready(*this);
}

}  // namespace picklock

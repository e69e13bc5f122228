#include "emulator/engine/primary_link.hpp"

#include <limits>
#include <utility>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/resp/request_writer.hpp"

namespace picklock {
namespace {

using Link = Replication::Link;

constexpr std::size_t kLongestLine = 64 * 1024;
constexpr std::size_t kMarkBytes = 40;
constexpr std::int64_t kLastOffset = std::int64_t{1} << 62;

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const auto end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

bool is_history(std::string_view id) {
  return id.size() == 40 && id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

bool PrimaryLink::fail(std::string why) {
  trouble_ = std::move(why);
  step_ = Step::failed;
  return false;
}

void PrimaryLink::ask(std::initializer_list<std::string_view> words) {
  append_request(output_, std::span{words.begin(), words.size()});
}

void PrimaryLink::connect() {
  engine_.replication.link = Link::connecting;
  breaks_ = engine_.breaks();
}

void PrimaryLink::begin() {
  engine_.replication.link = Link::handshake;
  step_ = Step::ping;
  ask({"PING"});
}

void PrimaryLink::end() {
  step_ = Step::none;
  for (std::string* text : {&input_, &output_, &mark_}) text->clear();
  parser_.reset();
  units_.clear();
  open_.clear();
  if (engine_.replication.over_network)
    engine_.lose_primary();
  else
    database_ = 0;  // Another history has begun here.
}

void PrimaryLink::receive(std::string_view bytes) {
  if (step_ == Step::stream && !working_)
    parser_.feed(bytes);
  else
    input_ += bytes;
  engine_.replication.heard_at = engine_.clock.now();
  work();
}

void PrimaryLink::go_on() { work(); }

// A slow script lets others have their turns, the driver of this link too.
bool PrimaryLink::must_wait() const {
  return working_ || engine_.script != nullptr || is_overtaken();
}

void PrimaryLink::work() {
  if (must_wait()) return;
  working_ = true;
  while (take_step()) {
  }
  working_ = false;
}

std::optional<std::string> PrimaryLink::take_line() {
  const auto end = input_.find('\n');
  if (end == std::string::npos) {
    if (input_.size() > kLongestLine) fail("the primary answers without an end");
    return std::nullopt;
  }
  std::string line = input_.substr(0, end);
  input_.erase(0, end + 1);
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

/// Does what can be done with what is there; false if nothing can.
bool PrimaryLink::take_step() {
  if (step_ == Step::none || step_ == Step::failed) return false;
  if (step_ == Step::data) return read_data();
  if (step_ == Step::stream) return read_effects();
  const auto line = take_line();
  if (!line) return false;
  if (step_ == Step::ping) return read_pong(*line);
  if (step_ == Step::psync) return read_answer(*line);
  if (step_ == Step::size) return read_size(*line);
  if (step_ == Step::auth) {
    if (line->starts_with('-')) return fail("the primary refuses AUTH: " + *line);
    step_ = Step::replconf;
    return true;
  }
  // Redis does not mind a primary that knows no REPLCONF.
  if (--replies_left_ == 0) return ask_for_stream();
  return true;
}

// An error that asks for a password is an answer of a server that is there.
bool PrimaryLink::read_pong(std::string_view line) {
  if (line.starts_with('-') && !line.starts_with("-NOAUTH") && !line.starts_with("-NOPERM") &&
      !line.starts_with("-ERR operation not permitted"))
    return fail("the primary answers PING by " + std::string{line});
  return introduce();
}

bool PrimaryLink::introduce() {
  const Config& config = engine_.config;
  step_ = Step::replconf;
  if (const auto password = config.get("masterauth"); !password.empty()) {
    step_ = Step::auth;
    if (const auto user = config.get("masteruser"); !user.empty())
      ask({"AUTH", user, password});
    else
      ask({"AUTH", password});
  }
  const bool announced = config.number("replica-announce-port") != 0;
  ask({"REPLCONF", "listening-port", config.get(announced ? "replica-announce-port" : "port")});
  replies_left_ = 2;
  if (const auto host = config.get("replica-announce-ip"); !host.empty()) {
    ask({"REPLCONF", "ip-address", host});
    ++replies_left_;
  }
  ask({"REPLCONF", "capa", "eof", "capa", "psync2"});
  return true;
}

// What this server has is a place in some history, its own one if need be: who was primary may be
// able to follow its successor without all the data.
bool PrimaryLink::knows_its_place() const {
  return engine_.feed && engine_.replication.has_backlog;
}

bool PrimaryLink::ask_for_stream() {
  step_ = Step::psync;
  const Replication& replication = engine_.replication;
  if (knows_its_place())
    ask({"PSYNC", replication.ids->first, to_text(replication.offset + 1)});
  else
    ask({"PSYNC", "?", "-1"});
  return true;
}

bool PrimaryLink::read_answer(std::string_view line) {
  if (line.empty()) return true;  // It is alive, and takes its time.
  const auto words = split(line);
  if (words.empty()) return fail("the primary answers PSYNC by blanks");
  if (words[0] == "+FULLRESYNC") {
    const auto offset = words.size() == 3 ? parse_int64(words[2]) : std::nullopt;
    if (!offset || *offset < 0 || *offset > kLastOffset || !is_history(words[1]))
      return fail("the primary answers PSYNC by " + std::string{line});
    history_ = words[1];
    offset_ = *offset;
  } else if (words[0] == "+CONTINUE") {
    const std::string_view id = words.size() > 1 ? words[1] : std::string_view{};
    if (!id.empty() && !is_history(id))
      return fail("the primary answers PSYNC by " + std::string{line});
    if (!knows_its_place()) return fail("the primary goes on with nothing");
    engine_.resume_history(id, database_);
    stream_begins();
    return true;
  } else if (line.starts_with("-NOMASTERLINK") || line.starts_with("-LOADING") ||
             !line.starts_with('-')) {
    return fail("the primary answers PSYNC by " + std::string{line});
  } else {  // One that is older than PSYNC.
    history_ = std::string(40, '0');
    offset_ = 0;
    ask({"SYNC"});
  }
  step_ = Step::size;
  engine_.replication.link = Link::sync;
  return true;
}

bool PrimaryLink::read_size(std::string_view line) {
  if (line.empty()) return true;
  if (line.starts_with('-')) return fail("the primary gives up: " + std::string{line});
  if (!line.starts_with('$'))
    return fail("the primary sends no data, but " + std::string{line.substr(0, 80)});
  line.remove_prefix(1);
  mark_.clear();
  searched_ = 0;
  if (line.starts_with("EOF:") && line.size() == 4 + kMarkBytes) {
    mark_ = line.substr(4);
  } else {
    const auto size = parse_int64(line);
    if (!size || *size < 0)
      return fail("the primary sends data of the size " + std::string{line.substr(0, 80)});
    size_ = static_cast<std::size_t>(*size);
  }
  step_ = Step::data;
  return true;
}

bool PrimaryLink::read_data() {
  std::size_t size = size_;
  if (!mark_.empty()) {
    size = input_.find(mark_, searched_);
    if (size == std::string::npos) {
      searched_ = input_.size() - std::min(input_.size(), kMarkBytes - 1);
      return false;
    }
  } else if (input_.size() < size) {
    return false;
  }
  const std::string data = std::exchange(input_, {});
  input_ = data.substr(size + mark_.size());
  const auto error = engine_.take_over(std::string_view{data}.substr(0, size), history_, offset_);
  if (error) return fail("the primary's data cannot be read: " + *error);
  stream_begins();
  return true;
}

void PrimaryLink::stream_begins() {
  step_ = Step::stream;
  database_ = engine_.stream_database();
  parser_.reset();
  parser_.max_bulk_bytes = std::numeric_limits<std::int64_t>::max() / 4;
  parser_.feed(std::exchange(input_, {}));
  acknowledge();
}

// Bytes count: a primary that says things in other words than effects have would not agree with
// this server on where they are.
bool PrimaryLink::read_effects() {
  while (step_ == Step::stream && engine_.replication.over_network && !is_overtaken()) {
    if (!units_.empty()) {  // While clients are paused nothing may change.
      if (engine_.holds_back_writes() || engine_.script != nullptr) return false;
      const Unit unit = std::move(units_.front());
      units_.pop_front();
      carry_out(unit);
      continue;
    }
    if (!input_.empty()) parser_.feed(std::exchange(input_, {}));
    const std::size_t before = parser_.buffered();
    const auto status = parser_.next();
    const std::size_t size = before - parser_.buffered();
    if (status == RequestParser::Status::incomplete && size == 0) return false;
    if (status == RequestParser::Status::error)
      return fail("the primary's stream is none: " + std::string{parser_.error()});
    const Args words = parser_.words();
    Effect effect(words.begin(), words.end());
    if (words.empty() || static_cast<std::size_t>(encoded_size(effect)) != size)
      return fail("the primary's stream is not made of whole commands");
    add_to_unit(std::move(effect));
  }
  return false;
}

/// What belongs together is carried out together, and lost together if its end does not come.
bool PrimaryLink::add_to_unit(Effect effect) {
  const bool opens = is_word(effect[0], "multi");
  const bool closes = is_word(effect[0], "exec");
  if (open_.empty() && !opens) return units_.push_back({std::move(effect)}), true;
  open_.push_back(std::move(effect));
  if (closes) units_.push_back(std::exchange(open_, {}));
  return true;
}

void PrimaryLink::carry_out(const Unit& unit) {
  engine_.begin_turn();
  for (const Effect& effect : unit) {
    if (effect.size() > 1 && is_word(effect[0], "replconf") && is_word(effect[1], "getack"))
      acknowledge();  // Without what asks for it.
    engine_.apply(effect);
  }
  if (step_ == Step::stream)
    database_ = engine_.stream_database();  // It may have broken meanwhile.
  engine_.end_turn();
}

void PrimaryLink::acknowledge() {
  if (step_ == Step::stream) ask({"REPLCONF", "ACK", to_text(engine_.replication.offset)});
}

}  // namespace picklock

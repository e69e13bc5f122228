// A replica's end of the connection to its primary, without I/O: the handshake, the data, the
// stream.
//
// A driver connects, gives what arrives to receive(), sends output(), and closes the connection
// once has_failed(). It calls go_on() whenever the engine has worked, for what had to wait, and
// acknowledge() every second of real time. Nothing that a primary sends is trusted: what is no
// replication ends the link. Redis 7.0: syncWithMaster and readSyncBulkPayload in replication.c.
// One for each engine, for as long as that lives; belongs to the engine's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/engine/engine.hpp"
#include "emulator/resp/request_parser.hpp"

namespace picklock {

class PrimaryLink {
 public:
  explicit PrimaryLink(Engine& engine) : engine_(engine), breaks_(engine.breaks()) {}

  /// A connection is being made.
  void connect();
  /// It stands: the handshake begins.
  void begin();
  void receive(std::string_view bytes);
  /// Goes on with what waited for a script or a pause to end.
  void go_on();
  /// REPLCONF ACK, if there is a stream.
  void acknowledge();
  /// The connection is gone.
  void end();

  /// Bytes to send; the driver takes them out.
  std::string& output() { return output_; }
  /// Whether the connection has to be closed.
  bool has_failed() const { return step_ == Step::failed; }
  /// Whether the engine's data are no longer those of the link: it has to connect anew.
  bool is_overtaken() const { return breaks_ != engine_.breaks(); }
  /// Why the last connection ended by this side's will; for people.
  const std::string& trouble() const { return trouble_; }

 private:
  enum class Step : std::uint8_t { none, ping, auth, replconf, psync, size, data, stream, failed };
  using Unit = std::vector<Effect>;

  void work();
  std::optional<std::string> take_line();
  bool take_step();
  bool read_pong(std::string_view line);
  bool introduce();
  bool ask_for_stream();
  bool read_answer(std::string_view line);
  bool read_size(std::string_view line);
  bool read_data();
  bool read_effects();
  bool add_to_unit(Effect effect);
  void carry_out(const Unit& unit);
  void stream_begins();
  bool fail(std::string why);
  void ask(std::initializer_list<std::string_view> words);
  bool must_wait() const;
  bool knows_its_place() const;

  Engine& engine_;
  std::uint64_t breaks_;
  Step step_ = Step::none;
  std::string input_;
  std::string output_;
  std::string trouble_;
  int replies_left_ = 0;  // Of REPLCONF.
  // What +FULLRESYNC has said, and how the data end: at a size or at a mark.
  std::string history_;
  std::int64_t offset_ = 0;
  std::size_t size_ = 0;
  std::string mark_;
  std::size_t searched_ = 0;
  RequestParser parser_;
  std::deque<Unit> units_;  // Whole ones that wait.
  Unit open_;               // Between MULTI and EXEC.
  int database_ = 0;        // That the stream had selected when it broke.
  bool working_ = false;
};

}  // namespace picklock

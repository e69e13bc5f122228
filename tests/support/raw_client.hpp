// A connection to a real server over a Unix socket that sends and receives raw bytes.
//
// Blocking unless said otherwise, one thread. Not a Redis client: it knows requests only as bytes,
// and replies only as ReplyParser reads them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <picklock/reply.hpp>

#include "emulator/resp/reply_parser.hpp"

namespace picklock::test {

class RawClient {
 public:
  /// Connects; throws TargetDied when nobody listens.
  explicit RawClient(const std::string& socket_path);
  ~RawClient();
  RawClient(RawClient&& other) noexcept;
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  /// Sends all of `bytes`, reading replies meanwhile so that neither side waits for the other for
  /// ever.
  void send(std::string_view bytes);
  /// What has arrived so far, without waiting.
  std::string drain();
  /// The same, waiting up to `patience_ms` for something to come.
  std::string drain(int patience_ms);
  /// Whether the server has read everything that was sent.
  bool all_was_read() const;
  bool closed() const { return closed_; }

  /// Sends one request and waits for its reply; throws TargetDied when the connection ends before.
  Reply call(std::span<const std::string_view> words);
  Reply call(std::initializer_list<std::string_view> words) {
    return call(std::span<const std::string_view>{words.begin(), words.size()});
  }

 private:
  void receive(bool wait);

  int fd_;
  bool closed_ = false;
  std::string received_;
  ReplyParser parser_;
};

}  // namespace picklock::test

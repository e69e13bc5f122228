// Plays the steps of a transcript on a target, and says what came back.
//
// Opens a connection for each client at its first line; in protocol 3 each starts with HELLO 3.
// Holds the target; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <picklock/reply.hpp>

#include "emulator/resp/reply_parser.hpp"
#include "tests/support/target.hpp"
#include "tests/support/transcript.hpp"

namespace picklock::test {

/// What a step brought: replies, or bytes for a raw client.
struct Outcome {
  std::vector<Reply> replies;
  std::string bytes;
  bool raw = false;
  bool closed = false;
  std::int64_t now_ms = 0;  // The server's time when the step began, if the step speaks of {now}.
};

class Player {
 public:
  Player(Target& target, int protocol) : target_(target), protocol_(protocol) {}

  /// Throws std::runtime_error for a step that cannot be played (unbalanced quotes).
  Outcome play(const Step& step);

 private:
  struct Client {
    std::unique_ptr<Channel> channel;
    ReplyParser parser;
    std::vector<Reply> early;  // Came before the transcript asked for it.
  };

  Client& client(const std::string& name, bool raw);
  std::vector<std::string> expand_words(const Step& step, std::int64_t now_ms) const;
  void collect(Client& client, std::string bytes, Outcome& outcome);

  Target& target_;
  int protocol_;
  std::map<std::string, Client> clients_;
  std::string last_text_;  // What {last} stands for.
  std::string last_integer_;
};

}  // namespace picklock::test

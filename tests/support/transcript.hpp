// Golden transcripts: a session with the server in redis-cli notation, and how to read and write
// one.
//
// The notation is described in tests/transcripts/README.md. This file knows the text only; playing
// it is transcript_player.hpp, comparing it transcript_match.hpp. Values; not thread-safe.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace picklock::test {

struct Step {
  enum class Kind : std::uint8_t {
    text,     // a comment or an empty line
    command,  // alice> GET k
    raw,      // raw> "*1\r\n$4\r\nPING\r\n"
    read,     // alice<
    wait,     // ~ 12ms
  };
  Kind kind = Kind::text;
  int line = 0;
  std::string source;               // The line as it stands in the file.
  std::string client;               // Empty for the client without a name.
  std::string words;                // What follows "> ".
  std::vector<std::string> script;  // The lines "| ..." below, without the mark.
  std::chrono::milliseconds duration{0};
  std::vector<std::string> expected;                  // In RESP2, and in RESP3 where they agree.
  std::optional<std::vector<std::string>> expected3;  // In RESP3, where it differs.

  const std::vector<std::string>& expectation(int protocol) const {
    return protocol == 3 && expected3 ? *expected3 : expected;
  }
};

struct Transcript {
  std::string path;
  bool resp3 = true;                 // Whether it runs a second time in RESP3.
  std::vector<std::string> options;  // Settings that the server is started with: name, value, ...
  std::vector<Step> steps;

  bool lets_time_pass() const;
};

/// Throws std::runtime_error, naming file and line, for text that is no transcript.
Transcript parse_transcript(std::string_view text, std::string path);
Transcript read_transcript(const std::string& path);
/// The text again; what was parsed comes back byte for byte.
std::string print_transcript(const Transcript& transcript);

/// Whether a line of a reply would be taken for something else when the transcript is read back.
bool looks_like_markup(std::string_view line);

}  // namespace picklock::test

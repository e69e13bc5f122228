// What replicas must be told of a command: the command itself, other words in its place, or
// nothing.
//
// Redis 7.0: alsoPropagate, rewriteClientCommandVector, preventCommandPropagation and
// forceCommandPropagation. A handler that would do otherwise on a replica, because it goes by the
// clock, by chance or by who waits, says what it has done.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace picklock {

/// Of what has nothing to do with a database.
inline constexpr int kNoDatabase = -1;

/// Takes the effects; there is one only while somebody wants them.
class EffectSink {
 public:
  virtual ~EffectSink() = default;
  /// What has happened to the numbered database, as a command.
  virtual void effect(int database, std::span<const std::string_view> words) = 0;
  /// The same of a command that is told in other words than its own (Redis:
  /// rewriteClientCommandVector), and so not at all where a script has said so.
  virtual void effect_instead(int database, std::span<const std::string_view> words) {
    effect(database, words);
  }
  /// What replicas are told of a key that goes: UNLINK or DEL, by the setting lazyfree-lazy-`why`.
  virtual std::string_view deletion(std::string_view why) const = 0;
};

/// What becomes of the command's own words.
enum class Replicated : std::uint8_t {
  if_changed,  ///< They are an effect if they have changed something.
  always,
  never,
};

}  // namespace picklock

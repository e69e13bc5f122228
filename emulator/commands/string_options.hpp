// The options of SET and of the commands that take some of them: GETEX, MSETEX, and in Valkey
// HSETEX and HGETEX.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/commands/context.hpp"
#include "emulator/commands/expire_time.hpp"

namespace picklock {

/// IFEQ, IFNE, IFDEQ, IFDNE: what the present string is compared with. Redis 8.4; Valkey 8.1 has
/// IFEQ.
struct Comparison {
  enum class Kind : std::uint8_t { equal, not_equal, digest_equal, digest_not_equal } kind;
  std::string_view operand;

  /// The kind that the word of this word_number() names; nullopt if none, or none that `profile`
  /// has.
  static std::optional<Kind> find(std::uint64_t word, const Profile& profile);
  /// Whether it compares digests, which are 16 characters long.
  bool of_digests() const { return kind == Kind::digest_equal || kind == Kind::digest_not_equal; }
  /// Whether the operand is one; Redis looks at its length only.
  bool is_complete() const { return !of_digests() || operand.size() == 16; }
  bool holds(std::string_view value) const;
  /// What is not there is not equal to anything.
  bool holds_for_missing() const {
    return kind == Kind::not_equal || kind == Kind::digest_not_equal;
  }
};

/// The XXH3-64 of `value`, as DIGEST shows it: 16 lower-case hexadecimal digits.
std::string digest_of(std::string_view value);

struct StringOptions {
  bool nx = false, xx = false, get = false, keep_ttl = false, persist = false;
  bool fnx = false, fxx = false;
  enum class Expire : std::uint8_t { none, ex, px, exat, pxat } expire = Expire::none;
  std::string_view time;
  std::optional<Comparison> comparison = std::nullopt;

  bool has_time() const { return expire != Expire::none; }
  bool has_time_but(Expire other) const { return has_time() && expire != other; }
  TimeUnit unit() const {
    return expire == Expire::ex || expire == Expire::exat ? TimeUnit::seconds
                                                          : TimeUnit::milliseconds;
  }
  TimeBase base() const {
    return expire == Expire::ex || expire == Expire::px ? TimeBase::relative : TimeBase::absolute;
  }

  /// By the option's word_number().
  static std::optional<Expire> find_expire(std::uint64_t word);
};

enum class Dialect : std::uint8_t { set, getex, msetex, hsetex, hgetex };

/// Reads `words`, all of which must be options; answers the error and returns nullopt if they do
/// not fit.
std::optional<StringOptions> read_string_options(Context& c, Args words, Dialect dialect);

}  // namespace picklock

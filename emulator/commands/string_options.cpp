#include "emulator/commands/string_options.hpp"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/newer_errors.hpp"

namespace picklock {

std::optional<Comparison::Kind> Comparison::find(std::uint64_t word, const Profile& profile) {
  if (word == word_number("ifeq") && profile.has(kNewer)) return Kind::equal;
  if (!profile.has(kRedis84)) return std::nullopt;
  switch (word) {
    case word_number("ifne"):
      return Kind::not_equal;
    case word_number("ifdeq"):
      return Kind::digest_equal;
    case word_number("ifdne"):
      return Kind::digest_not_equal;
    default:
      return std::nullopt;
  }
}

bool Comparison::holds(std::string_view value) const {
  const bool same = of_digests() ? iequals(digest_of(value), operand) : value == operand;
  return same != holds_for_missing();
}

std::string digest_of(std::string_view value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::uint64_t hash = XXH3_64bits(value.data(), value.size());
  std::string text(16, '0');
  for (std::size_t i = text.size(); i-- > 0; hash >>= 4) text[i] = kDigits[hash & 15];
  return text;
}

std::optional<StringOptions::Expire> StringOptions::find_expire(std::uint64_t word) {
  switch (word) {
    case word_number("ex"):
      return Expire::ex;
    case word_number("px"):
      return Expire::px;
    case word_number("exat"):
      return Expire::exat;
    case word_number("pxat"):
      return Expire::pxat;
    default:
      return std::nullopt;
  }
}

namespace {

/// Takes one option without a value; false if `word` is none or conflicts with what was given
/// before.
bool take_flag(StringOptions& options, std::uint64_t word, Dialect dialect) {
  if (dialect == Dialect::getex || dialect == Dialect::hgetex) {
    if (word != word_number("persist") || options.has_time()) return false;
    return options.persist = true;
  }
  switch (word) {
    case word_number("nx"):
      return !options.xx && !options.comparison && (options.nx = true);
    case word_number("xx"):
      return !options.nx && !options.comparison && (options.xx = true);
    case word_number("keepttl"):
      return !options.has_time() && (options.keep_ttl = true);
    case word_number("get"):
      return dialect == Dialect::set && (options.get = true);
    case word_number("fnx"):
      return dialect == Dialect::hsetex && !options.fxx && (options.fnx = true);
    case word_number("fxx"):
      return dialect == Dialect::hsetex && !options.fnx && (options.fxx = true);
    default:
      return false;
  }
}

/// Takes one option that has a value; false as above.
bool take_valued(StringOptions& options, std::uint64_t word, std::string_view value,
                 Dialect dialect, const Profile& profile) {
  if (const auto expire = StringOptions::find_expire(word)) {
    if (options.keep_ttl || options.persist || options.has_time_but(*expire)) return false;
    options.expire = *expire;
    options.time = value;
    return true;
  }
  if (dialect != Dialect::set || options.nx || options.xx) return false;
  const auto kind = Comparison::find(word, profile);
  if (!kind || (options.comparison && options.comparison->kind != *kind)) return false;
  options.comparison = {*kind, value};
  return true;
}

}  // namespace

std::optional<StringOptions> read_string_options(Context& c, Args words, Dialect dialect) {
  std::optional<StringOptions> options{std::in_place};
  const auto refuse = [&](std::string_view error) {
    c.reply.error(error);
    options.reset();
  };
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::uint64_t word = word_number(words[at]);
    if (at + 1 < words.size() && take_valued(*options, word, words[at + 1], dialect, *c.profile)) {
      ++at;
    } else if (!take_flag(*options, word, dialect)) {
      refuse(errors::kSyntax);
      return options;
    }
  }
  if (options->comparison && !options->comparison->is_complete()) refuse(errors::kDigestLength);
  return options;
}

}  // namespace picklock

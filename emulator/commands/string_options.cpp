#include "emulator/commands/string_options.hpp"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/newer_errors.hpp"

namespace picklock {

std::optional<Comparison::Kind> Comparison::find(std::string_view word, const Profile& profile) {
  if (is_word(word, "ifeq") && profile.has(kNewer)) return Kind::equal;
  if (!profile.has(kRedis84)) return std::nullopt;
  if (is_word(word, "ifne")) return Kind::not_equal;
  if (is_word(word, "ifdeq")) return Kind::digest_equal;
  if (is_word(word, "ifdne")) return Kind::digest_not_equal;
  return std::nullopt;
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

std::optional<StringOptions::Expire> StringOptions::find_expire(std::string_view word) {
  if (is_word(word, "ex")) return Expire::ex;
  if (is_word(word, "px")) return Expire::px;
  if (is_word(word, "exat")) return Expire::exat;
  if (is_word(word, "pxat")) return Expire::pxat;
  return std::nullopt;
}

namespace {

/// Takes one option without a value; false if `word` is none or conflicts with what was given
/// before.
bool take_flag(StringOptions& options, std::string_view word, Dialect dialect) {
  if (dialect == Dialect::getex || dialect == Dialect::hgetex) {
    if (!is_word(word, "persist") || options.has_time()) return false;
    return options.persist = true;
  }
  if (is_word(word, "nx") && !options.xx && !options.comparison) return options.nx = true;
  if (is_word(word, "xx") && !options.nx && !options.comparison) return options.xx = true;
  if (is_word(word, "keepttl") && !options.has_time()) return options.keep_ttl = true;
  if (is_word(word, "get") && dialect == Dialect::set) return options.get = true;
  if (dialect != Dialect::hsetex) return false;
  if (is_word(word, "fnx") && !options.fxx) return options.fnx = true;
  if (is_word(word, "fxx") && !options.fnx) return options.fxx = true;
  return false;
}

/// Takes one option that has a value; false as above.
bool take_valued(StringOptions& options, std::string_view word, std::string_view value,
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
    if (at + 1 < words.size() &&
        take_valued(*options, words[at], words[at + 1], dialect, *c.profile)) {
      ++at;
    } else if (!take_flag(*options, words[at], dialect)) {
      refuse(errors::kSyntax);
      return options;
    }
  }
  if (options->comparison && !options->comparison->is_complete()) refuse(errors::kDigestLength);
  return options;
}

}  // namespace picklock

// Reading and printing numbers exactly as Redis does, whatever the locale.
//
// Redis takes only the canonical spelling of an integer: no sign '+', no leading zero, no space.
// Floats are read as strtold would, without surrounding spaces. Pure functions, safe from any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace picklock {

/// A canonical decimal int64: "-12", "0"; not "+1", "01", "-0", " 1", "". Redis: string2ll.
/// Leaves `value` alone where it returns false.
[[nodiscard]] bool read_int64(std::string_view text, std::int64_t& value);
/// The same as an optional. Inline, for g++ returns one through memory, written in pieces and read
/// in one, which a processor waits for.
inline std::optional<std::int64_t> parse_int64(std::string_view text) {
  std::int64_t value = 0;
  return read_int64(text, value) ? std::optional{value} : std::nullopt;
}

/// A canonical decimal uint64. Redis: string2ull without its strtoull fallback.
std::optional<std::uint64_t> parse_uint64(std::string_view text);

/// A long double as Redis takes it (INCRBYFLOAT): strtold over the whole text in the C locale
/// (hexadecimal, "inf" and exponents included), no surrounding space, not NaN. Out of range:
/// nullopt.
std::optional<long double> parse_long_double(std::string_view text);

/// A double under the same rules (scores, timeouts). Redis: getDoubleFromObject.
std::optional<double> parse_double(std::string_view text);

/// The same, and what format_double() makes of NaN.
std::optional<double> parse_resp3_double(std::string_view text);

/// The longest start of `text` that is a double, as strtod reads it in the C locale; nullopt if
/// there is none. What follows is not looked at.
std::optional<double> parse_double_prefix(std::string_view text);

/// Room for any int64.
inline constexpr std::size_t kInt64Chars = 21;
/// Writes `value` in decimal to `buffer`, returns what was written. Redis: ll2string.
std::string_view format_int64(std::int64_t value, char (&buffer)[kInt64Chars]);
std::string to_text(std::int64_t value);

/// Room for any double in %.17g.
inline constexpr std::size_t kDoubleChars = 40;
/// `%.17g` in the C locale: how Redis prints doubles in replies, and Lua numbers given to
/// redis.call. NaN keeps its sign ("nan", "-nan"); infinities are "inf", "-inf".
std::string_view format_double(double value, char (&buffer)[kDoubleChars]);

/// INCRBYFLOAT's form: "%.17Lf" without trailing zeros. Redis: ld2string, LD_STR_HUMAN.
std::string format_long_double(long double value);

}  // namespace picklock

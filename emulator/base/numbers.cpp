#include "emulator/base/numbers.hpp"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <limits>
#include <locale.h>
#include <stdlib.h>
#include <system_error>

namespace picklock {
namespace {

/// Redis copies the text of a long double into a buffer of this size and refuses what does not fit.
constexpr std::size_t kLongDoubleText = 5 * 1024;

/// What isspace() takes in the C locale, and strtod skips, but Redis refuses.
constexpr std::string_view kSpaces = " \t\n\v\f\r";

/// The digits of a canonical number, at most `limit`. Twenty digits fit no int64 and can wrap a
/// uint64 only in the last one, which is why that one is checked apart.
bool read_digits(std::string_view digits, std::uint64_t limit, std::uint64_t& result) {
  if (digits.empty() || digits.size() > 20) return false;
  if (digits[0] == '0' && digits.size() > 1) return false;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const auto digit = static_cast<unsigned>(digits[i] - '0');
    if (digit > 9) return false;
    if (i == 19 && value > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) return false;
    value = value * 10 + digit;
  }
  if (value > limit) return false;
  result = value;
  return true;
}

class CLocale {
 public:
  CLocale() : locale_(newlocale(LC_ALL_MASK, "C", nullptr)) {}
  ~CLocale() { freelocale(locale_); }
  CLocale(const CLocale&) = delete;
  CLocale& operator=(const CLocale&) = delete;
  locale_t get() const { return locale_; }

 private:
  locale_t locale_;
};

/// strtod or strtold (`read`) over the whole of `text`, in the C locale. libstdc++ 12's from_chars
/// refuses denormal long doubles and takes two signs in a hexadecimal exponent.
template <class Float>
std::optional<Float> parse_as_c(std::string_view text,
                                Float (*read)(const char*, char**, locale_t)) {
  if (text.empty() || kSpaces.find(text[0]) != std::string_view::npos) return std::nullopt;
  const std::string copy{text};
  const CLocale locale;
  char* end = nullptr;
  errno = 0;
  const Float value = read(copy.c_str(), &end, locale.get());
  // A denormal result sets ERANGE too, and Redis takes it.
  const bool out_of_range = errno == ERANGE && (std::isinf(value) || value == 0);
  if (end != copy.c_str() + copy.size() || out_of_range || std::isnan(value)) return std::nullopt;
  return value;
}

}  // namespace

bool read_int64(std::string_view text, std::int64_t& value) {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool negative = !text.empty() && text[0] == '-';
  std::uint64_t size = 0;
  const std::string_view digits = negative ? text.substr(1) : text;
  if (!read_digits(digits, negative ? kMax + 1 : kMax, size)) return false;
  if (negative && size == 0) return false;
  value = static_cast<std::int64_t>(negative ? 0 - size : size);
  return true;
}

std::optional<std::uint64_t> parse_uint64(std::string_view text) {
  std::uint64_t value = 0;
  if (!read_digits(text, std::numeric_limits<std::uint64_t>::max(), value)) return std::nullopt;
  return value;
}

std::optional<long double> parse_long_double(std::string_view text) {
  if (text.size() >= kLongDoubleText) return std::nullopt;
  return parse_as_c<long double>(text, strtold_l);
}

std::optional<double> parse_double(std::string_view text) {
  // Nearly every score and timeout is plain decimal, which from_chars reads exactly and faster.
  if (text.find_first_not_of("0123456789.-") != std::string_view::npos)
    return parse_as_c<double>(text, strtod_l);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<double> parse_resp3_double(std::string_view text) {
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "-nan") return -std::numeric_limits<double>::quiet_NaN();
  return parse_double(text);
}

std::optional<double> parse_double_prefix(std::string_view text) {
  const std::string copy{text};
  const CLocale locale;
  char* end = nullptr;
  const double value = strtod_l(copy.c_str(), &end, locale.get());
  if (end == copy.c_str()) return std::nullopt;
  return value;
}

std::string_view format_int64(std::int64_t value, char (&buffer)[kInt64Chars]) {
  const auto result = std::to_chars(buffer, buffer + kInt64Chars, value);
  return {buffer, static_cast<std::size_t>(result.ptr - buffer)};
}

std::string to_text(std::int64_t value) {
  char buffer[kInt64Chars];
  return std::string{format_int64(value, buffer)};
}

std::string_view format_double(double value, char (&buffer)[kDoubleChars]) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  const auto result =
      std::to_chars(buffer, buffer + kDoubleChars, value, std::chars_format::general, 17);
  return {buffer, static_cast<std::size_t>(result.ptr - buffer)};
}

std::string format_long_double(long double value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[kLongDoubleText];
  const auto result =
      std::to_chars(buffer, buffer + kLongDoubleText, value, std::chars_format::fixed, 17);
  std::string_view text{buffer, static_cast<std::size_t>(result.ptr - buffer)};
  text = text.substr(0, text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.remove_suffix(1);
  return text == "-0" ? "0" : std::string{text};
}

}  // namespace picklock

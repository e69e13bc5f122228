#include "emulator/base/numbers.hpp"

#include <clocale>
#include <cmath>
#include <limits>
#include <string>

#include "tests/support/catch.hpp"

using namespace picklock;
using namespace std::string_literals;

namespace {

constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
constexpr auto kMax = std::numeric_limits<std::int64_t>::max();

std::string real_text(double value) {
  char buffer[kDoubleChars];
  return std::string{format_double(value, buffer)};
}

}  // namespace

TEST_CASE("an integer is read only in its canonical spelling") {
  struct Row {
    std::string text;
    std::optional<std::int64_t> value;
  };
  const Row rows[] = {
      {"0", 0},
      {"7", 7},
      {"-12", -12},
      {"9223372036854775807", kMax},
      {"-9223372036854775808", kMin},
      {"", {}},
      {"-", {}},
      {"-0", {}},
      {"+1", {}},
      {"01", {}},
      {"-01", {}},
      {" 1", {}},
      {"1 ", {}},
      {"1a", {}},
      {"0x10", {}},
      {"1\0"s, {}},
      {"--1", {}},
      {"9223372036854775808", {}},
      {"-9223372036854775809", {}},
      {"18446744073709551616", {}},
      {"99999999999999999999", {}},
      {"100000000000000000000", {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(parse_int64(row.text) == row.value);
  }
}

TEST_CASE("an unsigned integer reaches up to 2^64 - 1") {
  CHECK(parse_uint64("0") == 0u);
  CHECK(parse_uint64("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  CHECK(parse_uint64("18446744073709551609") == 18446744073709551609u);
  for (const char* text : {"18446744073709551616", "18446744073709551620", "20000000000000000000",
                           "-1", "", "00", "+1", "1 "}) {
    CAPTURE(text);
    CHECK_FALSE(parse_uint64(text));
  }
}

TEST_CASE("every integer is printed so that it is read back") {
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{10}, kMin, kMax})
    CHECK(parse_int64(to_text(value)) == value);
  CHECK(to_text(kMin) == "-9223372036854775808");
  char buffer[kInt64Chars];
  CHECK(format_int64(-42, buffer) == "-42");
}

TEST_CASE("a float is read as strtod reads it") {
  struct Row {
    const char* text;
    double value;
  };
  const Row rows[] = {{"1", 1},         {"+1", 1},     {"-1.5", -1.5},  {".5", 0.5},
                      {"5.", 5},        {"1e+2", 100}, {"1E5", 100000}, {"0x10", 16},
                      {"-0x10", -16},   {"0X1P3", 8},  {"0x.8p1", 1},   {"0x1p4", 16},
                      {"0x1.", 1},      {"007", 7},    {"1e-5", 1e-5},  {"4.9e-324", 4.9e-324},
                      {"1e308", 1e308}, {"1e-0", 1}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(parse_double(row.text) == row.value);
    CHECK(parse_long_double(row.text).has_value());
  }
  CHECK(std::signbit(parse_double("-0").value()));
}

TEST_CASE("infinity is a float in every spelling of C") {
  for (const char* text : {"inf", "INF", "Infinity", "+inf"}) {
    CAPTURE(text);
    CHECK(parse_double(text) == std::numeric_limits<double>::infinity());
    CHECK(parse_long_double(text) == std::numeric_limits<long double>::infinity());
  }
  CHECK(parse_double("-inf") == -std::numeric_limits<double>::infinity());
}

TEST_CASE("what strtod would not read to its end is no float") {
  for (const std::string& text :
       {""s,     " 1"s,    "1 "s,     "\t1"s,     "\v1"s,     "nan"s,     "-nan"s,      "nan(1)"s,
        "."s,    "-"s,     "+-1"s,    "++1"s,     "-+1"s,     "0x"s,      "0xp1"s,      "0x1p"s,
        "00x1"s, "0xinf"s, "1e"s,     "1e+"s,     "0x1p+-1"s, "infinit"s, "infinityx"s, "1\0"s,
        "1,5"s,  "1_0"s,   "1e5000"s, "-1e5000"s, "1e-5000"s}) {
    CAPTURE(text);
    CHECK_FALSE(parse_double(text));
    CHECK_FALSE(parse_long_double(text));
  }
}

TEST_CASE("a double refuses what only a long double can hold") {
  CHECK_FALSE(parse_double("1e400"));
  CHECK_FALSE(parse_double("1e-400"));
  CHECK(parse_long_double("1e400") == 1e400L);
  CHECK(parse_long_double("1e-400") == 1e-400L);
}

TEST_CASE("a denormal result is taken though C reports it out of range") {
  CHECK(parse_double("5e-324") == std::numeric_limits<double>::denorm_min());
  CHECK(parse_long_double("1e-4940").value() > 0);
}

TEST_CASE("a long double of 5 KB is refused where a double is not") {
  const std::string longest = std::string(5118, '0') + "1";
  CHECK(parse_long_double(longest) == 1.0L);
  CHECK_FALSE(parse_long_double("0" + longest));
  CHECK(parse_double("0" + longest) == 1.0);
  CHECK(parse_double("+" + longest) == 1.0);
}

TEST_CASE("a double is printed as %.17g prints it") {
  struct Row {
    double value;
    const char* text;
  };
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Row rows[] = {{0, "0"},
                      {-0.0, "-0"},
                      {3.141, "3.141"},
                      {0.1, "0.10000000000000001"},
                      {1.1, "1.1000000000000001"},
                      {1e16, "10000000000000000"},
                      {1e17, "1e+17"},
                      {4611686018427387904.0, "4.6116860184273879e+18"},
                      {1e-5, "1.0000000000000001e-05"},
                      {0.0001, "0.0001"},
                      {922337203685477, "922337203685477"},
                      {std::numeric_limits<double>::max(), "1.7976931348623157e+308"},
                      {-std::numeric_limits<double>::denorm_min(), "-4.9406564584124654e-324"},
                      {inf, "inf"},
                      {-inf, "-inf"},
                      {nan, "nan"},
                      {-nan, "-nan"}};
  for (const Row& row : rows) CHECK(real_text(row.value) == row.text);
}

TEST_CASE("a long double is printed without trailing zeros") {
  CHECK(format_long_double(0) == "0");
  CHECK(format_long_double(-0.0L) == "0");
  CHECK(format_long_double(-1e-18L) == "0");
  CHECK(format_long_double(100) == "100");
  CHECK(format_long_double(-16) == "-16");
  CHECK(format_long_double(3001 + 0.1L) == "3001.10000000000000009");
  CHECK(format_long_double(0.5L) == "0.5");
  CHECK(format_long_double(1e17L) == "100000000000000000");
  CHECK(format_long_double(parse_long_double("1.1").value()) == "1.1");
  CHECK(format_long_double(1e4900L).size() == 4901);
  CHECK(format_long_double(-std::numeric_limits<long double>::infinity()) == "-inf");
}

TEST_CASE("numbers do not follow the locale of the program") {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8"})
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  CHECK(parse_double("1.5") == 1.5);
  CHECK(parse_double("+1.5") == 1.5);
  CHECK(parse_long_double("1.5") == 1.5L);
  CHECK(real_text(1.5) == "1.5");
  CHECK(format_long_double(1.5L) == "1.5");
  std::setlocale(LC_ALL, before.c_str());
}

#include "emulator/resp/resp_writer.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "emulator/base/numbers.hpp"

namespace picklock {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kNull = "$-1\r\n";
constexpr std::string_view kNullArray = "*-1\r\n";
constexpr std::string_view kNull3 = "_\r\n";

constexpr std::size_t kNumberLine = 1 + kInt64Chars + kLineEnd.size();
constexpr std::size_t kShortBulk = 64;

char* put_line_end(char* to) {
  *to++ = '\r';
  *to++ = '\n';
  return to;
}

/// Needs room for kNumberLine bytes; returns their end.
char* put_number(char* to, char prefix, std::int64_t value) {
  *to++ = prefix;
  return put_line_end(std::to_chars(to, to + kInt64Chars, value).ptr);
}

/// Made apart and appended at once, as nearly every reply has such a line.
void append_number(std::string& out, char prefix, std::int64_t value) {
  char line[kNumberLine];
  out.append(line, put_number(line, prefix, value));
}

void append_size(std::string& out, char prefix, std::size_t size) {
  append_number(out, prefix, static_cast<std::int64_t>(size));
}

void append_line(std::string& out, char prefix, std::string_view text) {
  const std::size_t start = out.size();
  out.resize(start + 1 + text.size() + kLineEnd.size());
  char* to = out.data() + start;
  *to++ = prefix;
  for (const char c : text) *to++ = c == '\r' || c == '\n' ? ' ' : c;
  std::ranges::copy(kLineEnd, to);
}

}  // namespace

void ReplyWriter::human_real(long double value) {
  if (version() < 3) return bulk(format_long_double(value));
  // Redis sends so many decimals to a script, too, which makes a number of them.
  real(parse_double(format_long_double(value)).value_or(static_cast<double>(value)));
}

void RespWriter::integer(std::int64_t value) { append_number(out_, ':', value); }

void RespWriter::bulk(std::string_view bytes) {
  if (bytes.size() <= kShortBulk) {  // At once, too.
    char whole[kNumberLine + kShortBulk + kLineEnd.size()];
    char* const to = put_number(whole, '$', static_cast<std::int64_t>(bytes.size()));
    out_.append(whole, put_line_end(std::ranges::copy(bytes, to).out));
    return;
  }
  append_size(out_, '$', bytes.size());
  out_ += bytes;
  out_ += kLineEnd;
}

void RespWriter::status(std::string_view text) { append_line(out_, '+', text); }

// Redis cuts the line breaks at the end of an error before it makes the others spaces.
void RespWriter::write_error(std::string_view text) {
  append_line(out_, '-', text.substr(0, text.find_last_not_of("\r\n") + 1));
}

void RespWriter::write_raw_error(std::string_view text) {
  out_ += '-';
  out_ += text;
  out_ += kLineEnd;
}

void RespWriter::null() { version_ >= 3 ? out_ += kNull3 : out_ += kNull; }

void RespWriter::null_array() { version_ >= 3 ? out_ += kNull3 : out_ += kNullArray; }

void RespWriter::array(std::size_t size) { append_size(out_, '*', size); }

void RespWriter::map(std::size_t size) {
  version_ >= 3 ? append_size(out_, '%', size) : append_size(out_, '*', 2 * size);
}

void RespWriter::set(std::size_t size) { append_size(out_, version_ >= 3 ? '~' : '*', size); }

void RespWriter::push(std::size_t size) { append_size(out_, version_ >= 3 ? '>' : '*', size); }

bool RespWriter::attribute(std::size_t size) {
  if (version_ < 3) return false;
  append_size(out_, '|', size);
  return true;
}

void RespWriter::boolean(bool value) {
  if (version_ < 3) return integer(value ? 1 : 0);
  out_ += value ? "#t\r\n" : "#f\r\n";
}

void RespWriter::real(double value) {
  char buffer[kDoubleChars];
  const std::string_view text = format_double(value, buffer);
  if (version_ < 3) return bulk(text);
  append_line(out_, ',', text);
}

void RespWriter::human_real(long double value) {
  if (version_ < 3) return ReplyWriter::human_real(value);
  append_line(out_, ',', format_long_double(value));
}

void RespWriter::big_number(std::string_view digits) {
  if (version_ < 3) return bulk(digits);
  append_line(out_, '(', digits);
}

void RespWriter::verbatim(std::string_view format, std::string_view text) {
  if (version_ < 3) return bulk(text);
  append_size(out_, '=', format.size() + 1 + text.size());
  out_ += format;
  out_ += ':';
  out_ += text;
  out_ += kLineEnd;
}

}  // namespace picklock

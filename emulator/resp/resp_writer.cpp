#include "emulator/resp/resp_writer.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "emulator/base/numbers.hpp"

namespace picklock {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

/// Made apart and appended at once, as nearly every reply has such a line.
void append_number(std::string& out, char prefix, std::int64_t value) {
  char line[1 + kInt64Chars + kLineEnd.size()];
  line[0] = prefix;
  char* end = std::to_chars(line + 1, std::end(line), value).ptr;
  *end++ = '\r';
  *end++ = '\n';
  out.append(line, end);
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

void RespWriter::null() { out_ += version_ >= 3 ? "_\r\n" : "$-1\r\n"; }

void RespWriter::null_array() { out_ += version_ >= 3 ? "_\r\n" : "*-1\r\n"; }

void RespWriter::array(std::size_t size) { append_size(out_, '*', size); }

void RespWriter::map(std::size_t size) {
  version_ >= 3 ? append_size(out_, '%', size) : append_size(out_, '*', 2 * size);
}

void RespWriter::set(std::size_t size) { append_size(out_, version_ >= 3 ? '~' : '*', size); }

void RespWriter::push(std::size_t size) { append_size(out_, version_ >= 3 ? '>' : '*', size); }

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

#include "emulator/resp/text_writer.hpp"

#include "emulator/base/numbers.hpp"

namespace picklock {
namespace {

using Type = Reply::Type;

std::string_view empty_notation(Type type) {
  switch (type) {
    case Type::map:
      return "(empty hash)";
    case Type::set:
      return "(empty set)";
    case Type::push:
      return "(empty push)";
    default:
      return "(empty array)";
  }
}

char index_mark(Type type) {
  if (type == Type::map) return '#';
  return type == Type::set ? '~' : ')';
}

/// The letter that stands behind the backslash, or 0.
char short_escape(char c) {
  switch (c) {
    case '\\':
    case '"':
      return c;
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    case '\a':
      return 'a';
    case '\b':
      return 'b';
    default:
      return 0;
  }
}

}  // namespace

void append_quoted(std::string& out, std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (const char escape = short_escape(c)) {
      out += '\\';
      out += escape;
    } else if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 0xf];
    }
  }
  out += '"';
}

/// Called before each value, which is of so many `elements`; false if its text is of no interest.
bool TextWriter::begin(std::size_t elements) {
  if (open_.empty()) {
    is_later_ = begun_;
    begun_ = true;
    return !is_later_;
  }
  Open& open = open_.back();
  const bool shown = !is_later_ && !is_enough();
  if (shown) write_index(open, elements);
  ++open.next;
  return shown && !is_enough();
}

/// Called after each value that is no aggregate, or one without elements.
void TextWriter::end() {
  while (!open_.empty() && open_.back().next == open_.back().size) open_.pop_back();
}

/// What stands before an element: a line of its own with its index, or the arrow to a map's value,
/// which redis-cli puts on a line of its own when it has more than one element.
void TextWriter::write_index(Open& open, std::size_t elements) {
  const bool is_map = open.type == Type::map;
  if (is_map && open.next % 2 == 1) {
    text_ += " => ";
    if (elements > 1) start_line(open.indent + open.width + 2);
    return;
  }
  // Who has written what stands before has indented the first line.
  if (open.next != 0) start_line(open.indent);
  char digits[kInt64Chars];
  const auto number = static_cast<std::int64_t>((is_map ? open.next / 2 : open.next) + 1);
  const std::string_view index = format_int64(number, digits);
  text_.append(open.width - index.size(), ' ').append(index);
  text_ += index_mark(open.type);
  text_ += ' ';
}

void TextWriter::open(Type type, std::size_t elements) {
  const std::size_t indent = open_.empty() ? 0 : open_.back().indent + open_.back().width + 2;
  const bool shown = begin(elements);
  if (elements == 0) {
    if (shown) text_ += empty_notation(type);
    return end();
  }
  char digits[kInt64Chars];
  const auto last = static_cast<std::int64_t>(type == Type::map ? elements / 2 : elements);
  open_.push_back({type, elements, 0, indent, format_int64(last, digits).size()});
}

void TextWriter::line(std::string_view mark, std::string_view text) {
  if (begin()) text_.append(mark).append(text);
  end();
}

void TextWriter::integer(std::int64_t value) {
  char digits[kInt64Chars];
  line("(integer) ", format_int64(value, digits));
}

void TextWriter::bulk(std::string_view bytes) {
  if (begin()) append_quoted(text_, bytes.substr(0, enough_));
  end();
}

void TextWriter::status(std::string_view text) { line("", text); }
void TextWriter::write_error(std::string_view text) {
  line("(error) ", text.substr(0, text.find_last_not_of("\r\n") + 1));
}
void TextWriter::write_raw_error(std::string_view text) { line("(error) ", text); }
void TextWriter::null() { line("(nil)", ""); }

void TextWriter::array(std::size_t size) { open(Type::array, size); }
void TextWriter::map(std::size_t size) { open(version_ >= 3 ? Type::map : Type::array, 2 * size); }
void TextWriter::set(std::size_t size) { open(version_ >= 3 ? Type::set : Type::array, size); }
void TextWriter::push(std::size_t size) { open(version_ >= 3 ? Type::push : Type::array, size); }

void TextWriter::boolean(bool value) {
  if (version_ < 3) return integer(value ? 1 : 0);
  line(value ? "(true)" : "(false)", "");
}

void TextWriter::real(double value) {
  char buffer[kDoubleChars];
  const std::string_view digits = format_double(value, buffer);
  version_ < 3 ? bulk(digits) : line("(double) ", digits);
}

void TextWriter::big_number(std::string_view digits) {
  version_ < 3 ? bulk(digits) : line("(big number) ", digits);
}

// redis-cli prints the text as it is, without the format in front.
void TextWriter::verbatim(std::string_view, std::string_view text) {
  version_ < 3 ? bulk(text) : line("", text);
}

}  // namespace picklock

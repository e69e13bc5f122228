#include <algorithm>
#include <cmath>
#include <ostream>
#include <stdexcept>

#include <picklock/reply.hpp>

#include "emulator/base/numbers.hpp"

namespace picklock {
namespace {

using Type = Reply::Type;

void append_quoted(std::string& out, std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '\\':
        out += "\\\\";
        break;
      case '"':
        out += "\\\"";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\a':
        out += "\\a";
        break;
      case '\b':
        out += "\\b";
        break;
      default:
        if (byte >= 0x20 && byte < 0x7f) {
          out += c;
        } else {
          out += "\\x";
          out += kHex[byte >> 4];
          out += kHex[byte & 0xf];
        }
    }
  }
  out += '"';
}

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

void append_reply(std::string& out, const Reply& reply, const std::string& indent);

/// redis-cli starts a new line for the value of a map when that has more than one element.
void append_map_value(std::string& out, const Reply& value, const std::string& indent) {
  out += " => ";
  if (value.size() > 1) out.append("\n").append(indent);
  append_reply(out, value, indent);
}

/// Indices are aligned to the width of the last one.
void append_aggregate(std::string& out, const Reply& reply, const std::string& indent) {
  if (reply.size() == 0) {
    out += empty_notation(reply.type());
    return;
  }
  const bool is_map = reply.type() == Type::map;
  const std::size_t last = is_map ? reply.size() / 2 : reply.size();
  const std::size_t width = to_text(static_cast<std::int64_t>(last)).size();
  const std::string inner = indent + std::string(width + 2, ' ');
  for (std::size_t i = 0; i < reply.size(); ++i) {
    // The caller has already written the indentation of the first line.
    if (i != 0) out.append("\n").append(indent);
    const std::size_t number = (is_map ? i / 2 : i) + 1;
    const std::string index = to_text(static_cast<std::int64_t>(number));
    out.append(width - index.size(), ' ').append(index);
    out += index_mark(reply.type());
    out += ' ';
    append_reply(out, reply[i], inner);
    if (is_map && i + 1 < reply.size()) append_map_value(out, reply[++i], inner);
  }
}

void append_reply(std::string& out, const Reply& reply, const std::string& indent) {
  switch (reply.type()) {
    case Type::null:
      out += "(nil)";
      break;
    case Type::status:
      out += reply.text();
      break;
    case Type::error:
      out.append("(error) ").append(reply.text());
      break;
    case Type::integer:
      out.append("(integer) ").append(to_text(reply.integer()));
      break;
    case Type::bulk:
      append_quoted(out, reply.text());
      break;
    case Type::boolean:
      out += reply.integer() != 0 ? "(true)" : "(false)";
      break;
    case Type::big_number:
      out.append("(big number) ").append(reply.text());
      break;
    case Type::verbatim: {
      // redis-cli prints the text as it is, without the format in front.
      const std::string_view text = reply.text();
      out += text.substr(std::min<std::size_t>(4, text.size()));
      break;
    }
    case Type::real: {
      char buffer[kDoubleChars];
      out.append("(double) ").append(format_double(reply.real(), buffer));
      break;
    }
    default:
      append_aggregate(out, reply, indent);
  }
}

[[noreturn]] void wrong_type(const Reply& reply, std::string_view wanted) {
  throw std::logic_error("the reply is not " + std::string{wanted} + ": " + reply.to_string());
}

}  // namespace

Reply Reply::make_integer(std::int64_t value) {
  Reply reply;
  reply.type_ = Type::integer;
  reply.integer_ = value;
  return reply;
}

Reply Reply::make_boolean(bool value) {
  Reply reply;
  reply.type_ = Type::boolean;
  reply.integer_ = value ? 1 : 0;
  return reply;
}

Reply Reply::make_real(double value) {
  Reply reply;
  reply.type_ = Type::real;
  reply.real_ = value;
  return reply;
}

Reply Reply::make_text(Type type, std::string text) {
  Reply reply;
  reply.type_ = type;
  reply.text_ = std::move(text);
  return reply;
}

Reply Reply::make_aggregate(Type type, std::vector<Reply> elements) {
  Reply reply;
  reply.type_ = type;
  reply.elements_ = std::move(elements);
  return reply;
}

bool Reply::is_aggregate() const {
  return type_ == Type::array || type_ == Type::map || type_ == Type::set || type_ == Type::push;
}

std::int64_t Reply::integer() const {
  if (type_ != Type::integer && type_ != Type::boolean) wrong_type(*this, "an integer");
  return integer_;
}

double Reply::real() const {
  if (type_ != Type::real) wrong_type(*this, "a double");
  return real_;
}

const std::string& Reply::text() const {
  switch (type_) {
    case Type::status:
    case Type::error:
    case Type::bulk:
    case Type::big_number:
    case Type::verbatim:
      return text_;
    default:
      wrong_type(*this, "a string");
  }
}

std::string Reply::to_string() const {
  std::string out;
  append_reply(out, *this, {});
  return out;
}

bool Reply::operator==(const Reply& other) const {
  const bool same_real = real_ == other.real_ || (std::isnan(real_) && std::isnan(other.real_));
  return type_ == other.type_ && integer_ == other.integer_ && same_real && text_ == other.text_ &&
         elements_ == other.elements_;
}

std::ostream& operator<<(std::ostream& out, const Reply& reply) { return out << reply.to_string(); }

Reply replies::status(std::string_view text) {
  return Reply::make_text(Type::status, std::string{text});
}

Reply replies::error(std::string_view text) {
  return Reply::make_text(Type::error, std::string{text});
}

Reply replies::integer(std::int64_t value) { return Reply::make_integer(value); }

Reply replies::bulk(std::string_view bytes) {
  return Reply::make_text(Type::bulk, std::string{bytes});
}

}  // namespace picklock

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

void append_scalar(std::string& out, const Reply& reply);

/// An aggregate that is being written.
struct Open {
  const Reply* reply;
  std::size_t next;    ///< The element that comes next.
  std::size_t indent;  ///< Of its lines; its elements stand `width` + 2 further right.
  std::size_t width;   ///< Of its indices: they are aligned to the last one.
};

Open open_aggregate(const Reply& reply, std::size_t indent) {
  const std::size_t last = reply.type() == Type::map ? reply.size() / 2 : reply.size();
  return {&reply, 0, indent, to_text(static_cast<std::int64_t>(last)).size()};
}

void start_line(std::string& out, std::size_t indent) { out.append("\n").append(indent, ' '); }

/// What stands before an element: a line of its own with its index, or the arrow to a map's value,
/// which redis-cli puts on a line of its own when it has more than one element.
void append_index(std::string& out, const Open& open, std::size_t i) {
  const bool is_map = open.reply->type() == Type::map;
  if (is_map && i % 2 == 1) {
    out += " => ";
    if ((*open.reply)[i].size() > 1) start_line(out, open.indent + open.width + 2);
    return;
  }
  // Who has written what stands before has indented the first line.
  if (i != 0) start_line(out, open.indent);
  const std::string index = to_text(static_cast<std::int64_t>((is_map ? i / 2 : i) + 1));
  out.append(open.width - index.size(), ' ').append(index);
  out += index_mark(open.reply->type());
  out += ' ';
}

/// With a stack of its own: scripts can nest replies deeper than ours would bear.
void append_aggregate(std::string& out, const Reply& root) {
  std::vector<Open> stack;
  const auto append = [&](const Reply& reply, std::size_t indent) {
    if (!reply.is_aggregate()) return append_scalar(out, reply);
    if (reply.size() == 0) return void(out += empty_notation(reply.type()));
    stack.push_back(open_aggregate(reply, indent));
  };
  append(root, 0);
  while (!stack.empty()) {
    Open& open = stack.back();
    const std::size_t i = open.next++;
    if (i == open.reply->size()) {
      stack.pop_back();
      continue;
    }
    append_index(out, open, i);
    append((*open.reply)[i], open.indent + open.width + 2);
  }
}

void append_scalar(std::string& out, const Reply& reply) {
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
      break;
  }
}

[[noreturn]] void wrong_type(const Reply& reply, std::string_view wanted) {
  throw std::logic_error("the reply is not " + std::string{wanted} + ": " + reply.to_string());
}

}  // namespace

void Reply::take_contents(Reply& other) noexcept {
  text_ = std::move(other.text_);
  elements_ = std::move(other.elements_);
}

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
  append_aggregate(out, *this);
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

#include <algorithm>
#include <cmath>
#include <ostream>
#include <stdexcept>

#include <picklock/reply.hpp>

#include "emulator/resp/text_writer.hpp"

namespace picklock {
namespace {

using Type = Reply::Type;

void show_scalar(TextWriter& out, const Reply& reply) {
  switch (reply.type()) {
    case Type::null:
      return out.null();
    case Type::status:
      return out.status(reply.text());
    case Type::error:
      return out.raw_error(reply.text());
    case Type::integer:
      return out.integer(reply.integer());
    case Type::bulk:
      return out.bulk(reply.text());
    case Type::boolean:
      return out.boolean(reply.integer() != 0);
    case Type::big_number:
      return out.big_number(reply.text());
    case Type::verbatim: {
      const std::string_view text = reply.text();
      return out.verbatim(text.substr(0, 3), text.substr(std::min<std::size_t>(4, text.size())));
    }
    case Type::real:
      return out.real(reply.real());
    default:
      return;
  }
}

/// With a stack of its own: scripts can nest replies deeper than ours would bear.
void show(TextWriter& out, const Reply& root) {
  std::vector<const Reply*> left{&root};
  while (!left.empty()) {
    const Reply& reply = *left.back();
    left.pop_back();
    if (!reply.is_aggregate()) {
      show_scalar(out, reply);
      continue;
    }
    out.open(reply.type(), reply.size());
    for (std::size_t i = reply.size(); i > 0; --i) left.push_back(&reply[i - 1]);
  }
}

[[noreturn]] void wrong_type(const Reply& reply, std::string_view wanted) {
  throw std::logic_error("the reply is not " + std::string{wanted} + ": " + reply.to_string());
}

}  // namespace

Reply::Reply(const Reply& other)
    : type_(other.type_), integer_(other.integer_), real_(other.real_), text_(other.text_) {
  if (other.elements_) elements_ = std::make_unique<std::vector<Reply>>(*other.elements_);
}

const std::vector<Reply>& Reply::no_elements() {
  static const std::vector<Reply> none;
  return none;
}

void Reply::refuse_index(std::size_t index) const {
  throw std::out_of_range("the reply has no element " + std::to_string(index) + ": " + to_string());
}

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
  reply.elements_ = std::make_unique<std::vector<Reply>>(std::move(elements));
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
  TextWriter out;
  show(out, *this);
  return std::move(out.text());
}

bool Reply::operator==(const Reply& other) const {
  const bool same_real = real_ == other.real_ || (std::isnan(real_) && std::isnan(other.real_));
  return type_ == other.type_ && integer_ == other.integer_ && same_real && text_ == other.text_ &&
         elements() == other.elements();
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

#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <picklock/race/hiredis.hpp>

namespace picklock::race::hiredis {
namespace {

int type_of(const Reply& reply) {
  switch (reply.type()) {
    case Reply::Type::null:
      return kReplyNil;
    case Reply::Type::integer:
    case Reply::Type::boolean:
      return kReplyInteger;
    case Reply::Type::status:
      return kReplyStatus;
    case Reply::Type::error:
      return kReplyError;
    default:
      return reply.is_aggregate() ? kReplyArray : kReplyString;
  }
}

redisReply* convert(const Reply& reply) {
  auto* result = new redisReply;
  result->type = type_of(reply);
  if (result->type == kReplyInteger) result->integer = reply.integer();
  if (result->type == kReplyArray) {
    for (const Reply& element : reply.elements()) result->parts.push_back(convert(element));
    result->elements = result->parts.size();
    result->element = result->parts.data();
  } else if (result->type != kReplyInteger && result->type != kReplyNil) {
    result->text = reply.type() == Reply::Type::real ? reply.to_string() : reply.text();
    result->len = result->text.size();
    result->str = result->text.data();
  }
  return result;
}

/// Cuts a format into words, as hiredis does.
class Format {
 public:
  explicit Format(const char* text) : at_(text) {}

  /// nullopt if hiredis would not understand the format.
  std::optional<std::vector<std::string>> words(std::va_list& arguments) {
    for (; *at_ != '\0'; ++at_) {
      if (*at_ == ' ') {
        finish();
      } else if (*at_ != '%' || at_[1] == '\0') {
        put({at_, 1});
      } else {
        ++at_;
        if (!convert_argument(arguments)) return std::nullopt;
      }
    }
    finish();
    return std::move(words_);
  }

 private:
  void put(std::string_view text) {
    word_ += text;
    begun_ = true;
  }
  void finish() {
    if (begun_) words_.push_back(std::exchange(word_, {}));
    begun_ = false;
  }

  template <class Number>
  void print(const std::string& spec, Number number) {
    const int length = std::snprintf(nullptr, 0, spec.c_str(), number);
    if (length < 0) return;  // A width that no text has.
    std::string text(static_cast<std::size_t>(length) + 1, '\0');
    std::snprintf(text.data(), text.size(), spec.c_str(), number);
    text.pop_back();
    put(text);
  }

  bool convert_argument(std::va_list& arguments) {
    switch (*at_) {
      case '%':
        put("%");
        return true;
      case 's':
        put(va_arg(arguments, const char*));
        return true;
      case 'b': {
        const char* bytes = va_arg(arguments, const char*);
        const std::size_t size = va_arg(arguments, std::size_t);
        put({bytes, size});
        return true;
      }
      default:
        return convert_number(arguments);
    }
  }

  /// What hiredis takes of printf: flags, a width, a precision, and hh, h, l or ll of integers.
  bool convert_number(std::va_list& arguments) {
    const char* const begin = at_;
    at_ += std::strspn(at_, "#0-+ ");
    at_ += std::strspn(at_, "0123456789");
    if (*at_ == '.') at_ += 1 + std::strspn(at_ + 1, "0123456789");
    const std::string_view size{at_, std::strspn(at_, "hl")};
    at_ += size.size();
    if (*at_ == '\0') return false;
    const std::string spec = "%" + std::string(begin, at_ + 1);
    if (std::strchr("eEfFgGaA", *at_) != nullptr && size.empty()) {
      print(spec, va_arg(arguments, double));
    } else if (std::strchr("diouxX", *at_) == nullptr) {
      return false;
    } else if (size == "ll") {
      print(spec, va_arg(arguments, long long));
    } else if (size == "l") {
      print(spec, va_arg(arguments, long));
    } else if (size.empty() || size == "h" || size == "hh") {
      print(spec, va_arg(arguments, int));
    } else {
      return false;
    }
    return true;
  }

  const char* at_;
  std::string word_;
  bool begun_ = false;
  std::vector<std::string> words_;
};

redisReply* fail(redisContext* context, int error, const char* why) {
  context->err = error;
  std::snprintf(context->errstr, sizeof context->errstr, "%s", why);
  return nullptr;
}

redisReply* send(redisContext* context, std::span<const std::string_view> words) {
  if (context->err != 0 || words.empty()) return nullptr;
  std::optional<Reply> reply = context->worker->call_quietly(*context->node, words);
  return reply ? convert(*reply) : fail(context, kErrEof, "Server closed the connection");
}

}  // namespace

void* redisvCommand(redisContext* context, const char* format, std::va_list arguments) {
  std::va_list copy;
  va_copy(copy, arguments);
  const auto words = Format{format}.words(copy);
  va_end(copy);
  if (!words) return fail(context, kErrOther, "Invalid format string");
  const std::vector<std::string_view> views{words->begin(), words->end()};
  return send(context, views);
}

void* redisCommand(redisContext* context, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  void* reply = redisvCommand(context, format, arguments);
  va_end(arguments);
  return reply;
}

void* redisCommandArgv(redisContext* context, int count, const char** words,
                       const std::size_t* lengths) {
  std::vector<std::string_view> views;
  for (int i = 0; i < count; ++i)
    views.emplace_back(words[i], lengths != nullptr ? lengths[i] : std::strlen(words[i]));
  return send(context, views);
}

void freeReplyObject(redisReply* reply) {
  if (reply == nullptr) return;
  for (redisReply* part : reply->parts) freeReplyObject(part);
  delete reply;
}

int redisReconnect(redisContext* context) {
  context->err = 0;
  context->errstr[0] = '\0';
  return 0;
}

}  // namespace picklock::race::hiredis

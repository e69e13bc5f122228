#include <cstdio>
#include <cstring>
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

/// How wide an integer's argument is: the h, l, ll, z... before the conversion.
template <class Narrow, class Wide>
void print_integer(std::string& word, std::string spec, char conversion, std::string_view size,
                   std::va_list& arguments) {
  char buffer[64];
  spec += conversion;
  int length = 0;
  if (size == "ll" || size == "j") {
    length = std::snprintf(buffer, sizeof buffer, spec.c_str(), va_arg(arguments, Wide));
  } else if (size == "l" || size == "z" || size == "t") {
    length = std::snprintf(buffer, sizeof buffer, spec.c_str(), va_arg(arguments, long));
  } else {
    length = std::snprintf(buffer, sizeof buffer, spec.c_str(), va_arg(arguments, Narrow));
  }
  word.append(buffer, static_cast<std::size_t>(length));
}

/// Cuts a format into words, as hiredis does.
class Format {
 public:
  explicit Format(const char* text) : at_(text) {}

  std::vector<std::string> words(std::va_list& arguments) {
    for (; *at_ != '\0'; ++at_) {
      if (*at_ == ' ') {
        finish();
      } else if (*at_ != '%' || at_[1] == '\0') {
        put({at_, 1});
      } else {
        ++at_;
        convert_argument(arguments);
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

  void convert_argument(std::va_list& arguments) {
    if (*at_ == '%') return put("%");
    if (*at_ == 's') return put(va_arg(arguments, const char*));
    if (*at_ == 'b') {
      const char* bytes = va_arg(arguments, const char*);
      const std::size_t size = va_arg(arguments, std::size_t);
      return put({bytes, size});
    }
    const std::size_t flags = std::strspn(at_, "#0-+ 0123456789.");
    const std::size_t sizes = std::strspn(at_ + flags, "hljzt");
    const std::string_view size{at_ + flags, sizes};
    std::string spec = "%" + std::string(at_, flags + sizes);
    at_ += flags + sizes;
    begun_ = true;
    if (std::strchr("eEfFgGaA", *at_) != nullptr && *at_ != '\0') {
      char buffer[400];
      const int length =
          std::snprintf(buffer, sizeof buffer, (spec + *at_).c_str(), va_arg(arguments, double));
      word_.append(buffer, static_cast<std::size_t>(length));
    } else if (std::strchr("di", *at_) != nullptr) {
      print_integer<int, long long>(word_, std::move(spec), *at_, size, arguments);
    } else {
      print_integer<unsigned, unsigned long long>(word_, std::move(spec), *at_, size, arguments);
    }
  }

  const char* at_;
  std::string word_;
  bool begun_ = false;
  std::vector<std::string> words_;
};

redisReply* send(redisContext* context, std::span<const std::string_view> words) {
  if (context->err != 0 || words.empty()) return nullptr;
  std::optional<Reply> reply = context->worker->call_quietly(*context->node, words);
  if (reply) return convert(*reply);
  context->err = kErrEof;
  std::snprintf(context->errstr, sizeof context->errstr, "Server closed the connection");
  return nullptr;
}

}  // namespace

void* redisvCommand(redisContext* context, const char* format, std::va_list arguments) {
  std::va_list copy;
  va_copy(copy, arguments);
  const std::vector<std::string> words = Format{format}.words(copy);
  va_end(copy);
  const std::vector<std::string_view> views{words.begin(), words.end()};
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

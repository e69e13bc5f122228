#include "emulator/engine/debug_protocol.hpp"

#include "emulator/base/text.hpp"
#include "emulator/commands/server_errors.hpp"

namespace picklock {
namespace {

void numbers(Context& c) {
  for (int i = 0; i < 3; ++i) c.reply.integer(i);
}

void string(Context& c) { c.reply.bulk("Hello World"); }
void integer(Context& c) { c.reply.integer(12345); }
void real(Context& c) { c.reply.real(3.141); }
void null(Context& c) { c.reply.null(); }
void big_number(Context& c) { c.reply.big_number("1234567999999999999999999999999999999"); }
void array(Context& c) {
  c.reply.array(3);
  numbers(c);
}
void set(Context& c) {
  c.reply.set(3);
  numbers(c);
}
void map(Context& c) {
  c.reply.map(3);
  for (int i = 0; i < 3; ++i) {
    c.reply.integer(i);
    c.reply.boolean(i == 1);
  }
}
void attribute(Context& c) {
  if (c.reply.attribute(1)) {
    c.reply.bulk("key-popularity");
    c.reply.array(2);
    c.reply.bulk("key:123");
    c.reply.integer(90);
  }
  c.reply.bulk("Some real reply following the attribute");
}
void push(Context& c) {
  if (c.reply.version() < 3) return c.reply.error(errors::kNoResp2);
  c.reply.push(2);
  c.reply.bulk("server-cpu-usage");
  c.reply.integer(42);
  c.reply.bulk("Some real reply following the push reply");
}
void verbatim(Context& c) { c.reply.verbatim("txt", "This is a verbatim\nstring"); }
void yes(Context& c) { c.reply.boolean(true); }
void no(Context& c) { c.reply.boolean(false); }

struct Example {
  std::string_view type;
  void (*write)(Context&);
};

constexpr Example kExamples[] = {
    {"string", string},     {"integer", integer},   {"double", real}, {"null", null},
    {"array", array},       {"set", set},           {"map", map},     {"attrib", attribute},
    {"push", push},         {"verbatim", verbatim}, {"true", yes},    {"false", no},
    {"bignum", big_number},
};

}  // namespace

void debug_protocol(Context& c) {
  for (const Example& example : kExamples)
    if (is_word(c.args[2], example.type)) return example.write(c);
  c.reply.error(errors::kProtocolType);
}

}  // namespace picklock

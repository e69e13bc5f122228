#include "emulator/resp/read_replies.hpp"

#include <functional>
#include <limits>
#include <string>

#include "emulator/base/random.hpp"
#include "emulator/resp/resp_writer.hpp"
#include "emulator/resp/text_writer.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace std::string_literals;
using Write = std::function<void(ReplyWriter&)>;

std::string shown(int version, const Write& write, std::size_t enough = std::string::npos) {
  TextWriter text{version, enough};
  write(text);
  return text.text();
}

/// The same by way of the first bytes of what a client is sent.
std::string shown_of_bytes(int version, const Write& write, std::size_t most = std::string::npos,
                           std::size_t enough = std::string::npos) {
  std::string bytes;
  RespWriter resp{bytes, version};
  write(resp);
  TextWriter text{3, enough};
  read_replies(std::string_view{bytes}.substr(0, most), text);
  return text.text();
}

void write_scalar(Random& random, ReplyWriter& out) {
  const std::size_t size = random.below(30);
  const std::string text(size, static_cast<char>(random.below(256)));
  switch (random.below(9)) {
    case 0:
      return out.integer(static_cast<std::int64_t>(random.next()));
    case 1:
      return out.bulk(text);
    case 2:
      return out.status("");
    case 3:
      return out.null();
    case 4:
      return out.null_array();
    case 5:
      return out.boolean(random.below(2) == 0);
    case 6:
      return out.real(static_cast<double>(random.next()) / 1024);
    case 7:
      return out.big_number("-123456789012345678901234567890");
    default:
      return out.verbatim("txt", text);
  }
}

void write_any(Random& random, ReplyWriter& out, int depth) {
  const std::size_t size = random.below(5);
  const auto elements = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) write_any(random, out, depth + 1);
  };
  switch (depth < 6 ? random.below(8) : 7) {
    case 0:
    case 1:
      return out.array(size), elements(size);
    case 2:
      return out.set(size), elements(size);
    case 3:
      return out.map(size), elements(2 * size);
    default:
      return write_scalar(random, out);
  }
}

TEST_CASE("what was written is told again, type by type") {
  const Write replies[] = {
      [](auto& w) { w.integer(std::numeric_limits<std::int64_t>::min()); },
      [](auto& w) { w.bulk("a\r\nb\0c"s); },
      [](auto& w) { w.bulk(""); },
      [](auto& w) { w.ok(); },
      [](auto& w) { w.error("ERR no\r\n"); },
      [](auto& w) { w.raw_error("ERR of\ntwo lines"); },
      [](auto& w) { w.null(); },
      [](auto& w) { w.null_array(); },
      [](auto& w) { w.array(0); },
      [](auto& w) { w.map(1), w.bulk("k"), w.set(1), w.integer(1); },
      [](auto& w) { w.push(2), w.bulk("subscribe"), w.bulk("x"); },
      [](auto& w) { w.boolean(true); },
      [](auto& w) { w.real(0.1); },
      [](auto& w) { w.real(std::numeric_limits<double>::infinity()); },
      [](auto& w) { w.real(-std::numeric_limits<double>::quiet_NaN()); },
      [](auto& w) { w.human_real(3.14L); },
      [](auto& w) { w.big_number("123456789012345678901234567890"); },
      [](auto& w) { w.verbatim("txt", "some\ntext"); },
      [](auto& w) { w.verbatim("txt", ""); },
      [](auto& w) { w.push(1), w.bulk("subscribe"), w.integer(1), w.ok(); },
  };
  for (const int version : {2, 3})
    for (const Write& write : replies)
      CHECK(shown_of_bytes(version, write) == shown(version, write));
}

TEST_CASE("any reply is shown by its bytes, and its start by theirs") {
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    const int version = seed % 2 == 0 ? 2 : 3;
    const Write write = [seed](ReplyWriter& out) {
      Random random{seed};
      write_any(random, out, 0);
    };
    const std::string whole = shown(version, write);
    REQUIRE(shown_of_bytes(version, write) == whole);
    constexpr std::size_t kEnough = 160;
    REQUIRE(shown_of_bytes(version, write, 512, kEnough).substr(0, kEnough) ==
            whole.substr(0, kEnough));
  }
}

TEST_CASE("messages are no part of a reply, wherever they stand and however long they are") {
  const auto message = [](ReplyWriter& w, const char* kind, std::size_t size) {
    w.push(3);
    w.bulk(kind);
    w.array(2), w.null(), w.map(1), w.bulk("k"), w.verbatim("txt", "v");
    w.bulk(std::string(size, 'x'));
  };
  const char* const kinds[] = {"message", "pmessage", "smessage", "invalidate",
                               "tracking-redir-broken"};
  for (const std::size_t size : {1, 1000}) {
    const auto with_messages = [&](ReplyWriter& w) {
      for (const char* const kind : kinds) message(w, kind, size);
      w.array(2);
      message(w, "message", size);
      w.integer(1);
      message(w, "invalidate", size);
      w.push(1), w.bulk("subscribe");
      message(w, "message", size);
    };
    const auto without = [](ReplyWriter& w) {
      w.array(2), w.integer(1), w.push(1), w.bulk("subscribe");
    };
    CHECK(shown_of_bytes(3, with_messages) == shown(3, without));
    CHECK(shown_of_bytes(3, [&](ReplyWriter& w) { message(w, "message", size); }).empty());
    std::string bytes;
    RespWriter resp{bytes, 3};
    message(resp, "message", size);
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
      const std::string_view rest = behind_messages(std::string_view{bytes}.substr(0, cut));
      CHECK((rest.empty() || cut < 17));  // Only from there on it is known to be one.
    }
    resp.ok();
    CHECK(behind_messages(bytes) == "+OK\r\n");
  }
}

TEST_CASE("bytes that are cut off anywhere are told as far as they go") {
  Random random{7};
  std::string bytes;
  RespWriter resp{bytes, 3};
  resp.array(20);
  for (int i = 0; i < 20; ++i) write_any(random, resp, 0);
  const std::size_t first = bytes.size();
  resp.bulk("behind it");
  TextWriter whole;
  read_replies(bytes, whole);
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    TextWriter text;
    read_replies(std::string_view{bytes}.substr(0, size), text);
    CHECK(text.text().size() <= whole.text().size());
    if (size >= first) CHECK(text.text() == whole.text());
  }
}

}  // namespace
}  // namespace picklock

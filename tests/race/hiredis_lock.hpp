// A lock class as people write it against hiredis: blocking, with a slip in its release.
//
// A template over the types of context and reply: it compiles against hiredis and against the
// simulated world, where the calls are found beside those. Used by the tests of both.
#pragma once

#include <string>
#include <string_view>

namespace picklock::tests {

enum class Release { checked_by_script, get_then_del };

template <class Context, class Reply>
class HiredisLock {
 public:
  HiredisLock(Context* context, std::string name, std::string token, Release release)
      : context_(context), name_(std::move(name)), token_(std::move(token)), release_(release) {}

  bool acquire(int ttl_ms) {
    auto* reply = static_cast<Reply*>(
        redisCommand(context_, "SET %s %s NX PX %d", name_.c_str(), token_.c_str(), ttl_ms));
    const bool taken = reply != nullptr && reply->str != nullptr && reply->len == 2;
    freeReplyObject(reply);
    return taken;
  }

  void release() {
    if (release_ == Release::checked_by_script) {
      constexpr const char* kScript =
          "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end "
          "return 0";
      freeReplyObject(static_cast<Reply*>(
          redisCommand(context_, "EVAL %s 1 %s %s", kScript, name_.c_str(), token_.c_str())));
      return;
    }
    auto* owner = static_cast<Reply*>(redisCommand(context_, "GET %s", name_.c_str()));
    const bool own = owner != nullptr && owner->str != nullptr &&
                     std::string_view{owner->str, owner->len} == token_;
    freeReplyObject(owner);
    if (own) freeReplyObject(static_cast<Reply*>(redisCommand(context_, "DEL %s", name_.c_str())));
  }

 private:
  Context* context_;
  std::string name_;
  std::string token_;
  Release release_;
};

}  // namespace picklock::tests

// hiredis's synchronous interface over the simulated world: the same names, structures and rules.
//
//   using namespace picklock::race::hiredis;
//   redisContext context{worker, redis};
//   auto* reply = static_cast<redisReply*>(
//       redisCommand(&context, "SET %s %s NX PX %d", "lock", token, 500));
//
// Code that is a template over the types of context and reply compiles for both: the calls are
// found where those types are. A broken connection, or a format that hiredis does not understand,
// gives null and sets `err`, until redisReconnect(). Used on a blocking worker's thread.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <string>
#include <vector>

#include <picklock/race/blocking.hpp>

#pragma GCC visibility push(default)

namespace picklock::race::hiredis {

// The numbers are hiredis's, which come from its read.h.
/// REDIS_REPLY_STRING.
inline constexpr int kReplyString = 1;
/// REDIS_REPLY_ARRAY.
inline constexpr int kReplyArray = 2;
/// REDIS_REPLY_INTEGER.
inline constexpr int kReplyInteger = 3;
/// REDIS_REPLY_NIL.
inline constexpr int kReplyNil = 4;
/// REDIS_REPLY_STATUS.
inline constexpr int kReplyStatus = 5;
/// REDIS_REPLY_ERROR.
inline constexpr int kReplyError = 6;
/// REDIS_ERR_OTHER.
inline constexpr int kErrOther = 2;
/// REDIS_ERR_EOF.
inline constexpr int kErrEof = 3;

/// As hiredis's: read the fields that the type has.
struct redisReply {
  int type = kReplyNil;            ///< One of the constants above.
  long long integer = 0;           ///< Of an integer.
  double dval = 0;                 ///< Of a double.
  std::size_t len = 0;             ///< The length of `str` in bytes.
  char* str = nullptr;             ///< Ends with a zero; null if there is no text.
  std::size_t elements = 0;        ///< How many there are in `element`.
  redisReply** element = nullptr;  ///< Null if there are none.

  /// The reply's own memory; `str` and `element` point into it.
  std::string text;
  /// What `element` points into.
  std::vector<redisReply*> parts;
};

/// As hiredis's: a connection of one worker to one node. Make it on the stack.
struct redisContext {
  /// Both must outlive the context.
  redisContext(BlockingWorker& blocking_worker, Node& server)
      : worker(&blocking_worker), node(&server) {}
  /// 0, kErrEof once the connection has broken, or kErrOther after a format that is none.
  int err = 0;
  char errstr[128] = {};   ///< Why, for people.
  BlockingWorker* worker;  ///< Who asks.
  Node* node;              ///< Who answers.
};

/// As redisCommand: words are parted by spaces; %s a string, %b a string and its size_t length, the
/// usual conversions for numbers (no %zu: hiredis has none), %% a percent sign. What comes back is
/// a redisReply, null if `err` is set, or was before.
void* redisCommand(redisContext* context, const char* format, ...);
/// The same, with the arguments in a list.
void* redisvCommand(redisContext* context, const char* format, std::va_list arguments);
/// `lengths` may be null: then the words end with a zero.
void* redisCommandArgv(redisContext* context, int count, const char** words,
                       const std::size_t* lengths);
/// Frees a reply and its elements; null is allowed.
void freeReplyObject(redisReply* reply);
/// Always succeeds (0): the next command may find the connection broken again.
int redisReconnect(redisContext* context);

}  // namespace picklock::race::hiredis

#pragma GCC visibility pop

// hiredis's synchronous interface over the simulated world: the same names, structures and rules.
//
//   using namespace picklock::race::hiredis;
//   redisContext context{worker, redis};
//   auto* reply = static_cast<redisReply*>(
//       redisCommand(&context, "SET %s %s NX PX %d", "lock", token, 500));
//
// Code that is a template over the types of context and reply compiles for both: the calls are
// found where those types are. A broken connection gives null and sets
// `err`, until redisReconnect(). Used on a blocking worker's thread.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <string>
#include <vector>

#include <picklock/race/blocking.hpp>

#pragma GCC visibility push(default)

namespace picklock::race::hiredis {

// The numbers are hiredis's, which come from its read.h.
inline constexpr int kReplyString = 1;
inline constexpr int kReplyArray = 2;
inline constexpr int kReplyInteger = 3;
inline constexpr int kReplyNil = 4;
inline constexpr int kReplyStatus = 5;
inline constexpr int kReplyError = 6;
inline constexpr int kErrEof = 3;

struct redisReply {
  int type = kReplyNil;
  long long integer = 0;
  double dval = 0;
  std::size_t len = 0;
  char* str = nullptr;
  std::size_t elements = 0;
  redisReply** element = nullptr;

  /// The reply's own memory; `str` and `element` point into it.
  std::string text;
  std::vector<redisReply*> parts;
};

struct redisContext {
  redisContext(BlockingWorker& blocking_worker, Node& server)
      : worker(&blocking_worker), node(&server) {}
  int err = 0;
  char errstr[128] = {};
  BlockingWorker* worker;
  Node* node;
};

/// As redisCommand: words are parted by spaces; %s a string, %b a string and its size_t length, the
/// usual conversions for numbers, %% a percent sign. What comes back is a redisReply, null if the
/// connection broke, or has before.
void* redisCommand(redisContext* context, const char* format, ...);
void* redisvCommand(redisContext* context, const char* format, std::va_list arguments);
/// `lengths` may be null: then the words end with a zero.
void* redisCommandArgv(redisContext* context, int count, const char** words,
                       const std::size_t* lengths);
void freeReplyObject(redisReply* reply);
/// Always succeeds (0): the next command may find the connection broken again.
int redisReconnect(redisContext* context);

}  // namespace picklock::race::hiredis

#pragma GCC visibility pop

// Lua 5.1 as Redis 7.0 runs it: its sandbox, its conversions, its error texts.
//
// One interpreter serves one engine and keeps compiled scripts from call to call. It knows no
// keyspace and no command: a script leaves through the CallHost, replies come back through a
// ReplyWriter. Not thread-safe; not reentrant (a script cannot run a script).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/base/profile.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock::lua {

/// redis.LOG_DEBUG and its siblings.
enum class LogLevel : std::uint8_t { debug = 0, verbose = 1, notice = 2, warning = 3 };

/// The one door through which a script reaches the server. An exception that leaves one of these
/// ends the script and leaves run().
class CallHost {
 public:
  virtual ~CallHost() = default;
  /// Executes what redis.call or redis.pcall asks for, as a client of protocol `resp_version` (2,
  /// or 3 after redis.setresp(3)), and writes exactly one reply. `words` is never empty. An error
  /// of the command is written as an error ("WRONGTYPE ..."); the interpreter raises it or returns
  /// it.
  virtual void call(Args words, int resp_version, ReplyWriter& reply) = 0;
  virtual void log(LogLevel level, std::string_view text) = 0;
  /// redis.acl_check_cmd: whether the calling user may execute `words`, whose command exists.
  virtual bool acl_allows(Args words) = 0;
  /// Whether `words` names a command with a possible number of arguments, which acl_allows wants.
  virtual bool command_exists(Args words) {
    (void)words;
    return true;
  }
  /// Whether replicas are told of what is called from now on (redis.set_repl).
  virtual void tells_replicas(bool told) { (void)told; }
  /// The script has used up its instruction budget (and again after every further budget). True
  /// ends it with Redis's SCRIPT KILL error; false lets it go on.
  virtual bool must_stop() = 0;

  /// Whether the calls below are wanted, which cost time. Asked once, when a script starts.
  virtual bool watches() const { return false; }
  /// Line `line` of the script itself, not of what it loads, is about to run.
  virtual void at_line(int line) { (void)line; }
  /// The call() that follows stands in line `line`.
  virtual void calling_from(int line) { (void)line; }
  /// The script ended with an error of this text; `line` is 0 if it is not known.
  virtual void raised(std::string_view text, int line) { (void)text, (void)line; }
};

/// What scripts have set in cjson. Redis keeps it until SCRIPT FLUSH.
struct CjsonSettings {
  bool sparse_convert = false;
  int sparse_ratio = 2;
  int sparse_safe = 10;
  int encode_max_depth = 1000;
  int decode_max_depth = 1000;
  int number_precision = 14;
  bool keep_buffer = true;
  enum class Invalid : std::uint8_t { refused, allowed, null } encode_invalid = Invalid::refused;
  bool decode_invalid = true;
  bool operator==(const CjsonSettings&) const = default;
};

/// What stays in the interpreter from script to script, so that a snapshot can carry it.
struct LastingState {
  /// State of math.random: Redis's own generator, at its fixed start.
  std::uint64_t random = 0x1234ABCD330E;
  CjsonSettings cjson;
  bool operator==(const LastingState&) const = default;
};

/// What a function or a script says of itself; bits of RegisteredFunction::flags.
enum ScriptFlag : std::uint32_t {
  kNoWrites = 1 << 0,
  kAllowOom = 1 << 1,
  kAllowStale = 1 << 2,
  kNoCluster = 1 << 3,
  kAllowCrossSlotKeys = 1 << 4,
};
/// Their names, in the order of the bits.
inline constexpr std::string_view kScriptFlagNames[] = {"no-writes", "allow-oom", "allow-stale",
                                                        "no-cluster", "allow-cross-slot-keys"};

/// What a library says in redis.register_function.
struct RegisteredFunction {
  std::string name;
  std::optional<std::string> description;
  std::uint32_t flags = 0;
  int handle = 0;  ///< For Interpreter::run().
};

class Interpreter {
 public:
  /// Redis keeps scripts and functions in two interpreters that offer different globals.
  enum class Kind : std::uint8_t { scripts, functions };
  struct Options {
    Kind kind = Kind::scripts;
    /// Virtual-machine instructions a script may execute before CallHost::must_stop() is asked.
    std::uint64_t instruction_budget = 500'000'000;
    /// Bytes that Lua may hold before a script fails with "not enough memory"; 0 is no limit.
    std::size_t heap_limit_bytes = std::size_t{1} << 30;
    /// The server whose version scripts see; never null.
    const Profile* profile = &kDefaultProfile;
  };

  Interpreter();
  explicit Interpreter(Options options);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  /// A compiled script; 0 is none.
  using Handle = int;

  /// Compiles `body`, which errors will call `sha1`. A first line "#!..." is skipped, not read. On
  /// failure returns 0 and puts Redis's text ("ERR Error compiling script (new function):
  /// user_script:N: ...") into `error`.
  Handle compile(std::string_view sha1, std::string_view body, std::string& error);
  /// Runs `code`, the text of a library from its first line break on, which registers its
  /// functions. On failure returns false and puts Redis's text into `error`.
  bool load_library(std::string_view code, CallHost& host,
                    std::vector<RegisteredFunction>& functions, std::string& error);
  /// Frees a compiled script, or a function.
  void forget(Handle script);

  /// Runs `script` with KEYS and ARGV (a function gets them as arguments) and writes its one reply,
  /// an error included, to `out`.
  void run(Handle script, Args keys, Args argv, CallHost& host, ReplyWriter& out);

  /// The part of the lasting state that functions and scripts share: that of math.random.
  std::uint64_t random_state() const;
  void set_random_state(std::uint64_t random);
  LastingState lasting_state() const;
  void set_lasting_state(const LastingState& state);

  /// How much all runs so far have executed, in instructions, as far as the budget counts them.
  std::uint64_t executed() const;

  /// The lines of a script, or function, that hold code: those that at_line can be told of.
  std::vector<int> code_lines(Handle script) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace picklock::lua

// The script cache, and the interpreter that runs what is in it.
//
// The cache is what a client can see (SCRIPT EXISTS, NOSCRIPT) and what a snapshot keeps; compiled
// forms are only kept beside it, and survive SCRIPT FLUSH and restored snapshots, since the same
// bytes compile to the same code.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/base/profile.hpp"
#include "emulator/engine/script_cache.hpp"
#include "emulator/keyspace/dict.hpp"
#include "emulator/resp/reply_writer.hpp"
#include "lua/interpreter.hpp"

namespace picklock {

class Scripts {
 public:
  Scripts(std::uint64_t budget, const Profile& profile) : budget_(budget), profile_(&profile) {}
  /// Lets scripts see another server from now on.
  void imitate(const Profile& profile);

  /// How a script comes into the cache: what came by EVAL may be forgotten one day.
  enum class Origin : std::uint8_t { load, eval };
  /// Puts a script that compiles into the cache; otherwise false, with the error to answer in
  /// `error`.
  bool load(std::string_view sha1, std::string_view body, Origin origin, std::string& error);
  /// The name of a script: its sha1_hex(), which takes longer than most scripts run. The last few
  /// texts are remembered with theirs.
  std::array<char, 40> name_of(std::string_view body);
  bool knows(std::string_view sha1) const { return find(sha1) != nullptr; }
  /// The text of a script; null if the cache does not know it.
  const std::string* find(std::string_view sha1) const {
    const Ready& ready = ready_of(sha1);
    return ready.is(sha1) ? ready.body : find_anew(sha1);
  }
  /// Forgets every script, and what scripts have set in cjson; not the state of math.random.
  void flush();
  std::size_t size() const { return cache_->size(); }
  template <class Visit>
  void for_each_sha1(Visit&& visit) const {
    cache_->for_each_sha1(visit);
  }

  /// Runs a script that the cache knows.
  void run(std::string_view sha1, Args keys, Args argv, lua::CallHost& host, ReplyWriter& out);

  std::shared_ptr<const ScriptCache> cache() const { return cache_; }
  lua::LastingState lasting_state() const;
  void set_lasting_state(const lua::LastingState& state);
  void restore(const std::shared_ptr<const ScriptCache>& cache, const lua::LastingState& state);
  /// The part of the lasting state that functions share.
  std::uint64_t random_state() const;
  void set_random_state(std::uint64_t random);

  /// How much scripts have executed, in instructions.
  std::uint64_t executed() const { return interpreter_ ? interpreter_->executed() : 0; }

  /// The lines of a known script that hold code; empty if it does not compile.
  std::vector<int> code_lines(std::string_view sha1);

 private:
  /// Compiled forms kept at the most; beyond that all are dropped and compiled again when needed.
  static constexpr std::size_t kMaxCompiled = 1000;

  lua::Interpreter& interpreter();
  lua::Interpreter::Handle compile(std::string_view sha1, std::string_view body,
                                   std::string& error);

  std::uint64_t budget_;
  const Profile* profile_;
  std::shared_ptr<const ScriptCache> cache_ =
      std::make_shared<ScriptCache>();  // Shared with snapshots.
  /// The cache, to be changed: a copy of its own if a snapshot has it too.
  ScriptCache& own_cache();
  Dict<lua::Interpreter::Handle> compiled_;

  /// A script that was looked for lately and found, until the cache or a compiled form changes.
  struct Ready {
    std::array<char, 40> sha1;
    const std::string* body = nullptr;    // In the cache; null: nothing is known.
    lua::Interpreter::Handle handle = 0;  // 0: not known.
    bool is(std::string_view name) const {
      constexpr std::size_t kAtOnce = 32;  // As many bytes as compilers compare without a call.
      return body != nullptr && name.size() == sha1.size() &&
             std::memcmp(name.data(), sha1.data(), kAtOnce) == 0 &&
             std::memcmp(name.data() + kAtOnce, sha1.data() + kAtOnce, sizeof sha1 - kAtOnce) == 0;
    }
  };
  Ready& ready_of(std::string_view sha1) const {
    constexpr std::size_t kMask = 15;
    return ready_[sha1.empty() ? 0 : static_cast<unsigned char>(sha1.back()) * 7U & kMask];
  }
  const std::string* find_anew(std::string_view sha1) const;
  void forget_ready() { ready_.fill(Ready{}); }
  mutable std::array<Ready, 16> ready_{};

  struct Named {
    bool is_set = false;
    std::string body{};
    std::array<char, 40> sha1{};
  };
  std::unique_ptr<std::array<Named, 16>> named_;  // Made when the first script comes.
  lua::LastingState pending_state_{};             // What a new interpreter starts with.
  std::unique_ptr<lua::Interpreter>
      interpreter_;  // Made when the first script comes: it costs tens of us.
};

}  // namespace picklock

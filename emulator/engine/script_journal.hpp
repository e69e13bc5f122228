// What is noted of scripts for those who write them: redis.log, and all that a watched one does.
//
// Lives in the engine beside its state: nothing here changes what a script or a client sees, and no
// snapshot keeps it.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <picklock/script_report.hpp>

namespace picklock {

class ScriptJournal {
 public:
  /// `summary` keeps what does not grow with every call: coverage, and each warning and error once.
  enum class Watch : std::uint8_t { off, summary, everything };
  static constexpr std::size_t kMaxLines = 10'000;

  void log(LogLevel level, std::string_view text, Instant now);
  std::vector<LogLine> log_lines() const { return {log_.begin(), log_.end()}; }
  void clear_log() { log_.clear(); }

  /// Starts anew, or stops. What was noted before goes.
  void watch(Watch what);
  bool watching() const { return watching_ != Watch::off; }
  bool keeps_calls() const { return watching_ == Watch::everything; }
  /// Calls the script with this SHA-1 `name` from now on.
  void name(std::string_view sha1, std::string_view name) { names_[std::string{sha1}] = name; }
  /// The name that was given; else the file of lua/scripts/ that the script is; else its SHA-1.
  std::string name_of(std::string_view script) const;

  /// A script starts that has these lines of code.
  void started(std::string_view script, const std::vector<int>& lines);
  bool knows_lines_of(std::string_view script) const { return coverage_.contains(script); }
  void at_line(std::string_view script, int line);
  void called(ScriptReport::Call call) { report_.calls.push_back(std::move(call)); }
  void undeclared(ScriptReport::Undeclared use);
  void raised(std::string_view script, int line, std::string_view text);

  ScriptReport report() const;

  /// Called with every line of the log; empty: nobody.
  std::function<void(const LogLine&)> on_log;

 private:
  std::deque<LogLine> log_;
  Watch watching_ = Watch::off;
  ScriptReport report_;  // All but the coverage.
  std::map<std::string, std::map<int, std::uint64_t>, std::less<>> coverage_;  // By script.
  std::set<std::tuple<std::string, int, std::string>> warned_;
  std::map<std::string, std::string, std::less<>> names_;  // By SHA-1.
};

}  // namespace picklock

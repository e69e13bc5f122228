#include "emulator/engine/script_journal.hpp"

#include <algorithm>

#include "emulator/base/sha1.hpp"
#include "lua/scripts.hpp"

namespace picklock {
namespace {

using NamesBySha1 = std::map<std::string, std::string, std::less<>>;

NamesBySha1 name_shipped_scripts() {
  NamesBySha1 names;
  for (const scripts::Script& script : scripts::all()) {
    const auto sha1 = sha1_hex(script.source);
    names.emplace(std::string{sha1.data(), sha1.size()},
                  "lua/scripts/" + std::string{script.name} + ".lua");
  }
  return names;
}

}  // namespace

void ScriptJournal::log(LogLevel level, std::string_view text, Instant now) {
  log_.push_back({level, std::string{text}, now});
  if (log_.size() > kMaxLines) log_.pop_front();
  if (!on_log) return;
  const LogLine line = log_.back();  // Who is told may clear the log.
  on_log(line);
}

void ScriptJournal::watch(Watch what) {
  watching_ = what;
  report_ = {};
  coverage_.clear();
  warned_.clear();
}

std::string ScriptJournal::name_of(std::string_view script) const {
  if (const auto named = names_.find(script); named != names_.end()) return named->second;
  static const NamesBySha1 shipped = name_shipped_scripts();
  const auto own = shipped.find(script);
  return own == shipped.end() ? std::string{script} : own->second;
}

void ScriptJournal::started(std::string_view script, const std::vector<int>& lines) {
  auto& counts = coverage_[std::string{script}];
  for (const int line : lines) counts[line];
}

void ScriptJournal::at_line(std::string_view script, int line) {
  const auto counts = coverage_.find(script);
  if (counts == coverage_.end()) return;
  // The line of an `end` runs too, but holds no code that could be left out.
  if (const auto count = counts->second.find(line); count != counts->second.end()) ++count->second;
}

void ScriptJournal::undeclared(ScriptReport::Undeclared use) {
  if (warned_.emplace(use.script, use.line, use.key).second)
    report_.undeclared.push_back(std::move(use));
}

void ScriptJournal::raised(std::string_view script, int line, std::string_view text) {
  ScriptReport::Error error{name_of(script), line, std::string{text}};
  if (!keeps_calls() && std::ranges::find(report_.errors, error) != report_.errors.end()) return;
  if (keeps_calls() || report_.errors.size() < kMaxLines)
    report_.errors.push_back(std::move(error));
}

ScriptReport ScriptJournal::report() const {
  ScriptReport report = report_;
  std::map<std::string, std::vector<ScriptReport::Line>> by_name;
  for (const auto& [script, counts] : coverage_) {
    auto& lines = by_name[name_of(script)];
    for (const auto& [line, runs] : counts) lines.push_back({line, runs});
  }
  for (auto& [script, lines] : by_name) report.coverage.push_back({script, std::move(lines)});
  return report;
}

}  // namespace picklock

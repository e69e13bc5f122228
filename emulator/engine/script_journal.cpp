#include "emulator/engine/script_journal.hpp"

namespace picklock {

void ScriptJournal::log(LogLevel level, std::string_view text, Instant now) {
  log_.push_back({level, std::string{text}, now});
  if (log_.size() > kMaxLines) log_.pop_front();
  if (on_log) on_log(log_.back());
}

void ScriptJournal::watch(bool on) {
  watching_ = on;
  report_ = {};
  coverage_.clear();
  warned_.clear();
}

std::string ScriptJournal::name_of(std::string_view script) const {
  const auto named = names_.find(script);
  return named == names_.end() ? std::string{script} : named->second;
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
  report_.errors.push_back({name_of(script), line, std::string{text}});
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

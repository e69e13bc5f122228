#include <algorithm>
#include <map>
#include <utility>

#include <picklock/script_report.hpp>

namespace picklock {

namespace {

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::string place(const std::string& script, int line) {
  return line > 0 ? script + ":" + std::to_string(line) : script;
}

std::string shown(const std::string& value) { return value.empty() ? "nothing" : value; }

std::string describe(const ScriptReport::Call& call) {
  std::string text = place(call.script, call.line) + ":";
  for (const std::string& word : call.words) text += " " + replies::bulk(word).to_string();
  text += " -> " + call.reply.to_string() + "\n";
  for (const auto& change : call.changes)
    text += "    db" + std::to_string(change.database) + " " +
            replies::bulk(change.key).to_string() + ": " + shown(change.before) + " => " +
            shown(change.after) + "\n";
  return text;
}

std::string describe(const ScriptReport::Coverage& coverage) {
  std::string missed;
  std::size_t ran = 0;
  for (const auto& line : coverage.lines) {
    if (line.runs > 0)
      ++ran;
    else
      missed += (missed.empty() ? "" : ", ") + std::to_string(line.number);
  }
  return coverage.script + ": " + std::to_string(ran) + " of " +
         std::to_string(coverage.lines.size()) + " lines ran" +
         (missed.empty() ? "" : "; never " + missed) + "\n";
}

}  // namespace

void ScriptReport::add(const ScriptReport& other) {
  append(calls, other.calls);
  append(errors, other.errors);
  for (const Undeclared& use : other.undeclared)
    if (std::find(undeclared.begin(), undeclared.end(), use) == undeclared.end())
      undeclared.push_back(use);
  std::map<std::string, std::map<int, std::uint64_t>> sums;
  for (const std::vector<Coverage>* source : {&std::as_const(coverage), &other.coverage})
    for (const Coverage& script : *source)
      for (const Line& line : script.lines) sums[script.script][line.number] += line.runs;
  coverage.clear();
  for (const auto& [script, counts] : sums) {
    Coverage& sum = coverage.emplace_back(Coverage{script, {}});
    for (const auto& [number, runs] : counts) sum.lines.push_back({number, runs});
  }
}

std::string ScriptReport::to_string() const {
  std::string text;
  for (const Call& call : calls) text += describe(call);
  for (const Undeclared& use : undeclared)
    text += place(use.script, use.line) + ": warning: " + use.command + " uses the key " +
            replies::bulk(use.key).to_string() + ", which is not in KEYS\n";
  for (const Error& error : errors)
    text += place(error.script, error.line) + ": error: " + error.text + "\n";
  for (const Coverage& script : coverage) text += describe(script);
  return text;
}

}  // namespace picklock

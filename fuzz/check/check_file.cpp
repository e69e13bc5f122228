#include "fuzz/check/check_file.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "emulator/base/numbers.hpp"
#include "emulator/base/sha1.hpp"
#include "fuzz/check/lua_value.hpp"
#include "fuzz/program/fault_words.hpp"

namespace picklock::race {
namespace {

constexpr std::size_t kMostSteps = 8;
constexpr std::size_t kLargestFile = std::size_t{1} << 20;
using Type = LuaValue::Type;

/// Why a check file cannot be used. Leaves nothing but this file's functions.
struct Complaint {
  std::string text;
};

[[noreturn]] void complain(std::string text) { throw Complaint{std::move(text)}; }

std::string read_bytes(const std::string& path, const std::string& what) {
  std::ifstream file{path, std::ios::binary};
  file.peek();  // Of a folder this fails; of an empty file it is the end.
  if (!file && !file.eof()) complain("cannot read " + what + one_line(path));
  std::string bytes(kLargestFile + 1, '\0');  // A device may have no end.
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  if (bytes.size() > kLargestFile) complain(what + one_line(path) + " is larger than 1 MiB");
  return bytes;
}

/// Only these names, and in a sentence which there are.
void allow(const LuaValue& table, const std::string& where,
           std::initializer_list<std::string_view> names) {
  for (const auto& [name, value] : table.fields) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    std::string known;
    for (const std::string_view allowed : names)
      known += (known.empty() ? "" : ", ") + std::string{allowed};
    complain(where + "'" + one_line(name) + "' is no field here: take " + known);
  }
}

std::int64_t whole(const LuaValue& value, const std::string& name, std::int64_t usual,
                   std::int64_t least, std::int64_t most) {
  if (value.is_nil()) return usual;
  const bool fits = value.type == Type::number && value.number >= static_cast<double>(least) &&
                    value.number <= static_cast<double>(most) &&
                    value.number == std::floor(value.number);
  if (!fits)
    complain(name + " must be a whole number from " + to_text(least) + " to " + to_text(most));
  return static_cast<std::int64_t>(value.number);
}

bool flag(const LuaValue& value, const std::string& name, bool usual) {
  if (value.is_nil()) return usual;
  if (value.type != Type::boolean) complain(name + " must be true or false");
  return value.boolean;
}

std::string text_of(const LuaValue& value, const std::string& name) {
  if (value.type != Type::text || value.text.empty()) complain(name + " must be a text");
  return value.text;
}

Word word_of(const LuaValue& value, const std::string& where) {
  Word word;
  const bool number = value.type == Type::number && value.number == std::floor(value.number) &&
                      std::abs(value.number) < 1e15;
  if (value.type != Type::text && !number) complain(where + " must be texts, or whole numbers");
  const std::string text = number ? to_text(static_cast<std::int64_t>(value.number)) : value.text;
  if (const std::string problem = word.read(text); !problem.empty())
    complain(where + ": " + problem);
  return word;
}

/// What has a name in a list would be left out.
void refuse_names(const LuaValue& list, const std::string& where) {
  if (list.fields.empty()) return;
  complain(where + ": '" + one_line(list.fields.front().first) +
           "' has no place in a list: give the values alone, in order");
}

std::vector<Word> words_of(const LuaValue& value, const std::string& where) {
  std::vector<Word> words;
  if (value.is_nil()) return words;
  if (value.type != Type::table) complain(where + " must be a table of texts: {\"$key\"}");
  refuse_names(value, where);
  for (const LuaValue& element : value.list) words.push_back(word_of(element, where));
  return words;
}

Rule rule_of(const LuaValue& value, const std::string& where) {
  Rule rule;
  if (value.type == Type::boolean) {
    rule.type = value.boolean ? Rule::Type::truthy : Rule::Type::null;
  } else if (value.type == Type::number && value.number == std::floor(value.number) &&
             std::abs(value.number) < 1e15) {
    rule.type = Rule::Type::integer;
    rule.integer = static_cast<std::int64_t>(value.number);
  } else if (value.type == Type::text && value.text == "$past") {
    rule.type = Rule::Type::past;
  } else if (value.type == Type::text) {
    rule.type = Rule::Type::text;
    rule.text = word_of(value, where);
  } else {
    complain(where + " must be a whole number, a text, true, false (nil), or a table of those");
  }
  return rule;
}

std::vector<Rule> rules_of(const LuaValue& value, const std::string& where) {
  std::vector<Rule> rules;
  if (value.is_nil()) return rules;
  if (value.type != Type::table) return {rule_of(value, where)};
  refuse_names(value, where);
  for (const LuaValue& element : value.list) rules.push_back(rule_of(element, where));
  return rules;
}

void read_script(CheckStep& step, const LuaValue& table, const std::string& where,
                 const std::string& folder) {
  if (table["script"].is_nil()) {
    const std::string path = text_of(table["file"], where + "file");
    step.script = read_bytes(path.starts_with('/') ? path : folder + path, where + "file: ");
  } else {
    step.script = text_of(table["script"], where + "script");
  }
  const auto digest = sha1_hex(step.script);
  step.digest.assign(digest.data(), digest.size());
  step.words = words_of(table["keys"], where + "keys");
  Word count;
  static_cast<void>(count.read(to_text(static_cast<std::int64_t>(step.words.size()))));
  step.words.insert(step.words.begin(), count);
  for (Word& word : words_of(table["args"], where + "args")) step.words.push_back(std::move(word));
}

CheckStep step_of(const LuaValue& table, const std::string& where, const std::string& folder) {
  if (table.type != Type::table) complain(where + "this must be a table, as in fuzz/examples");
  allow(table, where, {"script", "file", "keys", "args", "command", "success", "goes_on"});
  const int ways = static_cast<int>(!table["script"].is_nil()) +
                   static_cast<int>(!table["file"].is_nil()) +
                   static_cast<int>(!table["command"].is_nil());
  if (ways != 1)
    complain(where + (ways == 0 ? "there is no script: give script, file or command"
                                : "give one of script, file and command"));
  CheckStep step;
  if (table["command"].is_nil()) {
    read_script(step, table, where, folder);
  } else {
    step.words = words_of(table["command"], where + "command");
    if (step.words.empty()) complain(where + "command must not be empty");
    if (!table["keys"].is_nil() || !table["args"].is_nil())
      complain(where + "a command has its keys and arguments among its words");
  }
  step.success = rules_of(table["success"], where + "success");
  step.goes_on = rules_of(table["goes_on"], where + "goes_on");
  return step;
}

/// One step, or a list of them.
Requests operation_of(const LuaValue& table, std::string_view name, const std::string& folder) {
  Requests operation;
  const std::string where = std::string{name} + ": ";
  if (table.is_nil()) return operation;
  if (table.type == Type::table && !table.list.empty()) {
    if (table.list.size() > kMostSteps) complain(where + "at most 8 requests in a row");
    for (const LuaValue& step : table.list) operation.push_back(step_of(step, where, folder));
    if (!table.fields.empty())
      complain(where + "'" + one_line(table.fields.front().first) +
               "' stands beside a list of requests: put it into the one that it is for");
  } else {
    operation.push_back(step_of(table, where, folder));
  }
  for (std::size_t i = 0; i < operation.size(); ++i) {
    const bool last = i + 1 == operation.size();
    const bool frees = name == kRelease && last;
    if (operation[i].success.empty() && operation[i].goes_on.empty() && !frees)
      complain(where + "there is no success rule: say which reply means success, as success = 1");
    if (last && !operation[i].goes_on.empty())
      complain(where + "the last request has nothing to go on to");
  }
  return operation;
}

/// What stands in a replay string: the file's name without folder and ending, in allowed letters.
std::string scenario_name(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  if (const std::size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0)
    name.resize(dot);
  name.resize(std::min<std::size_t>(name.size(), 40));
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '_') c = '-';
  }
  return name;
}

std::uint64_t digest_of(const LockCheck& check) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](std::string_view text) {
    for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    hash = (hash ^ 0x100) * 0x100000001b3;
  };
  for (const Requests* operation : {&check.acquire, &check.release, &check.extend}) {
    for (const CheckStep& step : *operation) {
      add(step.script);
      for (const Word& word : step.words) add(word.source());
      for (const std::vector<Rule>* rules : {&step.success, &step.goes_on}) {
        for (const Rule& rule : *rules)
          add(to_text(static_cast<int>(rule.type)) + to_text(rule.integer) + rule.text.source());
        add("rules");
      }
    }
    add("operation");
  }
  add(check.key);
  add(to_text(check.depth) + (check.retry ? "r" : "") + (check.watchdog ? "w" : ""));
  return hash;
}

void read_settings(const LuaValue& table, LockCheck& check) {
  check.clients = static_cast<int>(whole(table["clients"], "clients", 2, 2, kMostClients));
  check.rounds = static_cast<int>(whole(table["rounds"], "rounds", 1, 1, kMostRounds));
  check.depth = static_cast<int>(whole(table["depth"], "depth", 1, 1, kMostDepth));
  check.ttl_ms = whole(table["ttl_ms"], "ttl_ms", 1000, 1, kLongestTtlMs);
  check.retry = flag(table["retry"], "retry", false);
  check.watchdog = flag(table["watchdog"], "watchdog", false);
  check.arguments = flag(table["arguments"], "arguments", true);
  if (!table["key"].is_nil()) check.key = text_of(table["key"], "key");
  if (check.watchdog && check.extend.empty()) complain("watchdog = true wants an extend");
  if (table["faults"].is_nil()) return;
  bool delay = false;
  const std::string problem =
      read_fault_words(text_of(table["faults"], "faults"), check.faults, delay);
  if (!problem.empty()) complain("faults: " + problem);
  if (!delay) check.max_delay = std::chrono::milliseconds{0};
}

}  // namespace

bool read_check_file(const std::string& path, LockCheck& check, std::string& error) {
  try {
    const std::string source = read_bytes(path, "");
    const std::string folder = path.substr(0, path.find_last_of('/') + 1);
    LuaValue table;
    if (!read_lua_table(source, path, table, error)) return false;
    allow(table, "",
          {"acquire", "release", "extend", "clients", "rounds", "depth", "ttl_ms", "faults",
           "retry", "watchdog", "arguments", "key"});
    check = LockCheck{};
    check.file = path;
    check.name = scenario_name(path);
    check.acquire = operation_of(table["acquire"], kAcquire, folder);
    check.release = operation_of(table["release"], kRelease, folder);
    check.extend = operation_of(table["extend"], kExtend, folder);
    if (check.acquire.empty())
      complain("acquire: there is no script: give script, file or command");
    if (check.release.empty())
      complain("release: there is no script: give script, file or command");
    read_settings(table, check);
    check.digest = digest_of(check);
  } catch (const Complaint& complaint) {
    error = one_line(path) + ": " + complaint.text;
    return false;
  }
  return true;
}

}  // namespace picklock::race

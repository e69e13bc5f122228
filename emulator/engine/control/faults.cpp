#include "emulator/engine/control/faults.hpp"

#include <algorithm>
#include <array>

#include "emulator/base/glob.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/engine/command_keys.hpp"
#include "emulator/engine/table.hpp"
#include "emulator/engine/time_travel.hpp"

namespace picklock {

namespace {

using Action = RequestFault::Action;

struct ActionName {
  Action action;
  std::string_view name;
};
constexpr std::array<ActionName, 6> kActions{{{Action::error, "error"},
                                              {Action::delay, "delay"},
                                              {Action::drop_request, "drop-request"},
                                              {Action::drop_reply, "drop-reply"},
                                              {Action::close, "close"},
                                              {Action::close_after, "close-after"}}};
constexpr std::string_view kWantsAction =
    "PICKLOCK FAULT ADD wants one of ERROR <text>, DELAY <milliseconds>, DROP-REQUEST, DROP-REPLY, "
    "CLOSE, CLOSE-AFTER";

bool is_for(const RequestFault& fault, const Command& command) {
  const std::string_view wanted = fault.command;
  if (wanted.empty() || iequals(wanted, command.name)) return true;
  const auto bar = command.name.find('|');
  return bar != std::string_view::npos && iequals(wanted, command.name.substr(0, bar));
}

bool is_for(const RequestFault& fault, const Command& command, Args words) {
  if (fault.key.empty()) return true;
  const auto keys = find_keys(command, words);
  return keys && std::ranges::any_of(*keys, [&](const FoundKey& found) {
           return glob_match(fault.key, found.key);
         });
}

bool is_known(std::string_view name, const Profile& profile) {
  const auto bar = name.find('|');
  const Command* row = find_command(name.substr(0, bar), profile);
  if (!row || bar == std::string_view::npos) return row != nullptr;
  return find_subcommand(*row, name.substr(bar + 1), profile) != nullptr;
}

bool is_over(const FaultState& state) {
  return state.fault.times != 0 && state.struck >= state.fault.times;
}

std::string quoted_word(std::string_view text) {
  if (!text.empty() && text.find_first_of(" \"'\\\r\n\t") == std::string_view::npos)
    return std::string{text};
  return replies::bulk(text).to_string();
}

/// Reads "COMMAND name", "NTH n" and their like from `words` on.
std::optional<std::string> read_conditions(Args words, RequestFault& fault) {
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string name = lower(words[i]);
    std::string* text = name == "command"  ? &fault.command
                        : name == "key"    ? &fault.key
                        : name == "client" ? &fault.client
                                           : nullptr;
    std::uint64_t* number = name == "nth" ? &fault.nth : name == "times" ? &fault.times : nullptr;
    if (!text && !number)
      return "PICKLOCK FAULT ADD knows COMMAND, KEY, CLIENT, NTH and TIMES, not '" +
             std::string{words[i].substr(0, 64)} + "'";
    if (i + 1 == words.size()) return "PICKLOCK FAULT ADD " + name + " wants a word behind it";
    if (text) {
      *text = words[i + 1];
      continue;
    }
    const auto value = parse_int64(words[i + 1]);
    if (!value || *value < (name == "nth" ? 1 : 0))
      return "PICKLOCK FAULT ADD " + name + " wants a whole number from " +
             (name == "nth" ? "1" : "0 (for every one)") + " on";
    *number = static_cast<std::uint64_t>(*value);
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t Faults::add(RequestFault fault) {
  faults_.push_back({.id = ++last_id_, .fault = std::move(fault)});
  return last_id_;
}

const FaultState* Faults::find(std::uint64_t id) const {
  const auto found = std::ranges::find(faults_, id, &FaultState::id);
  return found == faults_.end() ? nullptr : &*found;
}

bool Faults::remove(std::uint64_t id) {
  return std::erase_if(faults_, [id](const FaultState& state) { return state.id == id; }) > 0;
}

const RequestFault* Faults::strike(const Command& command, Args words,
                                   std::string_view client_name) {
  const RequestFault* striking = nullptr;
  for (FaultState& state : faults_) {
    const RequestFault& fault = state.fault;
    if (!is_for(fault, command) || !is_for(fault, command, words)) continue;
    if (!fault.client.empty() && !glob_match(fault.client, client_name)) continue;
    ++state.matched;
    if (striking || is_over(state) || state.matched < fault.nth) continue;
    ++state.struck;
    striking = &fault;
  }
  return striking;
}

std::variant<RequestFault, std::string> parse_fault(Args words, const Profile& profile) {
  const auto named = std::ranges::find_if(
      kActions, [&](const ActionName& row) { return is_word(words[0], row.name); });
  if (named == kActions.end()) return std::string{kWantsAction};
  RequestFault fault{.action = named->action};
  Args rest = words.subspan(1);
  if (fault.action == Action::error || fault.action == Action::delay) {
    if (rest.empty()) return std::string{kWantsAction};
    if (fault.action == Action::error) {
      fault.text = rest[0];
    } else {
      const auto ms = parse_int64(rest[0]);
      // Out of range whatever it was: check_fault() says what is in it.
      fault.delay = std::chrono::milliseconds{
          ms && *ms <= kMaxAdvance.count() ? std::max<std::int64_t>(*ms, -1) : -1};
    }
    rest = rest.subspan(1);
  }
  if (auto why = read_conditions(rest, fault)) return *std::move(why);
  if (auto why = check_fault(fault, profile)) return *std::move(why);
  return fault;
}

std::optional<std::string> check_fault(const RequestFault& fault, const Profile& profile) {
  if (fault.action == Action::error &&
      (fault.text.empty() || fault.text.find_first_of("\r\n") != std::string::npos))
    return "PICKLOCK FAULT ADD ERROR wants one line, its code first, such as 'LOADING not yet'";
  if (fault.action == Action::delay && (fault.delay < Duration{0} || fault.delay > kMaxAdvance))
    return "PICKLOCK FAULT ADD DELAY takes milliseconds from 0 to " + to_text(kMaxAdvance.count());
  if (!fault.command.empty() && !is_known(fault.command, profile))
    return "PICKLOCK FAULT ADD COMMAND wants the name of one that there is, such as set or "
           "client|list, not '" +
           fault.command.substr(0, 64) + "'";
  if (fault.nth == 0) return "PICKLOCK FAULT ADD nth wants a whole number from 1 on";
  return std::nullopt;
}

std::string to_words(const RequestFault& fault) {
  std::string text;
  for (const auto& [action, name] : kActions)
    if (action == fault.action)
      for (const char letter : name) text += to_upper(letter);
  if (fault.action == Action::error) text += " " + quoted_word(fault.text);
  if (fault.action == Action::delay) text += " " + to_text(fault.delay.count() / 1000);
  if (!fault.command.empty()) text += " COMMAND " + quoted_word(fault.command);
  if (!fault.key.empty()) text += " KEY " + quoted_word(fault.key);
  if (!fault.client.empty()) text += " CLIENT " + quoted_word(fault.client);
  if (fault.nth != 1) text += " NTH " + std::to_string(fault.nth);
  if (fault.times != 1) text += " TIMES " + std::to_string(fault.times);
  return text;
}

}  // namespace picklock

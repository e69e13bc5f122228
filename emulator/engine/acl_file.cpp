#include "emulator/engine/acl_file.hpp"

#include <vector>

namespace picklock {

namespace {

std::vector<std::string_view> cut_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto start = line.find_first_not_of(kBlank);
  if (start == std::string_view::npos) return {};
  return line.substr(start, line.find_last_not_of(kBlank) - start + 1);
}

/// Of the rules that name no command there is, each is told; of other mistakes, the first.
std::string read_rules(User& user, Args words, bool all_channels, const std::string& where) {
  std::string errors;
  bool told = false;
  std::string_view open;
  const auto rules = merge_selectors(words, open);
  if (!rules)  // Redis 7.0.15 dies of it.
    return where + ": Unmatched parenthesis in acl selector starting at '" + std::string{open} +
           "'. ";
  for (const std::string_view rule : *rules) {
    if (rule.empty()) continue;
    ChangedUser changed = change_user(user, Args{&rule, 1}, all_channels);
    if (changed.user) {
      user = *std::move(changed.user);
      continue;
    }
    constexpr std::string_view kEnd = "': ";
    const auto end = changed.error.rfind(kEnd);
    const std::string why = end == std::string::npos ? changed.error.substr(4)
                                                     : changed.error.substr(end + kEnd.size());
    if (why.starts_with("Unknown command"))
      errors += where + ": Error in applying operation '" + std::string{rule} + "': " + why + ". ";
    else if (!std::exchange(told, true))
      errors += where + ": " + why + ". ";
  }
  return errors;
}

}  // namespace

AclFile read_acl_file(const Engine& engine, std::string_view path, std::string_view text) {
  AclFile file;
  const bool all_channels = engine.config.get("acl-pubsub-default") == "allchannels";
  std::size_t number = 0;
  for (const std::string_view raw : cut_at(text, '\n')) {
    ++number;
    const std::string_view line = trimmed(raw);
    if (line.empty()) continue;
    const auto words = cut_at(line, ' ');
    const std::string where = std::string{path} + ":" + std::to_string(number);
    if (words.size() < 2 || words[0] != "user") {
      file.error += where + " should start with user keyword followed by the username. ";
      continue;
    }
    User user{NumberedCommands::of(*engine.profile), all_channels};
    if (file.users.contains(words[1])) {
      file.error += "WARNING: Duplicate user '" + std::string{words[1]} + "' found on line " +
                    std::to_string(number) + ". ";
      continue;
    }
    file.error += read_rules(user, Args{words}.subspan(2), all_channels, where);
    file.users.emplace(words[1], std::move(user));
  }
  if (!file.error.empty())
    file.error +=
        "WARNING: ACL errors detected, no change to the previously active ACL rules was performed";
  return file;
}

void replace_users(Engine& engine, const AclFile& file) {
  std::vector<std::string> gone;
  for (const auto& [name, user] : engine.acl.users())
    if (name != Acl::kDefault && !file.users.contains(name)) gone.push_back(name);
  for (const std::string& name : gone) engine.acl.erase(name);
  if (!file.users.contains(Acl::kDefault))
    engine.acl.put(Acl::kDefault, first_default_user(*engine.profile));
  for (const auto& [name, user] : file.users) engine.acl.put(name, user);
  for (const auto& [id, session] : engine.sessions())
    if (const User* user = engine.acl.find(session->identity->user))
      session->unrestricted = user->permits_all();
}

std::string acl_file_text(const Engine& engine) {
  std::string text;
  for (const auto& [name, user] : engine.acl.users())
    text += "user " + name + " " + user.describe() + "\n";
  return text;
}

}  // namespace picklock

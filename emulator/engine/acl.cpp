#include "emulator/engine/acl.hpp"

#include <algorithm>
#include <xxhash.h>

#include "emulator/commands/errors.hpp"

namespace picklock {
namespace {

constexpr std::size_t kLookedAt = 10;  // Entries of the log that may be the same refusal.
constexpr std::chrono::seconds kSameWithin{60};

bool is_same(const AclLogEntry& a, const AclLogEntry& b) {
  return a.reason == b.reason && a.context == b.context && a.object == b.object &&
         a.username == b.username && a.at - b.at <= kSameWithin && b.at - a.at <= kSameWithin;
}

}  // namespace

User first_default_user(const Profile& profile) {
  User user{NumberedCommands::of(profile), true};
  for (const std::string_view rule : {"on", "nopass", "allkeys", "allchannels", "allcommands"})
    (void)user.apply(rule, true);
  return user;
}

Acl::Acl(const Profile& profile) { users_.edit().emplace(kDefault, first_default_user(profile)); }

const User* Acl::find(std::string_view name) const {
  const auto found = users_->find(name);
  return found == users_->end() ? nullptr : &found->second;
}

/// 0 if there is none of that name.
std::uint64_t Acl::digest_of(std::string_view name) const {
  const User* user = find(name);
  if (user == nullptr) return 0;
  const std::string text = user->describe();
  return XXH64(text.data(), text.size(), XXH64(name.data(), name.size(), 0));
}

void Acl::put(std::string_view name, User user) {
  digest_ -= digest_of(name);
  users_.edit().insert_or_assign(std::string{name}, std::move(user));
  digest_ += digest_of(name);
}

bool Acl::erase(std::string_view name) {
  const auto found = users_->find(name);
  if (found == users_->end()) return false;
  digest_ -= digest_of(name);
  Users& users = users_.edit();
  users.erase(users.find(name));
  return true;
}

void Acl::set_default_password(std::string_view password) {
  digest_ -= digest_of(kDefault);
  User& user = users_.edit().find(kDefault)->second;
  (void)user.apply("resetpass", false);
  (void)user.apply(password.empty() ? "nopass" : ">" + std::string{password}, false);
  digest_ += digest_of(kDefault);
}

void Acl::add_to_log(AclLogEntry entry, std::size_t max_entries) {
  std::deque<AclLogEntry>& log = log_.edit();
  const auto end = log.begin() + static_cast<std::ptrdiff_t>(std::min(kLookedAt, log.size()));
  const auto same = std::find_if(log.begin(), end,
                                 [&](const AclLogEntry& other) { return is_same(other, entry); });
  if (same != end) {
    entry.count = same->count + 1;
    log.erase(same);
    log.push_front(std::move(entry));
    return;
  }
  log.push_front(std::move(entry));
  if (log.size() > max_entries) log.resize(max_entries, AclLogEntry{});
}

std::optional<std::vector<std::string>> merge_selectors(Args words, std::string_view& open) {
  std::vector<std::string> rules;
  bool inside = false;
  for (const std::string_view word : words) {
    const bool opens = word.starts_with('(') && !word.ends_with(')');
    if (opens && inside)
      rules.back() = word;
    else if (inside)
      rules.back() += " " + std::string{word};
    else
      rules.emplace_back(word);
    if (opens) open = word;
    inside = opens || (inside && !word.ends_with(')'));
  }
  if (inside) return std::nullopt;
  return rules;
}

ChangedUser change_user(const User& old_user, Args words, bool all_channels) {
  std::string_view open;
  const auto rules = merge_selectors(words, open);
  if (!rules)
    return {
        {},
        "ERR Unmatched parenthesis in acl selector starting at '" + errors::printed(open) + "'."};
  User user = old_user;
  for (const std::string& rule : *rules) {
    const AclError error = user.apply(rule, all_channels);
    if (error != AclError::none)
      return {{},
              "ERR Error in ACL SETUSER modifier '" + errors::printed(rule) +
                  "': " + std::string{acl_error_text(error)}};
  }
  return {std::move(user), {}};
}

}  // namespace picklock

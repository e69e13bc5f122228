#include "emulator/engine/acl.hpp"

#include "emulator/commands/errors.hpp"

#include <algorithm>


namespace picklock {
namespace {

constexpr std::size_t kLookedAt = 10;  // Entries of the log that may be the same refusal.
constexpr std::chrono::seconds kSameWithin{60};

User all_powerful(const Profile& profile) {
  User user{NumberedCommands::of(profile), true};
  for (const std::string_view rule : {"on", "nopass", "allkeys", "allchannels", "allcommands"})
    (void)user.apply(rule, true);
  return user;
}

bool is_same(const AclLogEntry& a, const AclLogEntry& b) {
  return a.reason == b.reason && a.context == b.context && a.object == b.object &&
         a.username == b.username && a.at - b.at <= kSameWithin && b.at - a.at <= kSameWithin;
}

/// Joins the words of selectors that came in several: "(+get" "~a)". Empty, with the word that
/// opened it in `open`, if a parenthesis stays open. One that opens within another takes its place,
/// as in Redis: ACLMergeSelectorArguments.
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

}  // namespace

Acl::Acl(const Profile& profile) {
  auto users = std::make_shared<Users>();
  users->emplace(kDefault, all_powerful(profile));
  users_ = std::move(users);
}

// Only ever made as Users that are not const, so the cast is sound.
Acl::Users& Acl::own_users() {
  if (users_.use_count() > 1) users_ = std::make_shared<Users>(*users_);
  return const_cast<Users&>(*users_);
}

const User* Acl::find(std::string_view name) const {
  const auto found = users_->find(name);
  return found == users_->end() ? nullptr : &found->second;
}

void Acl::put(std::string_view name, User user) {
  own_users().insert_or_assign(std::string{name}, std::move(user));
}

bool Acl::erase(std::string_view name) {
  const auto found = users_->find(name);
  if (found == users_->end()) return false;
  Users& users = own_users();
  users.erase(users.find(name));
  return true;
}

void Acl::set_default_password(std::string_view password) {
  User& user = own_users().find(kDefault)->second;
  (void)user.apply("resetpass", false);
  (void)user.apply(password.empty() ? "nopass" : ">" + std::string{password}, false);
}

void Acl::add_to_log(AclLogEntry entry, std::size_t max_entries) {
  const auto end = log_.begin() + static_cast<std::ptrdiff_t>(std::min(kLookedAt, log_.size()));
  const auto same = std::find_if(log_.begin(), end, [&](const AclLogEntry& other) {
    return is_same(other, entry);
  });
  if (same != end) {
    entry.count = same->count + 1;
    log_.erase(same);
    log_.push_front(std::move(entry));
    return;
  }
  log_.push_front(std::move(entry));
  if (log_.size() > max_entries) log_.resize(max_entries, AclLogEntry{});
}

ChangedUser change_user(const User& old_user, Args words, bool all_channels) {
  std::string_view open;
  const auto rules = merge_selectors(words, open);
  if (!rules)
    return {{}, "ERR Unmatched parenthesis in acl selector starting at '" + errors::printed(open) + "'."};
  User user = old_user;
  for (const std::string& rule : *rules) {
    const AclError error = user.apply(rule, all_channels);
    if (error != AclError::none)
      return {{}, "ERR Error in ACL SETUSER modifier '" + errors::printed(rule) +
                      "': " + std::string{acl_error_text(error)}};
  }
  return {std::move(user), {}};
}

}  // namespace picklock

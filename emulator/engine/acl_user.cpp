#include "emulator/engine/acl_user.hpp"

#include <algorithm>

#include "emulator/base/sha256.hpp"
#include "emulator/base/text.hpp"
#include "emulator/resp/inline_words.hpp"

namespace picklock {
namespace {

std::string hash_of(std::string_view password) {
  const auto hex = sha256_hex(password);
  return {hex.data(), hex.size()};
}

bool is_hash(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace

AclError User::apply(std::string_view rule, bool all_channels) {
  if (rule.empty() || apply_flag(rule, all_channels)) return AclError::none;
  switch (rule[0]) {
    case '>':
    case '#':
    case '<':
    case '!':
      return apply_password(rule);
    case '(':
      if (rule.back() == ')') return add_selector(rule.substr(1, rule.size() - 2), all_channels);
      [[fallthrough]];
    default:
      return selectors_.front().apply(rule);
  }
}

/// Rules that are one word each; false if `rule` is none of them.
bool User::apply_flag(std::string_view rule, bool all_channels) {
  const auto is = [rule](std::string_view word) { return is_word(rule, word); };
  if (is("on") || is("off")) {
    enabled_ = is("on");
  } else if (is("nopass") || is("resetpass")) {
    no_password_ = is("nopass");
    hashes_.clear();
  } else if (is("sanitize-payload")) {
    sanitize_ = Sanitize::yes;
  } else if (is("skip-sanitize-payload")) {
    sanitize_ = Sanitize::no;
  } else if (is("clearselectors")) {
    selectors_.resize(1, selectors_.front());
  } else if (is("reset")) {
    reset(all_channels);
  } else {
    return false;
  }
  return true;
}

void User::reset(bool all_channels) {
  *this = User{*table_, all_channels};
  sanitize_ = Sanitize::yes;
}

AclError User::apply_password(std::string_view rule) {
  const bool in_clear = rule[0] == '>' || rule[0] == '<';
  const bool adds = rule[0] == '>' || rule[0] == '#';
  const std::string_view text = rule.substr(1);
  if (!in_clear && !is_hash(text)) return AclError::bad_hash;
  const std::string hash = in_clear ? hash_of(text) : std::string{text};
  const auto found = std::find(hashes_.begin(), hashes_.end(), hash);
  if (adds) {
    if (found == hashes_.end()) hashes_.push_back(hash);
    no_password_ = false;
  } else {
    if (found == hashes_.end()) return AclError::no_such_password;
    hashes_.erase(found);
  }
  return AclError::none;
}

/// The rules between parentheses are split as a request line is; where a quote stays open there
/// are none.
AclError User::add_selector(std::string_view rules, bool all_channels) {
  std::string text;
  std::vector<std::size_t> ends;
  if (!split_inline_words(rules, text, ends)) ends.clear();
  Selector selector{*table_, all_channels};
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    const std::string_view rule = std::string_view{text}.substr(begin, end - begin);
    begin = end;
    const AclError error = rule.empty() ? AclError::syntax : selector.apply(rule);
    if (error != AclError::none) return error;
  }
  selectors_.push_back(std::move(selector));
  return AclError::none;
}

bool User::accepts(std::string_view password) const {
  if (!enabled_) return false;
  return no_password_ ||
         std::find(hashes_.begin(), hashes_.end(), hash_of(password)) != hashes_.end();
}

bool User::permits_all() const {
  return std::any_of(selectors_.begin(), selectors_.end(),
                     [](const Selector& selector) { return selector.permits_all(); });
}

// Redis: ACLCheckAllUserCommandPerm. One selector is enough; otherwise the refusal that came
// closest is told.
AclVerdict User::check(const Command& command, Args words) const {
  AclVerdict worst{Denied::command, 0};
  for (const Selector& selector : selectors_) {
    const AclVerdict verdict = selector.check(command, words);
    if (verdict.denied == Denied::no) return verdict;
    if (verdict.denied > worst.denied ||
        (verdict.denied == worst.denied && verdict.word > worst.word))
      worst = verdict;
  }
  return worst;
}

bool User::permits_reading_any_key(const Command& command, Args words) const {
  return std::any_of(selectors_.begin(), selectors_.end(), [&](const Selector& selector) {
    return selector.permits_all_keys_for_reading() &&
           selector.check(command, words).denied == Denied::no;
  });
}

std::vector<std::string_view> User::flags() const {
  std::vector<std::string_view> names{enabled_ ? "on" : "off"};
  if (no_password_) names.emplace_back("nopass");
  if (sanitize_ == Sanitize::no) names.emplace_back("skip-sanitize-payload");
  if (sanitize_ == Sanitize::yes) names.emplace_back("sanitize-payload");
  return names;
}

std::string User::describe() const {
  std::string text;
  for (const std::string_view flag : flags()) text += std::string{flag} + " ";
  for (const std::string& hash : hashes_) text += "#" + hash + " ";
  text += selectors_.front().describe();
  for (std::size_t i = 1; i < selectors_.size(); ++i) text += " (" + selectors_[i].describe() + ")";
  return text;
}

}  // namespace picklock

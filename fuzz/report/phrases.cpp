#include "fuzz/report/phrases.hpp"

#include "emulator/base/numbers.hpp"
#include "emulator/base/sha1.hpp"
#include "emulator/base/text.hpp"
#include "fuzz/report/markup.hpp"
#include "fuzz/world/script_budget.hpp"
#include "lua/scripts.hpp"

namespace picklock::race {
namespace {

constexpr std::size_t kLongestWord = 24;

std::string escape(std::string_view text, std::size_t longest = kLongestWord) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string shown;
  for (const char c : text) {
    if (shown.size() >= longest) return shown + "…";
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      shown += c;
    } else {
      shown += "\\x";
      shown += kDigits[byte >> 4];
      shown += kDigits[byte & 15];
    }
  }
  return shown;
}

/// The name of a script of picklock's own by its digest, or the digest's first letters.
std::string script_name(std::string_view digest) {
  for (const scripts::Script& script : scripts::all()) {
    const auto known = sha1_hex(script.source);
    if (std::string_view{known.data(), known.size()} != digest) continue;
    // The part that says what the script does: "acquire" of "set_nx_px_acquire".
    return std::string{script.name.substr(script.name.rfind('_') + 1)};
  }
  return "EVALSHA " + escape(digest.substr(0, 7));
}

/// The command's name, and in `rest` the words that it leaves to be shown.
std::string command_name(std::span<const std::string_view> words,
                         std::span<const std::string_view>& rest) {
  rest = words.subspan(1);
  const bool by_digest = iequals(words[0], "EVALSHA");
  if (words.size() < 3 || (!by_digest && !iequals(words[0], "EVAL"))) return escape(words[0]);
  rest = words.subspan(3);
  if (by_digest) return script_name(words[1]);
  const auto digest = sha1_hex(words[1]);
  return script_name({digest.data(), digest.size()});
}

}  // namespace

std::string phrase_time(Instant instant, Instant start) {
  const std::int64_t us = (instant - start).count();
  const std::string ms = to_text(us / 1000);
  if (us % 1000 == 0) return ms;
  const std::string fraction = to_text(1000 + us % 1000);
  return ms + "." + fraction.substr(1);
}

std::string phrase_request(std::span<const std::string_view> words) {
  std::span<const std::string_view> rest;
  std::string text = command_name(words, rest);
  for (const std::string_view word : rest) {
    text += ' ';
    text += word.empty() ? "\"\"" : escape(word);
  }
  return text;
}

std::string phrase_reply(const Reply& reply) {
  switch (reply.type()) {
    case Reply::Type::null:
      return "nil";
    case Reply::Type::integer:
      return to_text(reply.integer());
    case Reply::Type::bulk:
      return std::string{'"'} + escape(reply.text()) + "\"";
    case Reply::Type::error:
      if (has_run_too_long(reply)) return "error: script ran too long";
      return "error " + escape(reply.text(), 60);
    default:
      return reply.is_aggregate() ? to_text(static_cast<std::int64_t>(reply.size())) + " elements"
                                  : escape(reply.to_string());
  }
}

std::string phrase_execution(std::string_view worker, std::span<const std::string_view> words,
                             const std::optional<Reply>& reply) {
  std::span<const std::string_view> rest;
  return std::string{worker} + ": " + command_name(words, rest) +
         (reply ? " → " + phrase_reply(*reply) : " blocks");
}

std::string phrase_lock_key(const Oracles::LockKey& key, std::string_view owner, Instant start) {
  std::string text = escape(key.name);
  if (!key.present) return text + ": free";
  text += owner.empty() ? ": held" : ": " + std::string{owner};
  return text + (key.deadline ? " until " + phrase_time(*key.deadline, start) : " for ever");
}

std::string phrase_entry(std::string_view exclusive, const Claim* claim, Instant start) {
  std::string text = std::string{exclusive};
  if (claim == nullptr) return text;
  return text + (claim->until ? " until " + phrase_time(*claim->until, start) : " for ever");
}

std::string phrase_exception(std::string_view who, const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& exception) {
    return printable(std::string{who} + ": " + exception.what());
  } catch (...) {
    return printable(who) + ": an exception of unknown type";
  }
}

namespace {

std::string phrase_ownership(const Finding& finding, const std::string& resource,
                             const std::string& subject, const std::string& other) {
  const std::string whose = " while it was " + other + "'s";
  switch (finding.deed) {
    case Deed::overwrote:
      return subject + " overwrote " + resource + whose;
    case Deed::prolonged:
      return subject + " changed the deadline of " + resource + whose;
    default:
      return subject + " freed " + resource + whose;
  }
}

}  // namespace

std::string phrase_finding(const Finding& finding, std::string_view resource_name,
                           std::string_view subject_name, std::string_view other_name) {
  const std::string resource = printable(resource_name);
  const std::string subject = printable(subject_name);
  const std::string other = printable(other_name);
  switch (finding.oracle) {
    case Oracle::none:
      return "";
    case Oracle::mutual_exclusion:
      if (finding.deed == Deed::excused)
        return subject + " entered " + resource + " while " + other +
               " was inside, whose lock a fault had taken away: no lock without fencing survives "
               "that";
      if (finding.verdict == Class::documented_limit)
        return other + " was paused beyond its deadline inside " + resource + " and " + subject +
               " entered: no lock without fencing survives that";
      return subject + " entered " + resource + " while " + other + " was inside";
    case Oracle::belief:
      return subject + " believes to hold " + resource + ", but on the server it is " +
             (finding.deed == Deed::missing ? "gone" : "another's");
    case Oracle::ownership:
      return phrase_ownership(finding, resource, subject, other);
    case Oracle::no_ttl:
      return resource + " has no TTL and " + subject +
             ", who wrote it, is gone: nobody can ever acquire it";
    case Oracle::threw:
      return resource;
    case Oracle::endless:
      return "the run does not end: a worker goes on without bound";
    case Oracle::stuck:
      return subject + " waits for something that cannot come";
    case Oracle::nondeterminism:
      return "the program is not deterministic";
    case Oracle::replay:
      return "the replay string does not fit";
    default:
      return phrase_property(finding, resource, subject, other);
  }
}

}  // namespace picklock::race

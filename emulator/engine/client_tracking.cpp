#include "emulator/engine/client_tracking.hpp"

#include <string>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/client_info.hpp"
#include "emulator/engine/engine_context.hpp"

namespace picklock {
namespace {

struct TrackingOptions {
  TrackingMode mode;
  std::vector<std::string> prefixes;  // In order of the words.
};

/// Reads word `i` and those that belong to it; false with the error answered.
bool take_option(EngineContext& c, std::size_t& i, TrackingOptions& options) {
  const std::string_view word = c.args[i];
  const bool has_value = i + 1 < c.args.size();
  if (is_word(word, "redirect") && has_value) {
    if (options.mode.redirect != 0) return c.reply.error(errors::kRedirectTwice), false;
    const auto id = parse_int64(c.args[++i]);
    if (!id) return c.reply.error(errors::kNotInteger), false;
    options.mode.redirect = static_cast<std::uint64_t>(*id);
    if (!c.engine.sessions().contains(options.mode.redirect))
      return c.reply.error(errors::kRedirectNobody), false;
  } else if (is_word(word, "bcast")) {
    options.mode.broadcast = true;
  } else if (is_word(word, "optin")) {
    options.mode.opt_in = true;
  } else if (is_word(word, "optout")) {
    options.mode.opt_out = true;
  } else if (is_word(word, "noloop")) {
    options.mode.no_loop = true;
  } else if (is_word(word, "prefix") && has_value) {
    options.prefixes.emplace_back(c.args[++i]);
  } else {
    return c.reply.error(errors::kSyntax), false;
  }
  return true;
}

/// What is wrong with `wanted` for a session in the mode `present` (null: none); empty if nothing.
std::string_view conflict(const TrackingOptions& wanted, const TrackingMode* present) {
  const TrackingMode& mode = wanted.mode;
  if (!mode.broadcast && !wanted.prefixes.empty()) return errors::kPrefixWithoutBroadcast;
  if (present && present->broadcast != mode.broadcast) return errors::kBroadcastSwitch;
  if (mode.broadcast && (mode.opt_in || mode.opt_out)) return errors::kBroadcastWithOption;
  if (mode.opt_in && mode.opt_out) return errors::kOptinAndOptout;
  if (present && ((mode.opt_in && present->opt_out) || (mode.opt_out && present->opt_in)))
    return errors::kOptionSwitch;
  return {};
}

bool overlap(std::string_view a, std::string_view b) {
  return a.starts_with(b) || b.starts_with(a);
}

/// The error for prefixes of which one is the start of another; empty if there are none.
std::string collision(const std::vector<std::string>& prefixes, const TrackingMode* present) {
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    if (present)
      for (const std::string& other : present->prefixes)
        if (overlap(prefixes[i], other))
          return errors::overlapping_prefixes(prefixes[i], "an existing", other);
    for (std::size_t j = i + 1; j < prefixes.size(); ++j)
      if (overlap(prefixes[i], prefixes[j]))
        return errors::overlapping_prefixes(prefixes[i], "another provided", prefixes[j]);
  }
  return {};
}

void switch_on(EngineContext& c, TrackingOptions& options) {
  const TrackingMode* present = c.session.tracking ? &*c.session.tracking : nullptr;
  if (const auto error = conflict(options, present); !error.empty()) return c.reply.error(error);
  if (options.mode.broadcast)
    if (const auto error = collision(options.prefixes, present); !error.empty())
      return c.reply.error(error);
  options.mode.prefixes.insert(options.prefixes.begin(), options.prefixes.end());
  start_tracking(c.engine, c.session, options.mode);
  c.reply.ok();
}

std::vector<std::string_view> flags_of(const Session& session) {
  if (!session.tracking) return {"off"};
  const TrackingMode& mode = *session.tracking;
  std::vector<std::string_view> flags{"on"};
  if (mode.broadcast) flags.emplace_back("bcast");
  if (mode.opt_in) flags.emplace_back("optin");
  if (mode.opt_in && mode.caching) flags.emplace_back("caching-yes");
  if (mode.opt_out) flags.emplace_back("optout");
  if (mode.opt_out && mode.caching) flags.emplace_back("caching-no");
  if (mode.no_loop) flags.emplace_back("noloop");
  if (mode.broken) flags.emplace_back("broken_redirect");
  return flags;
}

}  // namespace

void client_tracking(Context& c) {
  auto& ec = engine_context(c);
  TrackingOptions options;
  for (std::size_t i = 3; i < c.args.size(); ++i)
    if (!take_option(ec, i, options)) return;
  if (is_word(c.args[2], "on")) return switch_on(ec, options);
  if (!is_word(c.args[2], "off")) return c.reply.error(errors::kSyntax);
  stop_tracking(ec.engine, ec.session);
  c.reply.ok();
}

void client_caching(Context& c) {
  auto& tracking = engine_context(c).session.tracking;
  if (!tracking) return c.reply.error(errors::kCachingWithoutMode);
  if (is_word(c.args[2], "yes")) {
    if (!tracking->opt_in) return c.reply.error(errors::kCachingYes);
  } else if (is_word(c.args[2], "no")) {
    if (!tracking->opt_out) return c.reply.error(errors::kCachingNo);
  } else {
    return c.reply.error(errors::kSyntax);
  }
  tracking->caching = true;
  c.reply.ok();
}

void client_trackinginfo(Context& c) {
  const Session& session = engine_context(c).session;
  const auto flags = flags_of(session);
  c.reply.map(3);
  c.reply.bulk("flags");
  c.reply.set(flags.size());
  for (const std::string_view flag : flags) c.reply.bulk(flag);
  c.reply.bulk("redirect");
  c.reply.integer(redirection(session));
  c.reply.bulk("prefixes");
  c.reply.array(session.tracking ? session.tracking->prefixes.size() : 0);
  if (session.tracking)
    for (const std::string& prefix : session.tracking->prefixes) c.reply.bulk(prefix);
}

void client_getredir(Context& c) { c.reply.integer(redirection(engine_context(c).session)); }

}  // namespace picklock

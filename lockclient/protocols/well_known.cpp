// The protocols that people run, as scripts of lua/scripts and what their replies mean.
#include <array>
#include <stdexcept>

#include <picklock/lock/script_lock.hpp>

#include "lua/scripts.hpp"

namespace picklock {
namespace {

std::string source(std::string_view script) { return std::string{scripts::find(script)}; }

using replies::integer;
using replies::nil;

/// A step of an embedded script with the lock as its one key.
ScriptStep step(std::string_view script, std::vector<std::string> arguments,
                std::vector<Reply> success, std::vector<Reply> failure,
                std::vector<Reply> still_held = {}) {
  return {source(script),     {"{name}"},         std::move(arguments),
          std::move(success), std::move(failure), std::move(still_held)};
}
/// A plain command.
ScriptStep command(std::vector<std::string> words, Reply success, Reply failure) {
  return {"", {}, std::move(words), {std::move(success)}, {std::move(failure)}};
}

ScriptStep set_command(std::string value = "{owner}") {
  return command({"SET", "{name}", std::move(value), "NX", "PX", "{ttl_ms}"}, replies::status("OK"),
                 nil);
}
ScriptStep release_of(std::string_view value) {
  return step("set_nx_px_release", {std::string{value}}, {integer(1)}, {integer(0)});
}

ScriptProtocol simple_setnx() {
  return {
      .acquire = step("simple_setnx_acquire", {"{owner}", "{ttl_s}"}, {integer(1)}, {integer(0)}),
      .release = step("simple_setnx_release", {"{owner}"}, {integer(1)}, {integer(0)})};
}

ScriptProtocol reentrant_hash() {
  return {.acquire =
              step("reentrant_hash_acquire", {"{client}", "{ttl_s}"}, {integer(1)}, {integer(0)}),
          .release = step("reentrant_hash_release", {"{client}"}, {integer(1)}, {integer(0)})};
}

ScriptProtocol reentrant_hget() {
  return {.acquire =
              step("reentrant_hget_acquire", {"{client}", "{ttl_ms}"}, {integer(1)}, {integer(0)}),
          .release = step("reentrant_hget_release", {"{client}"}, {integer(1)}, {integer(0)})};
}

/// The one whose release has three answers: nil, not ours; 0, still held; 1, free.
ScriptProtocol reentrant_renew() {
  return {
      .acquire =
          step("reentrant_renew_acquire", {"{client}", "{ttl_s}"}, {integer(1)}, {integer(0)}),
      .release = step("reentrant_renew_release", {"{client}"}, {integer(1)}, {nil}, {integer(0)}),
      .extend = step("reentrant_renew_renew", {"{client}", "{ttl_s}"}, {integer(1)}, {integer(0)})};
}

/// Takes the waiting time for the ttl, and leaves its timers running.
ScriptProtocol reentrant_renew_client() {
  ScriptProtocol protocol = reentrant_renew();
  protocol.release.script = source("reentrant_renew_client_release");
  protocol.extend.script = source("reentrant_renew_client_renew");
  protocol.takes_wait_for_ttl = true;
  protocol.renews_after_release = true;
  return protocol;
}

/// Strings, not integers.
ScriptProtocol setex_unpack() {
  using replies::bulk;
  return {
      .acquire = step("setex_unpack_acquire", {"{ttl_s}", "{owner}"}, {bulk("1")}, {bulk("0")}),
      .release = step("setex_unpack_release", {"{owner}"}, {bulk("1")}, {bulk("0"), bulk("-1")})};
}

/// A setting in milliseconds goes to SETEX as seconds, and seconds are added to milliseconds.
ScriptProtocol setex_unpack_client() {
  ScriptProtocol protocol = setex_unpack();
  protocol.acquire.arguments[0] = "{ttl_ms}";
  protocol.wait_divisor = 1000;
  return protocol;
}

ScriptProtocol set_nx_px() { return {.acquire = set_command(), .release = release_of("{owner}")}; }

/// The same value at every node.
ScriptProtocol redlock() {
  return {.acquire = set_command("{acquisition}"),
          .release = release_of("{acquisition}"),
          .by_majority = true};
}

ScriptProtocol redlock_value_per_node() {
  ScriptProtocol protocol = set_nx_px();
  protocol.by_majority = true;
  return protocol;
}

ScriptProtocol set_nx_px_script() {
  ScriptProtocol protocol = set_nx_px();
  protocol.acquire = step("set_nx_px_acquire", {"{owner}", "{ttl_ms}"}, {integer(1)}, {integer(0)});
  return protocol;
}

ScriptProtocol del_without_check() {
  return {.acquire = set_command(), .release = command({"DEL", "{name}"}, integer(1), integer(0))};
}

ScriptProtocol get_then_del() {
  ScriptStep get{.arguments = {"GET", "{name}"},
                 .goes_on = {replies::bulk("{owner}")},
                 .otherwise_fails = true,
                 .then = {command({"DEL", "{name}"}, integer(1), integer(0))}};
  return {.acquire = set_command(), .release = std::move(get)};
}

ScriptProtocol setnx_then_expire() {
  ScriptStep set{.arguments = {"SETNX", "{name}", "{owner}"},
                 .failure = {integer(0)},
                 .goes_on = {integer(1)},
                 .then = {command({"EXPIRE", "{name}", "{ttl_s}"}, integer(1), integer(0))}};
  return {.acquire = std::move(set), .release = release_of("{owner}")};
}

/// The value is the instant when the lock ends, by its holder's clock; who finds it past by his own
/// takes the lock over, if nobody was quicker.
ScriptProtocol timestamp_getset() {
  ScriptStep take_over{.arguments = {"GETSET", "{name}", "{until_ms}"},
                       .success = {replies::bulk("{heard}"), nil},
                       .otherwise_fails = true};
  ScriptStep look{
      .arguments = {"GET", "{name}"}, .past_goes_on = true, .otherwise_fails = true, .then = {}};
  ScriptStep set{.arguments = {"SETNX", "{name}", "{until_ms}"},
                 .success = {integer(1)},
                 .goes_on = {integer(0)},
                 .then = {std::move(look), std::move(take_over)}};
  return {.acquire = std::move(set), .release = release_of("{until_ms}"), .leaves_doubtful = true};
}

/// The release compares a variable whose name holds a letter that is not ASCII.
ScriptProtocol typo_release() {
  ScriptProtocol protocol = set_nx_px();
  std::string& script = protocol.release.script;
  const std::string_view right = "== ARGV[1]";
  script.replace(script.find(right), right.size(), "== token\xe5\x80\xa4");
  return protocol;
}

constexpr std::array kWellKnown{
    WellKnownProtocol{"del-without-check", "SET NX PX; released by a bare DEL",
                      "a late holder frees the lock of the next", "set-nx-px", del_without_check},
    WellKnownProtocol{"failover", "set-nx-px at a primary whose replica takes over when it dies",
                      "a replica that is promoted before it has heard of the lock gives it to a "
                      "second holder; LockOptions::replicas (WAIT) rules that out only for those "
                      "replicas that have confirmed",
                      "redlock", set_nx_px},
    WellKnownProtocol{"get-then-del", "SET NX PX; released by GET, and DEL if the token fits",
                      "the lock may change hands between GET and DEL", "set-nx-px", get_then_del},
    WellKnownProtocol{"redlock",
                      "SET NX PX of one value at each of several independent nodes; a majority "
                      "holds it; released at all of them",
                      "a node that restarts empty, or whose clock jumps, gives its vote twice", "",
                      redlock},
    WellKnownProtocol{"redlock-value-per-node", "as redlock, with another value at each node",
                      "all values must be remembered: a node that is sent another's at release or "
                      "clean-up frees nothing until the ttl is over",
                      "redlock", redlock_value_per_node},
    WellKnownProtocol{"reentrant-hash",
                      "script: a hash counts the owner's holds, EXPIRE in seconds",
                      "taking it again does not lengthen the ttl; a request that is sent again is "
                      "counted again; a ttl of 0 never expires",
                      "reentrant-renew", reentrant_hash},
    WellKnownProtocol{"reentrant-hget",
                      "script: a hash counts the client's holds, PEXPIRE with every one",
                      "a request that is sent again is counted again; a ttl of 0 deletes the lock "
                      "and says that it is held",
                      "", reentrant_hget},
    WellKnownProtocol{"reentrant-renew",
                      "script: a hash counts the owner's holds, EXPIRE with every one; renewed by "
                      "a script",
                      "a request that is sent again is counted again; a ttl of 0 deletes the lock "
                      "and says that it is held",
                      "", reentrant_renew},
    WellKnownProtocol{"reentrant-renew-client",
                      "as reentrant-renew; the waiting time is taken for the ttl, and no release "
                      "stops a timer",
                      "timers of earlier holds renew a later one, and one that nobody gives back "
                      "never ends; the waiting time decides on everybody's lease",
                      "watchdog", reentrant_renew_client, true},
    WellKnownProtocol{"set-nx-px", "SET NX PX; released by a script that checks the token", "", "",
                      set_nx_px},
    WellKnownProtocol{"set-nx-px-script", "script: SET NX PX; released as set-nx-px", "", "",
                      set_nx_px_script},
    WellKnownProtocol{"setex-unpack", "script: EXISTS, then SETEX; its replies are strings", "", "",
                      setex_unpack},
    WellKnownProtocol{"setex-unpack-client",
                      "as setex-unpack, with milliseconds and seconds exchanged",
                      "the lease is a thousand times too long, the waiting a thousand times too "
                      "short: a crashed holder blocks all for hours",
                      "setex-unpack", setex_unpack_client},
    WellKnownProtocol{"setnx-then-expire",
                      "SETNX, then EXPIRE as a second command; released by a script",
                      "a crash between the two leaves a lock that never expires", "simple-setnx",
                      setnx_then_expire},
    WellKnownProtocol{"simple-setnx",
                      "script: SETNX, then EXPIRE in seconds; released by its owner only",
                      "a ttl of 0 never expires: a crashed holder blocks all for ever",
                      "set-nx-px-script", simple_setnx},
    WellKnownProtocol{"timestamp-getset",
                      "SETNX of the instant when it ends; GETSET takes over what is past",
                      "two holders as soon as their clocks differ by more than what is left; a "
                      "GETSET that comes late overwrites the next owner's stamp, who then cannot "
                      "give it back",
                      "set-nx-px", timestamp_getset},
    WellKnownProtocol{"typo-release",
                      "SET NX PX; released by a script with a letter that is not ASCII in a name",
                      "the release does not compile: every hold lasts until its ttl is over",
                      "set-nx-px", typo_release, false, false},
    WellKnownProtocol{"watchdog",
                      "as reentrant-renew; one timer a hold renews it and ends with the release",
                      "a request that is sent again is counted again", "", reentrant_renew, true},
};

}  // namespace

std::span<const WellKnownProtocol> well_known_protocols() { return kWellKnown; }

ScriptProtocol well_known_protocol(std::string_view name) {
  std::string names;
  for (const WellKnownProtocol& known : kWellKnown) {
    if (known.name == name) return known.make();
    names.append(names.empty() ? "" : ", ").append(known.name);
  }
  throw std::out_of_range("no protocol is called " + std::string{name} + "; there are: " + names);
}

}  // namespace picklock

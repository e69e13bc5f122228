// The protocols that people run, as scripts of lua/scripts and what their replies mean.
#include <array>
#include <stdexcept>

#include <picklock/lock/script_lock.hpp>

#include "lua/scripts.hpp"

namespace picklock {
namespace {

struct WellKnown {
  std::string_view name;
  ScriptProtocol (*make)();
};

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

ScriptStep set_command() {
  return command({"SET", "{name}", "{owner}", "NX", "PX", "{ttl_ms}"}, replies::status("OK"), nil);
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

ScriptProtocol reentrant_renew_client() {
  ScriptProtocol protocol = reentrant_renew();
  protocol.release.script = source("reentrant_renew_client_release");
  protocol.extend.script = source("reentrant_renew_client_renew");
  return protocol;
}

/// Strings, not integers.
ScriptProtocol setex_unpack() {
  using replies::bulk;
  return {
      .acquire = step("setex_unpack_acquire", {"{ttl_s}", "{owner}"}, {bulk("1")}, {bulk("0")}),
      .release = step("setex_unpack_release", {"{owner}"}, {bulk("1")}, {bulk("0"), bulk("-1")})};
}

/// A setting in milliseconds goes to SETEX as seconds.
ScriptProtocol setex_unpack_client() {
  ScriptProtocol protocol = setex_unpack();
  protocol.acquire.arguments[0] = "{ttl_ms}";
  return protocol;
}

ScriptProtocol set_nx_px() {
  return {.acquire = set_command(),
          .release = step("set_nx_px_release", {"{owner}"}, {integer(1)}, {integer(0)})};
}

ScriptProtocol set_nx_px_script() {
  ScriptProtocol protocol = set_nx_px();
  protocol.acquire = step("set_nx_px_acquire", {"{owner}", "{ttl_ms}"}, {integer(1)}, {integer(0)});
  return protocol;
}

ScriptProtocol del_without_check() {
  return {.acquire = set_command(), .release = command({"DEL", "{name}"}, integer(1), integer(0))};
}

constexpr std::array kWellKnown{
    WellKnown{"del-without-check", del_without_check},
    WellKnown{"reentrant-hash", reentrant_hash},
    WellKnown{"reentrant-hget", reentrant_hget},
    WellKnown{"reentrant-renew", reentrant_renew},
    WellKnown{"reentrant-renew-client", reentrant_renew_client},
    WellKnown{"set-nx-px", set_nx_px},
    WellKnown{"set-nx-px-script", set_nx_px_script},
    WellKnown{"setex-unpack", setex_unpack},
    WellKnown{"setex-unpack-client", setex_unpack_client},
    WellKnown{"simple-setnx", simple_setnx},
    WellKnown{"watchdog", reentrant_renew},
};

}  // namespace

std::vector<std::string_view> well_known_protocols() {
  std::vector<std::string_view> names;
  for (const WellKnown& known : kWellKnown) names.push_back(known.name);
  return names;
}

ScriptProtocol well_known_protocol(std::string_view name) {
  std::string names;
  for (const WellKnown& known : kWellKnown) {
    if (known.name == name) return known.make();
    names.append(names.empty() ? "" : ", ").append(known.name);
  }
  throw std::out_of_range("no protocol is called " + std::string{name} + "; there are: " + names);
}

}  // namespace picklock

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

ScriptProtocol simple_setnx() {
  return {.acquire = {source("simple_setnx_acquire"), {"{name}"}, {"{owner}", "{ttl_s}"},
                      {integer(1)}, {integer(0)}},
          .release = {source("simple_setnx_release"), {"{name}"}, {"{owner}"}, {integer(1)},
                      {integer(0)}}};
}

ScriptProtocol reentrant_hash() {
  return {.acquire = {source("reentrant_hash_acquire"), {"{name}"}, {"{client}", "{ttl_s}"},
                      {integer(1)}, {integer(0)}},
          .release = {source("reentrant_hash_release"), {"{name}"}, {"{client}"}, {integer(1)},
                      {integer(0)}}};
}

ScriptProtocol set_nx_px() {
  return {.acquire = {"", {}, {"SET", "{name}", "{owner}", "NX", "PX", "{ttl_ms}"},
                      {replies::status("OK")}, {nil}},
          .release = {source("set_nx_px_release"), {"{name}"}, {"{owner}"}, {integer(1)},
                      {integer(0)}}};
}

constexpr std::array kWellKnown{
    WellKnown{"reentrant-hash", reentrant_hash},
    WellKnown{"set-nx-px", set_nx_px},
    WellKnown{"simple-setnx", simple_setnx},
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

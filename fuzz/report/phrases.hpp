// The words of a report: how requests, replies, keys and findings read in a timeline.
//
// Pure functions from values to short texts of UTF-8; control bytes and bytes that are not ASCII
// are escaped.
#pragma once

#include <exception>
#include <span>
#include <string>
#include <string_view>

#include <picklock/emulator.hpp>
#include <picklock/race/world.hpp>

#include "fuzz/world/findings.hpp"
#include "fuzz/world/oracles.hpp"

namespace picklock::race {

/// "SET lock alice NX PX 1000"; scripts that come with picklock go by their names.
std::string phrase_request(std::span<const std::string_view> words);
/// "OK", "1", "\"value\"", "nil".
std::string phrase_reply(const Reply& reply);
/// What a server writes: "alice: SET → OK".
std::string phrase_execution(std::string_view worker, std::span<const std::string_view> words,
                             const std::optional<Reply>& reply);
/// "lock: alice until 1000", "lock: free".
std::string phrase_lock_key(const Oracles::LockKey& key, std::string_view owner, Instant start);
/// "ledger until 1000": the validity that is claimed.
std::string phrase_entry(std::string_view exclusive, const Claim* claim, Instant start);
/// "alice: what the exception says".
std::string phrase_exception(std::string_view who, const std::exception_ptr& thrown);
std::string phrase_finding(const Finding& finding, std::string_view resource,
                           std::string_view subject, std::string_view other);
/// The same for the properties that a scenario declares.
std::string phrase_property(const Finding& finding, const std::string& resource,
                            const std::string& subject, const std::string& other);
/// Milliseconds since the start of the run, with a fraction only where there is one.
std::string phrase_time(Instant instant, Instant start);

}  // namespace picklock::race

// Settings that are texts with a form of their own: save, client-output-buffer-limit and their
// like.
//
// Pure functions, safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace picklock {

/// "10", "1k", "1kb", "5mb", "2g"... in bytes. Redis: memtoull; k is 1000, kb is 1024.
std::optional<std::uint64_t> parse_memory(std::string_view text);

/// maxmemory-clients, which may be a percentage.
std::optional<std::string> normalize_memory_or_percent(std::string& value);

/// Checks the value of the setting `name` and brings it to the form in which it is kept; returns
/// the error that CONFIG SET reports, or nullopt. Settings without a form keep what they get.
std::optional<std::string> normalize_text(std::string_view name, std::string& value);

/// client-output-buffer-limit after a change that need not name every class of clients.
std::string merge_buffer_limits(std::string_view present, std::string_view change);

}  // namespace picklock

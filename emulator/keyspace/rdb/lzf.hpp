// LZF, the compression of strings in RDB data.
//
// The compressor makes the same choices as liblzf 3.6 as redis-server uses it, so that equal values
// give equal payloads. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace picklock::rdb {

/// The compressed form of `bytes`, or nullopt if it would take more than `most` bytes.
std::optional<std::string> lzf_compress(std::string_view bytes, std::size_t most);

/// What was compressed, which must come to exactly `size` bytes; nullopt for anything else.
std::optional<std::string> lzf_decompress(std::string_view compressed, std::uint64_t size);

}  // namespace picklock::rdb

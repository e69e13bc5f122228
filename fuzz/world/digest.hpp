// Numbers that stand for what workers and servers tell each other. Pure, the same everywhere.
#pragma once

#include <cstdint>
#include <string_view>

#include <picklock/reply.hpp>

namespace picklock::race {

inline std::uint64_t digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325 + text.size();
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

inline std::uint64_t digest(const Reply& reply) {
  auto hash = static_cast<std::uint64_t>(reply.type()) + 1;
  switch (reply.type()) {
    case Reply::Type::null:
      break;
    case Reply::Type::integer:
    case Reply::Type::boolean:
      hash ^= static_cast<std::uint64_t>(reply.integer()) << 8;
      break;
    case Reply::Type::real:
      hash ^= digest(reply.to_string());
      break;
    default:
      if (!reply.is_aggregate()) return hash ^ digest(reply.text());
      for (const Reply& element : reply.elements()) hash = hash * 31 + digest(element);
  }
  return hash;
}

}  // namespace picklock::race

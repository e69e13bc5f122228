// What a server knows of its replication: a primary without replicas, or a replica whose primary
// cannot be reached. A copyable value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace picklock {

struct Replication {
  struct Primary {
    std::string host;
    int port = 0;
    bool operator==(const Primary&) const = default;
  };

  std::optional<Primary> primary;  ///< Of whom this server is a replica.
  std::string id;                  ///< master_replid, 40 hexadecimal digits.
  std::string second_id = std::string(40, '0');
  std::int64_t second_offset = -1;
};

}  // namespace picklock

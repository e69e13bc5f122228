// The setting client-output-buffer-limit: how much unsent output a class of clients may pile up.
//
// A copyable value; who is measured against it is the engine's affair.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace picklock {

/// 0 stands for no limit.
struct OutputLimit {
  std::int64_t hard_bytes = 0;
  std::int64_t soft_bytes = 0;
  std::int64_t soft_seconds = 0;
};

enum class ClientClass : std::uint8_t { normal, replica, pubsub };

class OutputLimits {
 public:
  const OutputLimit& of(ClientClass which) const {
    return limits_[static_cast<std::size_t>(which)];
  }
  /// Takes over the classes that `text` names ("normal 1mb 64kb 10"); the others stay. Returns what
  /// is wrong with it, and then nothing has changed; empty when all is well.
  std::string_view read(std::string_view text);
  std::string text() const;

 private:
  std::array<OutputLimit, 3> limits_{
      {{}, {256 << 20, 64 << 20, 60}, {32 << 20, 8 << 20, 60}}};
};

/// "10", "1k", "1kb", "5mb", "2g"... in bytes, as the settings of Redis take them (memtoull: k is
/// 1000, kb is 1024); -1 for anything else.
std::int64_t parse_memory_size(std::string_view text);

}  // namespace picklock

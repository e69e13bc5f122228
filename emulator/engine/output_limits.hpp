// The setting client-output-buffer-limit: how much unsent output a class of clients may pile up.
//
// A copyable value; who is measured against it is the engine's affair.
#pragma once

#include <array>
#include <cstdint>
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
  OutputLimits() = default;
  /// Reads the setting in the form in which it is kept: all three classes in order, plain numbers.
  explicit OutputLimits(std::string_view text);

  const OutputLimit& of(ClientClass which) const {
    return limits_[static_cast<std::size_t>(which)];
  }

 private:
  std::array<OutputLimit, 3> limits_{{{}, {256 << 20, 64 << 20, 60}, {32 << 20, 8 << 20, 60}}};
};

}  // namespace picklock

// The faults that a test has added, and which of them strikes a request.
//
// Knows requests by their words only; what a fault does is the engine's affair (steering.cpp). Used
// by PICKLOCK FAULT and Emulator::add_fault(). A copyable value; not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <picklock/reply.hpp>
#include <picklock/steering.hpp>

#include "emulator/base/profile.hpp"
#include "emulator/commands/command.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock {

class Faults {
 public:
  std::uint64_t add(RequestFault fault);
  const std::vector<FaultState>& all() const { return faults_; }
  /// Null if there is none with that id.
  const FaultState* find(std::uint64_t id) const;
  /// False if there is none with that id.
  bool remove(std::uint64_t id);
  void clear() { faults_.clear(); }

  /// Counts the request with every fault that fits it, and returns the first that strikes.
  const RequestFault* strike(const Command& command, Args words, std::string_view client_name);

 private:
  std::vector<FaultState> faults_;
  std::uint64_t last_id_ = 0;
};

/// The words behind PICKLOCK FAULT ADD, or why they are none, as one line.
std::variant<RequestFault, std::string> parse_fault(Args words, const Profile& profile);
/// The fault in those words.
std::string to_words(const RequestFault& fault);
/// Why a fault makes no sense, if it does not: one for a command that `profile` lacks never
/// strikes.
std::optional<std::string> check_fault(const RequestFault& fault, const Profile& profile);

}  // namespace picklock

// All that a server holds as an RDB file: for a program that asks, and for replicas.
//
// A pure function of the engine's state and its clock. On the engine's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "emulator/engine/engine.hpp"

namespace picklock {

/// Where a replica that starts from the file goes on in its primary's history.
struct HistoryPoint {
  int database = 0;  ///< The one that the stream has selected.
  std::string id;
  std::int64_t offset = 0;
};

/// What of it is wanted.
struct RdbParts {
  bool keys = true;
  bool functions = true;
};

/// Version 10, as Redis 7.0 writes it; deadlines of single fields, which it does not have, are left
/// out.
std::string save_rdb(const Engine& engine, const std::optional<HistoryPoint>& point = std::nullopt,
                     RdbParts parts = {});

}  // namespace picklock

// What Hold::hand_over() writes and AnyLock::adopt() reads: all that another client needs to go on
// with a hold.
#pragma once

#include <optional>
#include <string>

#include "lockclient/machine/hold_machine.hpp"

namespace picklock::lock {

struct Letter {
  Adopted hold;
  Row row;  ///< In which the hold is the last one.

  std::string text() const;
  /// nullopt for what is no letter.
  static std::optional<Letter> read(const std::string& text);
};

}  // namespace picklock::lock

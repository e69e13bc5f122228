// Shared objects that are made and destroyed with every operation, in memory that is used again.
#pragma once

#include <utility>

#include <picklock/lock/shared.hpp>

#include "emulator/base/recycled.hpp"

namespace picklock::lock {

template <class T, class... Parts>
Shared<T> make_recycled(Parts&&... parts) {
  return share_in<T>(Recycled<T>{}, std::forward<Parts>(parts)...);
}

}  // namespace picklock::lock

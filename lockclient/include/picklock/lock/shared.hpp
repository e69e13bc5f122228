// Shared ownership of what belongs to the thread of a client's links: counted without a thought of
// other threads, in less code and less time than by std::shared_ptr.
//
// They are libstdc++'s own shared pointers, with the lock policy for one thread. Source:
// libstdc++'s manual, "shared_ptr", "Selecting Lock Policy".
#pragma once

#include <memory>
#include <utility>

#pragma GCC visibility push(default)

namespace picklock::lock {

template <class T>
using Shared = std::__shared_ptr<T, __gnu_cxx::_S_single>;
template <class T>
using Weak = std::__weak_ptr<T, __gnu_cxx::_S_single>;
template <class T>
using EnableSharedFromThis = std::__enable_shared_from_this<T, __gnu_cxx::_S_single>;

/// As std::make_shared.
template <class T, class... Parts>
Shared<T> share(Parts&&... parts) {
  return std::__make_shared<T, __gnu_cxx::_S_single>(std::forward<Parts>(parts)...);
}
/// As std::allocate_shared.
template <class T, class Allocator, class... Parts>
Shared<T> share_in(const Allocator& allocator, Parts&&... parts) {
  return std::__allocate_shared<T, __gnu_cxx::_S_single>(allocator, std::forward<Parts>(parts)...);
}

}  // namespace picklock::lock

#pragma GCC visibility pop

// Taking an element out of a queue.
#pragma once

#include <deque>

namespace picklock {

/// Erases an element of `queue`: mostly the first one, for which nothing else need be moved.
template <class T>
void erase_from(std::deque<T>& queue, typename std::deque<T>::iterator element) {
  if (element == queue.begin())
    queue.pop_front();
  else
    queue.erase(element);
}

}  // namespace picklock

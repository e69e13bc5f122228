// A container that hardly ever holds anything, for what is copied all the time: what a snapshot
// keeps of a server. To assign nothing to nothing takes two looks, and little code.
#pragma once

namespace picklock {

template <class Container>
class Seldom : public Container {
 public:
  using Container::Container;
  Seldom() = default;
  Seldom(const Seldom&) = default;
  Seldom(Seldom&&) noexcept = default;
  Seldom& operator=(const Seldom& other) {
    if (!this->empty() || !other.empty()) Container::operator=(other);
    return *this;
  }
  Seldom& operator=(Seldom&&) noexcept = default;
  ~Seldom() = default;
};

}  // namespace picklock

#include "emulator/keyspace/memory_count.hpp"

#include <variant>

namespace picklock {

namespace {

// About what Redis 7.0 needs on a 64-bit machine for a key, its object and its place in the table,
// and for an element of a collection besides its bytes.
constexpr std::uint64_t kPerKey = 72;
constexpr std::uint64_t kPerElement = 32;
constexpr std::size_t kLooked = 16;  // Elements that speak for all.

struct Average {
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  void add(std::size_t size) {
    bytes += size;
    ++count;
  }
  std::uint64_t times(std::size_t size) const {
    return size * kPerElement + (count == 0 ? 0 : bytes * size / count);
  }
};

std::uint64_t bytes_of(const StringValue& text) { return text.size(); }

std::uint64_t bytes_of(const HashValue& hash) {
  Average average;
  hash.sample(kLooked, [&](std::string_view field, std::string_view value) {
    average.add(field.size() + value.size());
  });
  return average.times(hash.size());
}

std::uint64_t bytes_of(const ListValue& list) {
  constexpr std::uint64_t kLengths = 2;  // Bytes of a list's own beside an element, mostly.
  return list.size() * (kPerElement - kLengths) + list.size_bytes();
}

std::uint64_t bytes_of(const SetValue& set) {
  Average average;
  set.members().sample(kLooked, [&](const auto& entry) { average.add(entry.key.size()); });
  return average.times(set.size());
}

std::uint64_t bytes_of(const SortedSet& set) {
  Average average;
  set.sample(kLooked,
             [&](std::string_view member, double) { average.add(member.size() + sizeof(double)); });
  return average.times(set.size());
}

/// A type whose elements are not looked at.
template <class Other>
std::uint64_t bytes_of(const Other& value) {
  constexpr std::uint64_t kGuess = 64;
  return kGuess + value.size() * kGuess;
}

}  // namespace

std::uint64_t counted_bytes(std::string_view key, const Value& value) {
  return kPerKey + key.size() +
         std::visit([](const auto& typed) { return bytes_of(typed); }, value);
}

}  // namespace picklock

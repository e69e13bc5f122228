// Where the tests of the lock client take place: on emulators in simulated time, or on real
// servers.
//
// The same cases run in all of them. Simulated time is exact; real time only passes, so what a case
// says of instants is checked there within a margin. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/lock.hpp>

#include "tests/support/catch.hpp"

namespace picklock::test {

class Place {
 public:
  virtual ~Place() = default;

  /// A connection to server number `server`, empty when the place was opened.
  virtual std::unique_ptr<Link> connect(std::size_t server = 0) = 0;
  /// Asks a server directly, past the links.
  virtual Reply ask(const std::vector<std::string>& words, std::size_t server = 0) = 0;
  virtual bool is_simulated() const = 0;
  virtual Instant now() const = 0;
  /// Lets time pass for the links, and for the servers.
  virtual void pass(Duration duration) = 0;
  /// Lets happen what happens at once, until `is_done`: false if it does not become so. In real
  /// time "at once" is within two seconds.
  virtual bool soon(const std::function<bool()>& is_done) = 0;

  bool exists(std::string_view key, std::size_t server = 0) {
    return ask({"EXISTS", std::string{key}}, server) == 1;
  }
  /// Whether `duration` is `expected`; in real time, whether it has come down from that by a
  /// little.
  bool is_about(Duration duration, Duration expected) const {
    constexpr Duration kMargin = std::chrono::milliseconds{250};
    if (is_simulated()) return duration == expected;
    return duration <= expected && duration >= expected - kMargin;
  }
};

/// How to open a place.
struct PlaceKind {
  std::string name;
  std::function<std::unique_ptr<Place>()> open;
};
/// Those that this test program runs its cases in.
const std::vector<PlaceKind>& place_kinds();

/// Three clients at one server.
struct Table {
  explicit Table(const PlaceKind& kind)
      : where(Catch::MessageBuilder("INFO", CATCH_INTERNAL_LINEINFO, Catch::ResultWas::Info)
              << "at " << kind.name),
        place(kind.open()) {}

  Catch::ScopedMessage where;
  std::unique_ptr<Place> place;
  std::unique_ptr<Link> alice_link = place->connect();
  std::unique_ptr<Link> bob_link = place->connect();
  std::unique_ptr<Link> carol_link = place->connect();
  LockClient alice{*alice_link};
  LockClient bob{*bob_link};
  LockClient carol{*carol_link};
};

}  // namespace picklock::test

/// Makes a test case run once in every place: gives its kind.
#define PICKLOCK_EVERY_PLACE              \
  picklock::test::place_kinds()[GENERATE( \
      Catch::Generators::range(std::size_t{0}, picklock::test::place_kinds().size()))]

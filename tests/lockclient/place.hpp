// Where the tests of the lock client take place: on emulators in simulated time, in the simulated
// world of the search, or on real servers.
//
// The same cases run in all of them. On emulators time is exact; elsewhere requests take their
// time, so what a case says of instants is checked there within a margin. One thread at a time.
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
  /// Whether requests and answers take no time, and what has happened is known at once.
  virtual bool is_exact() const = 0;
  /// Whether a request or an answer may get lost, so that a server seems to be out of reach.
  virtual bool is_faulty() const { return false; }
  virtual Instant now() const = 0;
  /// Lets time pass for the links, and for the servers.
  virtual void pass(Duration duration) = 0;
  /// Lets happen what happens at once, until `is_done`: false if it does not become so. Where time
  /// is not exact, "at once" is within two seconds.
  virtual bool soon(const std::function<bool()>& is_done) = 0;

  bool exists(std::string_view key, std::size_t server = 0) {
    return ask({"EXISTS", std::string{key}}, server) == 1;
  }
  /// Whether `duration` is `expected`; where time is not exact, whether it has come down from that
  /// by a little.
  bool is_about(Duration duration, Duration expected) const {
    constexpr Duration kMargin = std::chrono::milliseconds{250};
    if (is_exact()) return duration == expected;
    return duration <= expected && duration >= expected - kMargin;
  }
};

/// A kind of place, and how to run a case in a fresh one.
struct PlaceKind {
  std::string name;
  std::function<void(const std::function<void(Place&)>& body)> run;
};
/// Those that this test program runs its cases in.
const std::vector<PlaceKind>& place_kinds();

/// Three clients at one server.
struct Table {
  explicit Table(Place& the_place) : place(&the_place) {}

  Place* place;
  std::unique_ptr<Link> alice_link = place->connect();
  std::unique_ptr<Link> bob_link = place->connect();
  std::unique_ptr<Link> carol_link = place->connect();
  LockClient alice{*alice_link};
  LockClient bob{*bob_link};
  LockClient carol{*carol_link};
};

/// In the next of the kinds: Catch2 comes back for every one.
inline void run_everywhere(const std::function<void(Place&)>& body) {
  const auto index = GENERATE(Catch::Generators::range(std::size_t{0}, place_kinds().size()));
  const PlaceKind& kind = place_kinds()[index];
  INFO("at " << kind.name);
  kind.run(body);
}

}  // namespace picklock::test

/// A test case that runs once in every place, called `place` in its body.
#define PICKLOCK_TEST_EVERYWHERE(name) \
  PICKLOCK_TEST_EVERYWHERE_BY(INTERNAL_CATCH_UNIQUE_NAME(case_in_a_place), name)
#define PICKLOCK_TEST_EVERYWHERE_BY(body, name)             \
  static void body(picklock::test::Place& place);           \
  TEST_CASE(name) { picklock::test::run_everywhere(body); } \
  static void body([[maybe_unused]] picklock::test::Place& place)

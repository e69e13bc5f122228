// What a replica knows of its primary's stream goes back with its state.
#include <string>

#include "emulator/engine/engine.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

struct Replica {
  Replica() { engine.follow({.host = "10.0.0.1", .port = 6379}); }

  /// In which database a key that its primary sets now comes to be; -1: in none.
  int database_of_next() {
    engine.apply({"SET", "k", "v"});
    for (int i = 0; i < engine.keyspace.size(); ++i) {
      const Database* database = engine.keyspace.at(i);
      if (database != nullptr && database->peek("k", 0) != nullptr) return i;
    }
    return -1;
  }

  SimClock clock;
  Engine engine{Options{}, clock};
};

TEST_CASE("a stream goes on in the database that it was in") {
  Replica replica;
  const Engine::State start = replica.engine.save();
  replica.engine.apply({"SELECT", "3"});
  const Engine::State third = replica.engine.save();
  replica.engine.apply({"SELECT", "5"});
  CHECK(replica.database_of_next() == 5);
  replica.engine.restore(third);
  CHECK(replica.engine.stream_database() == 3);
  CHECK(replica.database_of_next() == 3);
  replica.engine.restore(start);
  CHECK(replica.database_of_next() == 0);
}

TEST_CASE("a server that is made a replica again by a snapshot is where the stream was") {
  Replica replica;
  replica.engine.apply({"SELECT", "3"});
  const Engine::State third = replica.engine.save();
  replica.engine.promote();
  CHECK(replica.engine.stream_database() == 0);
  const Engine::State alone = replica.engine.save();
  replica.engine.restore(third);
  CHECK(replica.database_of_next() == 3);
  replica.engine.restore(alone);
  CHECK(replica.engine.stream_database() == 0);
}

}  // namespace
}  // namespace picklock

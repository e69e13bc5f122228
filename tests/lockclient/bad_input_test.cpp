// What a lock must refuse, and what a server may say: always a typed error, never "held".
#include <picklock/local_loop.hpp>
#include <picklock/lock.hpp>

#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock;

namespace {

struct Table {
  Emulator redis;
  LocalLoop loop;
  std::unique_ptr<Link> link = loop.connect(redis);
  LockClient client{*link};

  LockError::Code refusal(std::string name, LockOptions options) {
    return Lock{client, std::move(name), std::move(options)}.try_acquire().get().error().code;
  }
};

constexpr auto kInvalid = LockError::Code::invalid_argument;

}  // namespace

TEST_CASE("ttls that cannot be held are refused before anything is sent") {
  Table table;
  for (const Duration ttl : {Duration{0}, Duration{-1ms}, Duration{1}, Duration{999}, Duration{1ms},
                             Duration{4ms}, Duration{1500}, Duration::min(), Duration::max()}) {
    INFO(ttl.count());
    CHECK(table.refusal("name", {.ttl = ttl}) == kInvalid);
  }
  CHECK(table.client.counters().requests == 0);
  auto held = Lock{table.client, "name", {.ttl = 5ms}}.try_acquire().get();
  REQUIRE(held);
  CHECK(held->valid_for() > 0ms);
  CHECK(held->extend(-1ms).get().error().code == kInvalid);
  CHECK(held->extend(Duration::max()).get().error().code == kInvalid);
}

TEST_CASE("other options out of their range are refused") {
  Table table;
  CHECK(table.refusal("", {}) == kInvalid);
  CHECK(table.refusal("name", {.answer_within = 0ms}) == kInvalid);
  CHECK(table.refusal("name", {.drift = -1}) == kInvalid);
  CHECK(table.refusal("name", {.drift = 0.9}) == kInvalid);
  CHECK(table.refusal("name", {.memory = -1ms}) == kInvalid);
  CHECK(table.refusal("name", {.replicas = -1}) == kInvalid);
  CHECK(table.refusal("name", {.waiter_lease = 0ms}) == kInvalid);
  CHECK(table.refusal("name", {.backoff = {.first = 0ms}}) == kInvalid);
  CHECK(Lock{table.client, "name"}.acquire_within(-1ms).get().error().code == kInvalid);
  for (const std::int64_t limit : {0, -1})
    CHECK(Semaphore{table.client, "name", limit}.acquire().get().error().code == kInvalid);
  CHECK(Semaphore{table.client, "name", 2, {}, 3}.acquire().get().error().code == kInvalid);
  CHECK(MultiLock{table.client, {}}.acquire().get().error().code == kInvalid);
  CHECK(MultiLock{table.client, {"a", ""}}.acquire().get().error().code == kInvalid);
  CHECK(MultiLock{table.client, {"a", "b", "a"}}.acquire().get().error().code == kInvalid);
  CHECK(Redlock{table.client, "name"}.acquire().get().error().code == kInvalid);
  CHECK(CountDownLatch{table.client, "name"}.try_set_count(0).get().error().code == kInvalid);
  for (const char* letter :
       {"nonsense", "me 0 0", "me 0 0 row 1", "me 0 0 row 0 5000", "me 0 0 row 1 0",
        "me 0 0 row 1 5000 ", "me 0 x row 1 5000", "me 0 0 row 1000000000000000 5000"})
    CHECK(Lock{table.client, "name"}.adopt(letter).get().error().code == kInvalid);
  CHECK(table.client.counters().requests == 0);
}

TEST_CASE("times that no clock can hold are refused, or mean for ever") {
  Table table;
  constexpr Duration kMost = Duration::max();
  CHECK(table.refusal("name", {.answer_within = kMost}) == kInvalid);
  CHECK(table.refusal("name", {.give_up_after = kMost}) == kInvalid);
  CHECK(table.refusal("name", {.max_hold = kMost}) == kInvalid);
  CHECK(table.refusal("name", {.memory = kMost}) == kInvalid);
  CHECK(table.refusal("name", {.replicas_within = kMost}) == kInvalid);
  CHECK(table.refusal("name", {.drift_floor = kMost}) == kInvalid);
  CHECK(table.refusal("name", {.backoff = {.most = kMost}}) == kInvalid);
  CHECK(table.client.counters().requests == 0);
  Lock lock{table.client, "name", {.ttl = 500ms}};
  auto held = lock.acquire_within(kMost).get();
  REQUIRE(held);
  const auto other_link = table.loop.connect(table.redis);
  CHECK(Lock{*other_link, "name", {.ttl = 500ms}}.acquire_within(kMost).get());
  CountDownLatch gate{table.client, "gate"};
  CHECK(gate.try_set_count(1).get().value());
  CHECK(gate.count_down().get().value() == 0);
  CHECK(gate.wait_within(kMost).get());
}

TEST_CASE("what only one server can count is refused over several, and says why") {
  Emulator one;
  Emulator other;
  LocalLoop loop;
  const auto first = loop.connect(one);
  const auto second = loop.connect(other);
  LockClient both{{first.get(), second.get()}};
  for (AnyLock lock : {static_cast<AnyLock>(Semaphore{both, "name", 2}),
                       static_cast<AnyLock>(ReadWriteLock{both, "name"}.read()),
                       static_cast<AnyLock>(FairLock{both, "name"})}) {
    const auto outcome = lock.acquire().get();
    CHECK(outcome.error().code == kInvalid);
    CHECK(outcome.error().message.find("majorities") != std::string::npos);
  }
  for (AnyLock lock :
       {static_cast<AnyLock>(Lock{both, "name"}), static_cast<AnyLock>(FencedLock{both, "name"}),
        static_cast<AnyLock>(ScriptLock{both, "name", well_known_protocol("set-nx-px")})}) {
    const auto outcome = lock.acquire().get();
    CHECK(outcome.error().code == kInvalid);
    CHECK(outcome.error().message.find("Redlock") != std::string::npos);
  }
  CHECK(CountDownLatch{both, "name"}.count().get().error().code == kInvalid);
  CHECK(both.counters().requests == 0);
}

TEST_CASE("names may hold any bytes, and a megabyte of them") {
  for (const std::string& name :
       {std::string{"a\0b", 3}, std::string(1 << 20, 'x'), std::string{"{tag}x"}, std::string{"{"},
        std::string{"}{"}, std::string{"\r\n"}, std::string{"\xff\xfe"}}) {
    Table table;
    for (int kind = 0; kind < 3; ++kind) {
      AnyLock lock = kind == 0   ? static_cast<AnyLock>(Lock{table.client, name, {.ttl = 1s}})
                     : kind == 1 ? static_cast<AnyLock>(FencedLock{table.client, name, {.ttl = 1s}})
                                 : static_cast<AnyLock>(FairLock{table.client, name, {.ttl = 1s}});
      auto held = lock.acquire().get();
      REQUIRE(held);
      CHECK(table.redis.inspect().exists(name));
      CHECK(held->release().get() == Released::released);
    }
  }
}

TEST_CASE("a lock and its neighbour of a like name do not meet") {
  Table table;
  std::vector<Hold> holds;
  for (const char* name : {"a", "{a}", "picklock:{a}", "picklock:{a}:x", "{a}:x"}) {
    for (int kind = 0; kind < 2; ++kind) {
      const std::string full = std::string{name} + (kind == 0 ? "" : "!");
      AnyLock lock = kind == 0 ? static_cast<AnyLock>(Lock{table.client, full})
                               : static_cast<AnyLock>(FairLock{table.client, full});
      auto held = lock.try_acquire().get();
      REQUIRE(held);
      holds.push_back(std::move(*held));
    }
  }
}

TEST_CASE("releasing what is not held says so, once and for all") {
  Table table;
  Lock lock{table.client, "name", {.ttl = 500ms}};
  auto held = lock.acquire().get();
  CHECK(held->release().get() == Released::released);
  CHECK(held->release().get() == Released::not_owner);
  CHECK_FALSE(held->is_held());
  CHECK(held->extend().get().error().code == LockError::Code::lost);

  auto again = lock.acquire().get();
  table.redis.connect().call("SET", "name", "somebody else");
  CHECK(again->release().get() == Released::not_owner);
  CHECK(table.redis.inspect().string("name") == "somebody else");
}

TEST_CASE("what a server may say instead of yes or no is a typed error, never a hold") {
  using Kind = NodeError::Kind;
  struct Case {
    std::vector<std::string> setup;
    Kind kind;
  };
  const std::vector<Case> cases{
      {{"LPUSH", "name", "x"}, Kind::wrong_type},
      {{"CONFIG", "SET", "maxmemory", "1"}, Kind::out_of_memory},
      {{"CONFIG", "SET", "min-replicas-to-write", "3"}, Kind::not_writable},
      {{"REPLICAOF", "127.0.0.1", "1"}, Kind::read_only},
      {{"ACL", "SETUSER", "default", "resetkeys"}, Kind::no_access},
      {{"ACL", "SETUSER", "default", "-evalsha", "-eval"}, Kind::no_access},
  };
  for (const Case& one : cases) {
    INFO(one.setup[0] << ' ' << one.setup[1] << ' ' << one.setup[2]);
    Table table;
    std::vector<std::string_view> words(one.setup.begin(), one.setup.end());
    Client admin = table.redis.connect();
    const Reply done = admin.call(words);
    INFO(done.to_string());
    REQUIRE_FALSE(done.is_error());
    const LockOptions options{.ttl = 500ms, .answer_within = 20ms, .give_up_after = 100ms};
    for (int kind = 0; kind < 2; ++kind) {
      AnyLock lock = kind == 0 ? static_cast<AnyLock>(Lock{table.client, "name", options})
                               : static_cast<AnyLock>(FencedLock{table.client, "name", options});
      const auto outcome = lock.try_acquire().get();
      REQUIRE_FALSE(outcome);
      CHECK(outcome.error().code == LockError::Code::node_failed);
      REQUIRE(outcome.error().nodes.size() == 1);
      CHECK(outcome.error().nodes[0].kind == one.kind);
      CHECK(outcome.error().to_string().size() > 40);
    }
  }
}

TEST_CASE("an error of one of several servers names that one") {
  Emulator good;
  Emulator bad;
  bad.connect().call("LPUSH", "name", "x");
  LocalLoop loop;
  const auto first = loop.connect(good);
  const auto second = loop.connect(bad);
  LockClient both{{first.get(), second.get()}};
  for (const LockError& error :
       {both.who_holds("name", 1).get().error(), both.force_release("name").get().error()}) {
    CHECK(error.code == LockError::Code::node_failed);
    REQUIRE(error.nodes.size() == 1);
    CHECK(error.nodes[0].node == 1);
    CHECK(error.nodes[0].kind == NodeError::Kind::wrong_type);
  }
}

TEST_CASE("a server that asks for a password is an access error") {
  Emulator redis{Options{.password = "secret"}};
  LocalLoop loop;
  const auto link = loop.connect(redis);
  Lock lock{*link, "name"};
  const auto outcome = lock.acquire().get();
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().nodes.at(0).kind == NodeError::Kind::no_access);
}

TEST_CASE("keys of another slot in a cluster are an error that says where to go") {
  Emulator redis{Options{.cluster = true}};
  LocalLoop loop;
  const auto link = loop.connect(redis);
  CHECK(Lock{*link, "name"}.acquire().get());
  CHECK(Lock{*link, "{tag}name"}.acquire().get());
  CHECK(FencedLock{*link, "fenced"}.acquire().get());
  CHECK(FairLock{*link, "fair"}.acquire().get());
  const auto outcome = MultiLock{*link, {"one", "two"}}.acquire().get();
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().nodes.at(0).kind == NodeError::Kind::moved);
}

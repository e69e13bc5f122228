#include "emulator/keyspace/database.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

TEST_CASE("a key lives at its deadline and is gone one millisecond later") {
  Database database;
  database.put("k", StringValue{"v"});
  database.set_deadline("k", 1000);
  CHECK(database.find("k", 1000) != nullptr);
  CHECK(database.size() == 1);
  CHECK(database.find("k", 1001) == nullptr);
  CHECK(database.size() == 0);
}

TEST_CASE("a peek at an expired key does not delete it") {
  Database database;
  database.put("k", StringValue{"v"});
  database.set_deadline("k", 1000);
  CHECK(database.peek("k", 1001) == nullptr);
  CHECK(database.size() == 1);
}

TEST_CASE("putting a value drops the deadline unless it is kept") {
  Database database;
  database.put("k", StringValue{"v"});
  database.set_deadline("k", 1000);
  database.put("k", StringValue{"w"}, /*keep_deadline=*/true);
  CHECK(database.find("k", 0)->deadline_ms == 1000);
  CHECK(database.volatile_size() == 1);
  database.put("k", StringValue{"x"});
  CHECK(database.find("k", 0)->deadline_ms == kNoDeadline);
  CHECK(database.volatile_size() == 0);
  CHECK_FALSE(database.first_deadline());
}

TEST_CASE("a text is put as a value is, and takes as much memory") {
  const std::string texts[] = {"", "of few letters", std::string(20, 'a'), std::string(50, 'b'),
                               std::string(2000, 'c')};
  for (const std::string& before : texts) {
    for (const std::string& text : texts) {
      Database put, put_text;
      for (Database* database : {&put, &put_text})
        database->put_until("k", StringValue{before}, 1000);
      put.put("k", StringValue{text});
      put_text.put_text("k", text);
      const auto& put_value = std::get<StringValue>(put.find("k", 0)->value);
      const auto& text_value = std::get<StringValue>(put_text.find("k", 0)->value);
      CHECK(text_value == text);
      CHECK(text_value.capacity() == put_value.capacity());
      CHECK(put_text.changes() == put.changes());
    }
  }
}

TEST_CASE("a text takes a deadline, keeps the key's, or has none, and any value's place") {
  Database database;
  database.put_until("k", HashValue{}, 1000);
  database.put_text("k", "kept", std::nullopt);
  CHECK(database.find("k", 0)->deadline_ms == 1000);
  database.put_text("k", "longer", 2000);
  CHECK(std::get<StringValue>(database.find("k", 2000)->value) == "longer");
  CHECK(database.volatile_size() == 1);
  database.put_text("k", "for good");
  CHECK(database.volatile_size() == 0);
  CHECK(database.find("k", 3000) != nullptr);
}

TEST_CASE("active expiry goes by deadline, then by age of the key") {
  Database database;
  for (const char* key : {"late", "early", "early too"}) database.put(key, StringValue{});
  database.set_deadline("late", 30);
  database.set_deadline("early too", 10);
  database.set_deadline("early", 10);
  CHECK_FALSE(database.expire_one(10));
  CHECK(database.expire_one(100));
  CHECK(database.peek("early", 0) == nullptr);
  CHECK(database.expire_one(100));
  CHECK(database.peek("early too", 0) == nullptr);
  CHECK(database.expire_one(100));
  CHECK_FALSE(database.expire_one(100));
  CHECK(database.expired() == 3);
}

TEST_CASE("the first deadline follows a deadline that is moved, removed or deleted with its key") {
  Database database;
  database.put("a", StringValue{});
  database.put("b", StringValue{});
  database.set_deadline("a", 10);
  database.set_deadline("b", 20);
  CHECK(database.first_deadline() == 10);
  database.set_deadline("a", 50);
  CHECK(database.first_deadline() == 20);
  database.set_deadline("b", kNoDeadline);
  CHECK(database.first_deadline() == 50);
  database.erase("a");
  CHECK_FALSE(database.first_deadline());
}

TEST_CASE("a deadline that is moved 100,000 times does not make the expiry index grow") {
  Database database;
  database.put("a", StringValue{});
  for (int i = 1; i <= 100'000; ++i) database.set_deadline("a", i);
  CHECK(database.first_deadline() == 100'000);
  CHECK(database.expiry_items() <= 65);
}

TEST_CASE(
    "a deadline that is set anew 100,000 times to the same instant does not make the index grow") {
  Database database;
  for (int i = 0; i < 100'000; ++i) {
    database.put("a", StringValue{});
    database.set_deadline("a", 5);
  }
  CHECK(database.first_deadline() == 5);
  CHECK(database.expiry_items() <= 65);
}

TEST_CASE("every change is counted, a look is not") {
  Database database;
  auto changed = [&, last = database.changes()]() mutable {
    const bool result = database.changes() != last;
    last = database.changes();
    return result;
  };
  database.put("k", StringValue{"v"});
  CHECK(changed());
  database.find("k", 0);
  CHECK_FALSE(changed());
  database.edit("k", 0);
  CHECK(changed());
  database.set_deadline("k", 5);
  CHECK(changed());
  database.find("k", 6);
  CHECK(changed());
}

/// A hash whose field `f` lives until `deadline_ms`.
void put_hash(Database& database, std::string_view key, std::int64_t deadline_ms) {
  HashValue hash;
  hash.set("f", "v");
  hash.set("g", "v");
  database.put(key, std::move(hash));
  database.set_field_deadline(key, "f", deadline_ms);
}

TEST_CASE("databases that change places take the deadlines of fields along") {
  Database one, other;
  put_hash(one, "h", 1000);
  if (GENERATE(false, true)) put_hash(other, "h", 2000);
  const std::optional<std::int64_t> others = other.first_deadline();
  if (GENERATE(false, true))
    one.swap_keys(other, 0);
  else
    other.swap_keys(one, 0);
  CHECK(one.first_deadline() == others);
  CHECK(other.first_deadline() == 1000);
  CHECK(other.expire_one(1001));
  CHECK_FALSE(other.expire_one(1001));
  CHECK(std::get<HashValue>(other.find("h", 1001)->value).size() == 1);
}

TEST_CASE("the memory of keys is the same whether it is counted on or not") {
  Database counted, other;
  const auto check = [&] {
    for (Database* database : {&counted, &other}) {
      Database uncounted{*database};
      uncounted.count_memory(false);
      CHECK(database->used_memory() == uncounted.used_memory());
    }
  };
  for (Database* database : {&counted, &other}) database->count_memory(true);
  counted.put("k", StringValue{std::string(1000, 'x')});
  counted.put("gone", StringValue{"x"});
  CHECK(counted.used_memory() > 1000);
  counted.erase("gone");
  check();
  counted.swap_keys(other, 0);
  check();
  CHECK(counted.used_memory() == 0);
  counted.put("k", StringValue{"x"});
  check();
  const Database before{other};
  other.clear();
  check();
  CHECK(other.used_memory() == 0);
  other = before;
  check();
  CHECK(other.used_memory() > 1000);
}

}  // namespace
}  // namespace picklock

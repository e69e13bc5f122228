// Random sequences of operations on hash fields, with the clock moving, against a model of a few
// lines.
#include <map>
#include <optional>

#include "emulator/base/random.hpp"
#include "tests/newer/newer_server.hpp"

namespace picklock::test {
namespace {

/// Hashes by name, fields by name; a field lives while now <= deadline.
class Model {
 public:
  struct Field {
    std::string value;
    std::optional<std::int64_t> deadline_ms;
  };
  using Hash = std::map<std::string, Field>;

  std::map<std::string, Hash> hashes;
  std::int64_t now_ms = 0;

  Field* find(const std::string& key, const std::string& field) {
    const auto hash = hashes.find(key);
    if (hash == hashes.end()) return nullptr;
    const auto found = hash->second.find(field);
    return found == hash->second.end() ? nullptr : &found->second;
  }
  bool erase(const std::string& key, const std::string& field) {
    if (!find(key, field)) return false;
    hashes[key].erase(field);
    if (hashes[key].empty()) hashes.erase(key);
    return true;
  }
  int expire(const std::string& key, const std::string& field, std::int64_t deadline_ms,
             std::string_view condition) {
    Field* found = find(key, field);
    if (!found) return -2;
    const auto& old = found->deadline_ms;
    if ((condition == "NX" && old) || (condition == "XX" && !old)) return 0;
    if (condition == "GT" && (!old || deadline_ms <= *old)) return 0;
    if (condition == "LT" && old && deadline_ms >= *old) return 0;
    if (deadline_ms <= now_ms) return erase(key, field), 2;
    found->deadline_ms = deadline_ms;
    return 1;
  }
  void advance(std::int64_t ms) {
    now_ms += ms;
    for (auto& [key, hash] : hashes)
      std::erase_if(hash, [&](const auto& field) {
        return field.second.deadline_ms && *field.second.deadline_ms < now_ms;
      });
    std::erase_if(hashes, [](const auto& hash) { return hash.second.empty(); });
  }
  std::optional<std::int64_t> next_event() const {
    std::optional<std::int64_t> next;
    for (const auto& [key, hash] : hashes)
      for (const auto& [name, field] : hash)
        if (field.deadline_ms && (!next || *field.deadline_ms + 1 < *next))
          next = *field.deadline_ms + 1;
    return next;
  }
};

/// One random run, in which every reply and the whole state are compared after each step.
class Run {
 public:
  Run(std::uint64_t seed, bool active_expiry) : random_(seed), active_(active_expiry) {
    model_.now_ms = server_.now_ms();
    if (!active_) server_("DEBUG SET-ACTIVE-EXPIRE 0");
  }

  void step() {
    const std::string key = pick({"h", "i", "j"});
    const std::string field = pick({"a", "b", "c", "d"});
    switch (random_.below(10)) {
      case 0:
        return set(key, field);
      case 1:
        return increment(key, field);
      case 2:
        return erase(key, field);
      case 3:
        return persist(key, field);
      case 4:
        return set_with_deadline(key, field);
      case 5:
        return copy(key, pick({"h", "i", "j"}));
      case 6:
        return pass_time();
      default:
        return expire(key, field);
    }
  }

  void compare() {
    CHECK(server_("DBSIZE").integer() >= static_cast<std::int64_t>(model_.hashes.size()));
    if (active_) {
      const auto next = server_.redis().next_event();
      CHECK((next ? std::optional{to_unix_ms(*next)} : std::nullopt) == model_.next_event());
    }
    for (const std::string key : {"h", "i", "j"}) {
      const bool there = model_.hashes.contains(key);
      CHECK(server_.redis().inspect().exists(key) == there);
      for (const std::string field : {"a", "b", "c", "d"}) {
        const auto* expected = model_.find(key, field);
        CHECK(server_("HGET " + key + " " + field) == (expected ? bulk(expected->value) : nil));
        const std::int64_t left = !expected               ? -2
                                  : expected->deadline_ms ? *expected->deadline_ms - model_.now_ms
                                                          : -1;
        CHECK(server_("HPTTL " + key + " FIELDS 1 " + field) == array(left));
      }
      CHECK(server_("HLEN " + key) ==
            (there ? static_cast<std::int64_t>(model_.hashes[key].size()) : 0));
    }
  }

 private:
  std::string pick(std::initializer_list<const char*> names) {
    return names.begin()[random_.below(names.size())];
  }

  void set(const std::string& key, const std::string& field) {
    const std::string value = std::to_string(random_.below(100));
    const int made = model_.find(key, field) ? 0 : 1;
    CHECK(server_("HSET " + key + " " + field + " " + value) == made);
    model_.hashes[key][field] = {value, std::nullopt};
  }
  void increment(const std::string& key, const std::string& field) {
    auto& slot = model_.hashes[key][field];
    const int value = (slot.value.empty() ? 0 : std::stoi(slot.value)) + 1;
    CHECK(server_("HINCRBY " + key + " " + field + " 1") == value);
    slot.value = std::to_string(value);
  }
  void erase(const std::string& key, const std::string& field) {
    const char* const name = pick({"HDEL", "HGETDEL"}) == "HDEL" ? "HDEL " : nullptr;
    if (name) {
      CHECK(server_(name + key + " " + field) == (model_.erase(key, field) ? 1 : 0));
    } else {
      const auto* old = model_.find(key, field);
      CHECK(server_("HGETDEL " + key + " FIELDS 1 " + field) ==
            array(old ? bulk(old->value) : nil));
      model_.erase(key, field);
    }
  }
  void persist(const std::string& key, const std::string& field) {
    auto* found = model_.find(key, field);
    const int code = !found ? -2 : found->deadline_ms ? 1 : -1;
    if (found) found->deadline_ms.reset();
    CHECK(server_("HPERSIST " + key + " FIELDS 1 " + field) == array(code));
  }
  void set_with_deadline(const std::string& key, const std::string& field) {
    const auto ms = static_cast<std::int64_t>(random_.below(20));
    const std::string condition = pick({"", "FNX ", "FXX "});
    const bool there = model_.find(key, field) != nullptr;
    const bool sets = condition.empty() || there == (condition == "FXX ");
    CHECK(server_("HSETEX " + key + " " + condition + "PX " + std::to_string(ms) + " FIELDS 1 " +
                  field + " 7") == (sets ? 1 : 0));
    if (!sets) return;
    model_.hashes[key][field].value = "7";
    model_.expire(key, field, model_.now_ms + ms, "");
  }
  void copy(const std::string& from, const std::string& to) {
    if (from == to) return;
    const bool there = model_.hashes.contains(from);
    const bool renames = random_.below(2) == 0 && there;
    server_((renames ? "RENAME " : "COPY ") + from + " " + to + (renames ? "" : " REPLACE"));
    if (there) model_.hashes[to] = model_.hashes[from];
    if (renames) model_.hashes.erase(from);
  }
  void pass_time() {
    const auto ms = static_cast<std::int64_t>(random_.below(8));
    server_.redis().advance(std::chrono::milliseconds{ms});
    model_.advance(ms);
  }
  void expire(const std::string& key, const std::string& field) {
    const auto ms = static_cast<std::int64_t>(random_.below(20));
    const std::string condition = pick({"", "NX", "XX", "GT", "LT"});
    CHECK(server_("HPEXPIRE " + key + " " + std::to_string(ms) + " " +
                  (condition.empty() ? "" : condition + " ") + "FIELDS 1 " + field) ==
          array(model_.expire(key, field, model_.now_ms + ms, condition)));
  }

  NewerServer server_;
  Random random_;
  bool active_;
  Model model_;
};

}  // namespace

TEST_CASE("random operations on hash fields do what a simple model says") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const bool active = seed % 2 == 0;
    Run run(seed, active);
    for (int step = 0; step < 120; ++step) {
      INFO("seed " << seed << " step " << step);
      run.step();
      run.compare();
    }
  }
}

}  // namespace picklock::test

// What a scenario declares beside its lock keys: waits, fences, holds that are over, clean endings.
//
// Part of Oracles, which tells it what happens and takes its findings. Everything that is declared
// lasts one run. What it remembers of the run is in state(), which the exhaustive search cuts on.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/race/properties.hpp>

#include "fuzz/world/findings.hpp"

namespace picklock {
class Inspector;
}

namespace picklock::race {

class Oracles;
struct WorkerFacts;

/// What a run changes of the properties.
struct PropertiesMoment {
  struct Waiting {
    bool active = false;
    std::size_t key = 0;
    std::size_t worker = 0;
    std::uint64_t order = 0;
    int overtaken = 0;
    Instant since{};
  };
  struct Over {
    std::size_t key = 0;
    std::string token;
  };
  struct Fencing {
    std::size_t text = 0;
    std::size_t key = kNobody;
    FencingToken highest{};
    std::size_t writer = kNobody;  ///< Whose token the highest is.
  };
  struct Rate {
    std::int64_t second = -1;
    int count = 0;
  };
  std::vector<Waiting> waits_;
  std::uint64_t next_order_ = 0;
  std::vector<Over> over_;
  std::vector<Fencing> fences_;
  bool clock_went_back_ = false;
  std::vector<Rate> rates_;
};

class Properties : private PropertiesMoment {
 public:
  explicit Properties(Oracles& oracles) : oracles_(&oracles) {}
  void clear();

  // Waiting, by the index of the lock key.
  void set_bound(std::size_t key, Duration bound) { rule(key).bound = bound; }
  void set_overtakes(std::size_t key, int most) { rule(key).overtakes = most; }
  std::size_t wait(std::size_t key, std::size_t worker, Instant now);
  void end_wait(std::size_t slot) { waits_[slot].active = false; }
  void taken(std::size_t slot);
  void time_passed(Instant now, const std::vector<WorkerFacts>& workers);
  /// Whether it counts for how long `worker` has been kept from its server.
  bool waits_within_bound(std::size_t worker) const;

  // Holds that are over.
  void expect_count(std::size_t key, std::size_t worker, std::string_view token, std::int64_t count,
                    const Inspector& server);
  void over(std::size_t key, std::size_t worker, std::string_view token);
  /// Called when a worker sends a request.
  void sent(std::size_t worker, std::span<const std::string_view> words, Instant now);
  /// Called when a command of `worker` has changed the node of `key`.
  void changed(std::size_t key, std::size_t worker, const Inspector& server);

  // Fences.
  std::size_t fence(std::string_view name, std::size_t key);
  bool write(std::size_t fence, std::size_t worker, FencingToken token);
  void write_unchecked(std::size_t fence, std::size_t worker, FencingToken token);

  // The end.
  struct Clean {
    std::size_t node = 0;
    Duration within{};
    std::vector<std::string> kept;
  };
  void leaves_nothing(Clean clean) { clean_.push_back(std::move(clean)); }
  const std::vector<Clean>& clean() const { return clean_; }
  /// A server's clock went back: what was to live for a while lives longer by that.
  void clock_went_back() { clock_went_back_ = true; }
  /// `now`: the server's own time.
  void check_clean(const Clean& clean, const Inspector& server, Instant now);
  std::vector<std::function<void(Rest&)>>& at_rest() { return at_rest_; }
  const std::vector<std::function<void(Rest&)>>& at_rest() const { return at_rest_; }

  void set_most_commands(int count) { most_commands_ = count; }
  void expect(std::size_t worker, bool condition, std::string_view sentence);

  /// Ends all waits of a worker that is gone. False if there were none.
  bool abandon(std::size_t worker);

  std::uint64_t state(Instant origin) const;
  /// All that a run changes, for checkpoints.
  const PropertiesMoment& moment() const { return *this; }
  void put_back(const PropertiesMoment& moment) { PropertiesMoment::operator=(moment); }
  /// The sentence, the leaked key, the fence or the history that a finding's resource means.
  const std::string& text(std::size_t resource) const { return texts_[resource]; }
  /// Where text() will find it.
  std::size_t text_index(std::string_view text);

 private:
  struct Rule {
    std::size_t key = 0;
    std::optional<Duration> bound;
    std::optional<int> overtakes;
  };

  Rule& rule(std::size_t key);

  Oracles* oracles_;
  std::vector<Rule> rules_;
  std::vector<Clean> clean_;
  std::vector<std::function<void(Rest&)>> at_rest_;
  int most_commands_ = 0;           ///< 0: any number.
  std::vector<std::string> texts_;  ///< Kept from run to run, so that their places stay.
};

}  // namespace picklock::race

// The strategies beside models that go by their definitions, step by step: the same seeds must draw
// the same schedules for ever.
#include "fuzz/search/strategies.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "fuzz/world/ids.hpp"
#include "tests/support/catch.hpp"

namespace picklock::race {
namespace {

using Options = std::vector<Option>;
using Weight = std::function<std::uint64_t(const Option&)>;

bool is_a_fault(const Option& option) { return is_fault(step_of(option.id)); }

/// Options of four workers and their connections, an ordinary one at least.
Options draw_options(Random& random) {
  constexpr std::array kSteps{Step::resume, Step::request, Step::reply,   Step::time,
                              Step::crash,  Step::freeze,  Step::restart, Step::reset};
  std::map<std::uint32_t, Option> options;
  const auto add = [&](Step step) {
    const auto actor =
        static_cast<std::uint32_t>(step == Step::time ? 0 : random.below(4) + 16 * random.below(2));
    Option option{.id = step_id(step, actor)};
    if (is_fault(step)) option.weight = 1;
    if (step == Step::request) option.operation.node = static_cast<std::uint8_t>(actor / 16);
    options[option.id] = option;
  };
  add(Step::resume);
  for (std::uint64_t more = 1 + random.below(6); more > 0; --more)
    add(kSteps[random.below(kSteps.size())]);
  Options list;
  for (const auto& [id, option] : options) list.push_back(option);
  std::rotate(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(random.below(list.size())),
              list.end());
  return list;
}

struct Model {
  Random random;
  FaultSet allowed;

  bool allows(const Option& option) const { return is_allowed(Kind::step, option, allowed); }
  std::size_t by_weight(const Options& options, const Weight& weight) {
    std::uint64_t total = 0;
    for (const Option& option : options) total += weight(option);
    std::uint64_t point = random.below(total);
    std::size_t i = 0;
    while (point >= weight(options[i])) point -= weight(options[i++]);
    return i;
  }
  /// The `n`th of those that `counts` says yes of.
  static std::size_t nth(const Options& options, std::uint64_t n,
                         const std::function<bool(const Option&)>& counts) {
    for (std::size_t i = 0;; ++i)
      if (counts(options[i]) && n-- == 0) return i;
  }
  std::multiset<std::uint32_t> points(std::size_t count, std::uint32_t range) {
    std::multiset<std::uint32_t> drawn;
    while (drawn.size() < count) drawn.insert(static_cast<std::uint32_t>(random.below(range)));
    return drawn;
  }
};

struct Walk : Model {
  std::size_t pick(const Options& options) {
    return by_weight(options, [this](const Option& option) -> std::uint64_t {
      return allows(option) ? option.weight : 0;
    });
  }
};

struct Uniform : Model {
  std::map<std::size_t, std::uint64_t> left;

  std::size_t pick(const Options& options) {
    const std::size_t picked = by_weight(options, [this](const Option& option) -> std::uint64_t {
      if (is_a_fault(option)) return allows(option) ? 1 : 0;
      return 8 * std::max<std::uint64_t>(left[actor_place(option.id)], 1);
    });
    std::uint64_t& one = left[actor_place(options[picked].id)];
    if (!is_a_fault(options[picked]) && one > 0) --one;
    return picked;
  }
};

struct Priority : Model {
  std::vector<std::uint32_t> priorities{};
  std::multiset<std::uint32_t> changes{};
  std::uint32_t step = 0, lowest = 999;

  void begin(const Habits& habits, std::uint32_t depth) {
    for (std::uint32_t i = 0; i < kActorPlaces; ++i) {
      priorities.push_back(1000 + i);
      std::swap(priorities[i], priorities[random.below(i + 1)]);
    }
    changes = points(depth, habits.choices);
  }
  std::size_t highest(const Options& options) const {
    const auto rank = [this](const Option& option) {
      return is_a_fault(option) ? 0 : priorities[actor_place(option.id)];
    };
    return static_cast<std::size_t>(
        std::max_element(options.begin(), options.end(),
                         [&](const Option& a, const Option& b) { return rank(a) < rank(b); }) -
        options.begin());
  }
  std::size_t pick(const Options& options) {
    const auto strikes = [this](const Option& one) { return is_a_fault(one) && allows(one); };
    for (std::size_t i = changes.count(step++); i > 0; --i) {
      const auto faults = std::count_if(options.begin(), options.end(), strikes);
      if (faults > 0 && random.below(2) == 0)
        return nth(options, random.below(static_cast<std::uint64_t>(faults)), strikes);
      priorities[actor_place(options[highest(options)].id)] = lowest--;
    }
    return highest(options);
  }
};

struct PartialOrder : Model {
  struct Known {
    std::uint32_t priority;
    std::uint8_t node;
  };
  std::map<std::uint32_t, Known> known{};

  std::uint32_t draw(const Option& option) {
    const auto priority = static_cast<std::uint32_t>(random.next() >> 33) + 1;
    const bool takes_part = option.weight >= kUsualWeight || random.below(16) < option.weight;
    return takes_part ? priority : 0;
  }
  Known& of(const Option& option) {
    if (!known.contains(option.id)) known[option.id] = {draw(option), option.operation.node};
    return known[option.id];
  }
  std::size_t pick(const Options& options) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < options.size(); ++i) {
      if (!allows(options[i])) continue;
      const std::uint32_t priority = of(options[i]).priority;
      if (!best || priority > of(options[*best]).priority) best = i;
    }
    const std::uint8_t node = options[*best].operation.node;
    for (const Option& option : options) {
      Known& one = of(option);
      const bool raced = node != 0xff && one.node == node;
      if (raced || one.priority == 0 || option.id == options[*best].id) one.priority = draw(option);
    }
    return *best;
  }
};

struct Delay : Model {
  std::multiset<std::uint32_t> delays{};
  std::uint32_t step = 0;

  std::size_t pick(const Options& options) {
    if (!delays.contains(step++)) return 0;
    const Options others{options.begin() + 1, options.end()};
    const auto counts = [this](const Option& option) { return allows(option); };
    const auto many = std::count_if(others.begin(), others.end(), counts);
    if (many == 0) return 0;
    return 1 + nth(others, random.below(static_cast<std::uint64_t>(many)), counts);
  }
};

constexpr FaultSet kSomeFaults = ~FaultSet{0} ^ FaultSet { 1 } << static_cast<int>(Fault::crash);

/// `begin(seed, allowed)` makes the strategy ready, and its model.
void compare(Chooser& strategy, const std::function<std::function<std::size_t(const Options&)>(
                                    std::uint64_t seed, FaultSet allowed)>& begin) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Random random{seed ^ 0x5eed};
    const auto model = begin(seed, seed % 3 == 0 ? 0 : seed % 3 == 1 ? kEveryFault : kSomeFaults);
    for (int step = 0; step < 40; ++step) {
      const Options options = draw_options(random);
      REQUIRE(strategy.pick(Kind::step, options) == model(options));
    }
  }
}

Habits some_habits(std::uint64_t seed) {
  Habits habits{.choices = 30, .events = {}};
  for (std::uint64_t i = 0; i < kActorPlaces; ++i)
    habits.events.push_back(static_cast<std::uint32_t>((seed + i) % 7));
  return habits;
}

}  // namespace

TEST_CASE("strategies pick what their definitions say") {
  SECTION("random walk") {
    WalkChooser walk;
    compare(walk, [&](std::uint64_t seed, FaultSet allowed) {
      walk.begin(seed, allowed);
      return [model = Walk{{Random{seed}, allowed}}](const Options& options) mutable {
        return model.pick(options);
      };
    });
  }
  SECTION("uniform random walk") {
    UniformChooser uniform;
    compare(uniform, [&](std::uint64_t seed, FaultSet allowed) {
      const Habits habits = some_habits(seed);
      uniform.begin(seed, allowed, habits);
      Uniform model{{Random{seed}, allowed}, {}};
      for (std::size_t i = 0; i < kActorPlaces; ++i) model.left[i] = habits.events[i];
      return [model](const Options& options) mutable { return model.pick(options); };
    });
  }
  SECTION("priorities that change") {
    PriorityChooser priority;
    compare(priority, [&](std::uint64_t seed, FaultSet allowed) {
      const auto depth = static_cast<std::uint32_t>(seed % 9);
      priority.begin(seed, allowed, some_habits(seed), depth);
      Priority model{{Random{seed}, allowed}};
      model.begin(some_habits(seed), depth);
      return [model](const Options& options) mutable { return model.pick(options); };
    });
  }
  SECTION("partial orders") {
    PartialOrderChooser orders;
    compare(orders, [&](std::uint64_t seed, FaultSet allowed) {
      orders.begin(seed, allowed);
      return [model = PartialOrder{{Random{seed}, allowed}}](const Options& options) mutable {
        return model.pick(options);
      };
    });
  }
  SECTION("delays") {
    DelayChooser delay;
    compare(delay, [&](std::uint64_t seed, FaultSet allowed) {
      const auto delays = static_cast<std::uint32_t>(seed % 9);
      delay.begin(seed, allowed, some_habits(seed), delays);
      Delay model{{Random{seed}, allowed}};
      model.delays = model.points(delays, some_habits(seed).choices);
      return [model](const Options& options) mutable { return model.pick(options); };
    });
  }
}

TEST_CASE("each step belongs to its worker, or to time, and is one kind of fault or none") {
  constexpr std::uint32_t kLast = static_cast<std::uint32_t>(Step::replicate);
  for (std::uint32_t number = 0; number <= kLast; ++number) {
    CAPTURE(number);
    const auto step = static_cast<Step>(number);
    const bool has_worker = is_of_worker(step) || is_of_connection(step);
    CHECK(actor_place(step_id(step, 5 + 16)) == (has_worker ? 5 : kActorPlaces - 1));
    CHECK(std::popcount(fault_of(step_id(step, 5))) == (is_fault(step) ? 1 : 0));
  }
  CHECK(fault_of(step_id(Step::freeze, 0)) == 1U << static_cast<int>(Fault::pause));
  CHECK(fault_of(step_id(Step::failover, 0)) == 1U << static_cast<int>(Fault::failover));
}

}  // namespace picklock::race

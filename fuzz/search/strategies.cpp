#include "fuzz/search/strategies.hpp"

#include <algorithm>

#include "fuzz/world/ids.hpp"

namespace picklock::race {
namespace {

constexpr std::size_t kTimePlace = kActorPlaces - 1;

/// By step: the kind of fault that it is, as a bit; none for steps that are no faults.
constexpr std::array<FaultSet, 32> kFaultBits = [] {
  constexpr std::array<Fault, 21> kFaultOf{
      Fault::pause,        Fault::pause, Fault::pause,        Fault::pause,
      Fault::crash,        Fault::pause, Fault::lost_request, Fault::lost_reply,
      Fault::duplicate,    Fault::reset, Fault::partition,    Fault::restart,
      Fault::script_flush, Fault::clock, Fault::client_clock, Fault::eviction,
      Fault::refusal,      Fault::pause, Fault::failover,     Fault::lag,
      Fault::pause};
  std::array<FaultSet, 32> bits{};
  for (std::size_t step = 0; step < kFaultOf.size(); ++step) {
    if (is_fault(static_cast<Step>(step)))
      bits[step] = FaultSet{1} << static_cast<std::uint32_t>(kFaultOf[step]);
  }
  return bits;
}();

/// The steps of workers, or of their connections: a bit for each.
constexpr std::uint32_t kOfWorkers = [] {
  std::uint32_t steps = 0;
  for (std::uint32_t step = 0; step < 32; ++step) {
    if (is_of_worker(static_cast<Step>(step)) || is_of_connection(static_cast<Step>(step)))
      steps |= std::uint32_t{1} << step;
  }
  return steps;
}();

bool is_fault_option(const Option& option) { return fault_of(option.id) != 0; }

/// Which of several has the highest priority; of equals, the first one. Without branches, for it is
/// chance which one that is.
class First {
 public:
  void add(std::size_t place, std::uint32_t priority) {
    best_ = std::max(best_, std::uint64_t{priority} << 32 | (kLast - place));
  }
  /// `none` if there was none.
  std::size_t place(std::size_t none) const { return best_ == 0 ? none : kLast - (best_ & kLast); }

 private:
  static constexpr std::uint64_t kLast = 0xffffffff;
  std::uint64_t best_ = 0;
};

/// Random points, in order, among the first `range` steps.
void draw_points(Random& random, std::vector<std::uint32_t>& points, std::size_t count,
                 std::uint32_t range) {
  points.clear();
  for (std::size_t i = 0; i < count; ++i) {
    points.push_back(static_cast<std::uint32_t>(random.below(std::max(range, 1U))));
    for (std::size_t at = i; at > 0 && points[at - 1] > points[at]; --at)  // They are few.
      std::swap(points[at - 1], points[at]);
  }
}

}  // namespace

void WalkChooser::begin(std::uint64_t seed, FaultSet allowed) {
  random_.reseed(seed);
  allowed_ = allowed;
}

FaultSet fault_of(std::uint32_t id) { return kFaultBits[static_cast<std::size_t>(step_of(id))]; }

bool is_allowed(Kind kind, const Option& option, FaultSet allowed) {
  if (kind != Kind::step) return true;
  const FaultSet bit = fault_of(option.id);
  return bit == 0 || (allowed & bit) != 0;
}

std::size_t actor_place(std::uint32_t id) {
  return (kOfWorkers >> static_cast<std::uint32_t>(step_of(id)) & 1) != 0
             ? actor_of(id) % kMostWorkers
             : kTimePlace;
}

/// Goes through all of them: where a loop would end by chance, a processor guesses wrong.
std::size_t WalkChooser::draw_place() {
  const std::uint64_t point = random_.below(*std::prev(sums_.end()));
  std::size_t place = 0;
  for (const std::uint64_t sum : sums_) place += sum <= point;
  return place;
}

std::size_t WalkChooser::pick_at_random(Kind kind, std::span<const Option> options) {
  sums_.clear();
  std::uint64_t total = 0;
  for (const Option& option : options) {
    if (is_allowed(kind, option, allowed_)) total += option.weight;
    sums_.push() = total;
  }
  return draw_place();
}

std::size_t WalkChooser::pick(Kind kind, std::span<const Option> options) {
  return pick_at_random(kind, options);
}

void UniformChooser::begin(std::uint64_t seed, FaultSet allowed, const Habits& habits) {
  WalkChooser::begin(seed, allowed);
  left_ = habits.events;
  left_.resize(kActorPlaces, 1);
}

std::size_t UniformChooser::pick(Kind kind, std::span<const Option> options) {
  if (kind != Kind::step) return pick_at_random(kind, options);
  sums_.clear();
  std::uint64_t total = 0;
  for (const Option& option : options) {
    if (is_fault_option(option))
      total += is_allowed(kind, option, allowed_);
    else
      total += std::max<std::uint64_t>(left_[actor_place(option.id)], 1) * 8;
    sums_.push() = total;
  }
  const std::size_t index = draw_place();
  std::uint32_t& left = left_[actor_place(options[index].id)];
  if (left > 0 && !is_fault_option(options[index])) --left;
  return index;
}

void PriorityChooser::begin(std::uint64_t seed, FaultSet allowed, const Habits& habits,
                            std::uint32_t depth) {
  WalkChooser::begin(seed, allowed);
  priorities_.resize(kActorPlaces);
  for (std::size_t i = 0; i < kActorPlaces; ++i) {
    priorities_[i] = 1000 + static_cast<std::uint32_t>(i);
    std::swap(priorities_[i], priorities_[random_.below(i + 1)]);
  }
  draw_points(random_, changes_, depth, habits.choices);
  next_ = 0;
  step_ = 0;
  lowest_ = 999;
}

std::size_t PriorityChooser::pick(Kind kind, std::span<const Option> options) {
  if (kind != Kind::step) return pick_at_random(kind, options);
  const auto best = [&] {
    First first;
    for (std::size_t i = 0; i < options.size(); ++i) {
      if (!is_fault_option(options[i])) first.add(i, priorities_[actor_place(options[i].id)]);
    }
    return first.place(options.size());
  };
  const std::uint32_t now = step_++;
  while (next_ < changes_.size() && changes_[next_] < now) ++next_;
  for (; next_ < changes_.size() && changes_[next_] == now; ++next_) {
    std::size_t faults = 0;
    for (const Option& option : options)
      faults += is_fault_option(option) && is_allowed(kind, option, allowed_);
    if (faults > 0 && random_.below(2) == 0) {
      std::size_t skip = random_.below(faults);
      for (std::size_t i = 0; i < options.size(); ++i) {
        if (!is_fault_option(options[i]) || !is_allowed(kind, options[i], allowed_)) continue;
        if (skip-- == 0) return i;
      }
    }
    priorities_[actor_place(options[best()].id)] = lowest_--;
  }
  return best();
}

void PartialOrderChooser::begin(std::uint64_t seed, FaultSet allowed) {
  WalkChooser::begin(seed, allowed);
  for (const Pending& pending : pending_) places_[pending.id] = 0;
  pending_.clear();
}

/// A fault takes part in the lottery only now and then.
std::uint32_t PartialOrderChooser::draw(const Option& option) {
  const auto priority = static_cast<std::uint32_t>(random_.next() >> 33) + 1;
  return option.weight >= kUsualWeight || random_.below(kUsualWeight) < option.weight ? priority
                                                                                      : 0;
}

PartialOrderChooser::Pending& PartialOrderChooser::find(const Option& option) {
  if (option.id >= places_.size()) places_.resize(option.id + 1);
  std::size_t& place = places_[option.id];
  if (place == 0) {
    pending_.push_back({option.id, draw(option), option.operation.node});
    place = pending_.size();
  }
  return pending_[place - 1];
}

std::size_t PartialOrderChooser::pick(Kind kind, std::span<const Option> options) {
  if (kind != Kind::step) return pick_at_random(kind, options);
  First first;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (is_allowed(kind, options[i], allowed_)) first.add(i, find(options[i]).priority);
  }
  const std::size_t best = first.place(options.size());
  // Who raced with what happens now draws again, and so does what happens when it comes again.
  const std::uint8_t node = options[best].operation.node;
  for (const Option& option : options) {
    Pending& pending = find(option);
    const bool raced = node != 0xff && pending.node == node;
    if (raced || pending.priority == 0 || option.id == options[best].id)
      pending.priority = draw(option);
  }
  return best;
}

void DelayChooser::begin(std::uint64_t seed, FaultSet allowed, const Habits& habits,
                         std::uint32_t delays) {
  WalkChooser::begin(seed, allowed);
  draw_points(random_, delays_, delays, habits.choices);
  next_ = 0;
  step_ = 0;
}

std::size_t DelayChooser::pick(Kind kind, std::span<const Option> options) {
  if (kind != Kind::step) return pick_at_random(kind, options);
  const std::uint32_t now = step_++;
  while (next_ < delays_.size() && delays_[next_] < now) ++next_;
  if (next_ == delays_.size() || delays_[next_] != now) return 0;
  std::size_t others = 0;
  for (std::size_t i = 1; i < options.size(); ++i) others += is_allowed(kind, options[i], allowed_);
  if (others == 0) return 0;
  std::size_t skip = random_.below(others);
  for (std::size_t i = 1;; ++i) {
    if (is_allowed(kind, options[i], allowed_) && skip-- == 0) return i;
  }
}

void MutationChooser::begin(std::uint64_t seed, FaultSet allowed, std::span<const Choice> parent) {
  WalkChooser::begin(seed, allowed);
  parent_ = parent;
  next_ = 0;
  cut_ = parent.empty() ? 0 : random_.below(parent.size());
  once_ = random_.below(2) == 0;
}

std::size_t MutationChooser::pick(Kind kind, std::span<const Option> options) {
  const std::size_t at = next_++;
  if (at == cut_ || at >= parent_.size() || (at > cut_ && !once_))
    return pick_at_random(kind, options);
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (parent_[at].kind == kind && parent_[at].id == options[i].id) return i;
  }
  return pick_at_random(kind, options);
}

}  // namespace picklock::race

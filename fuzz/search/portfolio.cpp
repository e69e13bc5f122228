#include "fuzz/search/portfolio.hpp"

#include "fuzz/world/ids.hpp"

namespace picklock::race {
namespace {

/// Which strategy's turn it is, over and over.
constexpr std::array<Strategy, 8> kTurns{
    Strategy::random, Strategy::pct,           Strategy::delay, Strategy::uniform,
    Strategy::pct,    Strategy::partial_order, Strategy::delay, Strategy::coverage};

constexpr std::size_t kMostParents = 64;

std::uint64_t mixed(std::uint64_t seed, std::uint64_t schedule) {
  return seed * 0xd1342543de82ef95 + schedule;
}

}  // namespace

Portfolio::Portfolio(const Faults& faults, Strategy strategy, std::uint64_t seed)
    : strategy_(strategy), seed_(seed) {
  for (const FaultKind& kind : kFaultKinds) {
    if (faults.*kind.budget == 0) continue;
    kinds_.push_back(1U << static_cast<std::uint32_t>(kind.fault));
    faults_ |= kinds_.back();
  }
}

/// Swarm: most schedules do without most kinds, for one kind hides what another would show.
FaultSet Portfolio::draw_faults(Random& random) const {
  if (kinds_.size() < 2) return faults_;
  switch (random.below(8)) {
    case 0:
      return 0;
    case 1:
      return faults_;
    case 2:
    case 3:
      return kinds_[random.below(kinds_.size())] | kinds_[random.below(kinds_.size())];
    default:
      return kinds_[random.below(kinds_.size())];
  }
}

Chooser& Portfolio::begin(std::uint64_t schedule) {
  const std::uint64_t slice = (schedule - 1) / kSlice;
  if (slice != slice_) {
    slice_ = slice;
    measured_ = false;
    habits_.choices = Habits{}.choices;
    habits_.events.clear();
    corpus_.clear();
    parents_.clear();
  }
  const std::uint64_t turn = (schedule - 1) % kSlice;
  const Strategy strategy =
      strategy_ == Strategy::portfolio ? kTurns[turn % kTurns.size()] : strategy_;
  return begin_as(strategy, mixed(seed_, schedule), turn);
}

Chooser& Portfolio::begin_as(Strategy strategy, std::uint64_t seed, std::uint64_t turn) {
  Random random{seed};
  const FaultSet allowed = strategy_ == Strategy::portfolio ? draw_faults(random) : faults_;
  const std::uint64_t own_seed = random.next();
  const auto round = static_cast<std::uint32_t>(turn / 4);
  picked_by_ = strategy;
  switch (strategy) {
    case Strategy::uniform:
      uniform_.begin(own_seed, allowed, habits_);
      return uniform_;
    case Strategy::pct:
      priority_.begin(own_seed, allowed, habits_, 1 + round % 5);
      return priority_;
    case Strategy::partial_order:
      partial_order_.begin(own_seed, allowed);
      return partial_order_;
    case Strategy::delay:
      delay_.begin(own_seed, allowed, habits_, 1 + round % 4);
      return delay_;
    case Strategy::coverage:
      if (parents_.empty()) break;
      mutation_.begin(own_seed, allowed, parent(random.below(parents_.size())));
      return mutation_;
    default:
      break;
  }
  picked_by_ = Strategy::random;
  walk_.begin(own_seed, allowed);
  return walk_;
}

std::span<const Choice> Portfolio::parent(std::size_t index) const {
  const std::size_t begin = index == 0 ? 0 : parents_[index - 1];
  return std::span{corpus_}.subspan(begin, parents_[index] - begin);
}

void Portfolio::learn(const std::vector<Choice>& choices, bool is_new) {
  if (!measured_) {
    measured_ = true;
    habits_.choices = 0;
    habits_.events.assign(kActorPlaces, 0);
    for (const Choice& choice : choices) {
      if (choice.kind != Kind::step) continue;
      ++habits_.choices;
      ++habits_.events[actor_place(choice.id)];
    }
  }
  if (!is_new || parents_.size() == kMostParents) return;
  corpus_.insert(corpus_.end(), choices.begin(), choices.end());
  parents_.push_back(corpus_.size());
}

}  // namespace picklock::race

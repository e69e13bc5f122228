#include "fuzz/search/digest_audit.hpp"

#include <algorithm>

#include "emulator/base/numbers.hpp"
#include "emulator/base/random.hpp"
#include "fuzz/search/chooser.hpp"
#include "fuzz/world/ids.hpp"

namespace picklock::race {
namespace {

constexpr std::uint64_t kAllAtFirst = 64;   ///< States that are all in the sample.
constexpr std::uint64_t kAuditEvery = 256;  ///< Of those that follow.
constexpr std::size_t kMostWays = 1024;
constexpr std::uint64_t kMostAudits = 64;
constexpr std::size_t kMostSteps = 100;  ///< Choices after the state.

/// What there is at a choice.
struct View {
  std::uint64_t state = 0;
  std::vector<std::uint64_t> workers;
  std::vector<std::uint32_t> options;
  bool operator==(const View&) const = default;
};

/// The worker that is not the same in both, or that does something else; -1: none can be told.
int culprit(const View& one, const View& other) {
  const auto [worker, different] = std::ranges::mismatch(one.workers, other.workers);
  if (worker != one.workers.end() && different != other.workers.end())
    return static_cast<int>(worker - one.workers.begin());
  const auto [option, in_place] = std::ranges::mismatch(one.options, other.options);
  const std::uint32_t* id = option != one.options.end()       ? &*option
                            : in_place != other.options.end() ? &*in_place
                                                              : nullptr;
  if (id == nullptr) return -1;
  const Step step = step_of(*id);
  if (!is_of_worker(step) && !is_of_connection(step)) return -1;
  return static_cast<int>(actor_of(*id) % kMostWorkers);
}

/// Follows a way and goes on at random, noting what it sees then.
class Continued final : public Chooser {
 public:
  Continued(const Simulation& simulation, const std::vector<Choice>& way, std::uint64_t seed)
      : simulation_(&simulation), way_(way), random_(seed) {}

  std::size_t pick(Kind kind, std::span<const Option> options) override {
    if (next_ < way_.size()) {
      std::size_t index = 0;
      while (index < options.size() && options[index].id != way_[next_].id) ++index;
      ++next_;
      return index;
    }
    View view;
    view.state = kind == Kind::step ? simulation_->state() : 0;
    view.workers = simulation_->worker_digests();
    for (const Option& option : options) view.options.push_back(option.id);
    seen_.push_back(std::move(view));
    if (seen_.size() == kMostSteps) return options.size();
    const std::size_t picked = random_.below(options.size());
    picked_.push_back({kind, options[picked].id});
    return picked;
  }

  const std::vector<View>& seen() const { return seen_; }
  const std::vector<Choice>& picked() const { return picked_; }

 private:
  const Simulation* simulation_;
  const std::vector<Choice>& way_;
  Random random_;
  std::size_t next_ = 0;
  std::vector<View> seen_;
  std::vector<Choice> picked_;
};

}  // namespace

void DigestAudit::met(std::uint64_t state, std::uint64_t number, const std::vector<Choice>& way) {
  if (number > kAllAtFirst && number % kAuditEvery != 0) return;
  if (ways_.size() < kMostWays) ways_.emplace(state, way);
}

void DigestAudit::met_again(std::uint64_t state, const std::vector<Choice>& way) {
  if (one_ != nullptr || audits_ == kMostAudits) return;
  const auto found = ways_.find(state);
  if (found == ways_.end()) return;
  one_ = &found->second;
  other_ = way;
}

std::string DigestAudit::run(Simulation& simulation, const Scenario& scenario) {
  if (one_ == nullptr) return "";
  ++audits_;
  Continued one{simulation, *one_, audits_};
  Continued other{simulation, other_, audits_};
  one_ = nullptr;
  for (Continued* way : {&one, &other}) simulation.run(scenario, *way, Class::unusable);
  std::size_t step = 0;
  while (step < one.seen().size() && step < other.seen().size() &&
         one.seen()[step] == other.seen()[step])
    ++step;
  if (step == one.seen().size() && step == other.seen().size()) return "";
  std::string who;
  const View end{};  // Of the way that has ended there.
  const int worker = culprit(step < one.seen().size() ? one.seen()[step] : end,
                             step < other.seen().size() ? other.seen()[step] : end);
  if (worker >= 0) who = ", first in " + simulation.worker_name(static_cast<std::size_t>(worker));
  if (step == 0) return "at once" + who;
  return "once " + describe(one.picked()[step - 1]) + ", " +
         to_text(static_cast<std::int64_t>(step)) +
         (step == 1 ? " choice later" : " choices later") + who;
}

}  // namespace picklock::race

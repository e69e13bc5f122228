#include "fuzz/targets/schedule_target.hpp"

#include <map>
#include <stdexcept>
#include <utility>

#include <picklock/race/bytes.hpp>

#include "fuzz/gallery/gallery.hpp"

namespace picklock::fuzzing {
namespace {

using race::ByteRunner;

/// Kinds of faults that a lock of the gallery must survive or be excused for, and no fault.
std::size_t kind_count() { return race::kFaultKinds.size() + 1; }

bool is_survived(race::Fault fault) {
  // Its clients count on no drift, and know no refusals.
  return fault != race::Fault::drift && fault != race::Fault::refusal;
}

ByteRunner make_runner(std::size_t kind, std::span<std::uint8_t> counters) {
  const race::GalleryLock& lock = *race::find_lock("set-nx-px");
  race::ExploreOptions options = race::make_options(lock, {});
  options.faults = race::Faults::none();
  if (kind < race::kFaultKinds.size() && is_survived(race::kFaultKinds[kind].fault))
    options.faults.*race::kFaultKinds[kind].budget = 1;
  return ByteRunner{options, race::make_scenario(lock, {}), counters};
}

}  // namespace

void run_schedule_input(std::string_view input, std::span<std::uint8_t> counters) {
  // A runner is costly and an input is not: one for each kind, of this thread.
  thread_local std::map<std::size_t, std::unique_ptr<ByteRunner>> runners;
  if (input.empty()) return;
  const std::size_t kind = static_cast<unsigned char>(input.front()) % kind_count();
  std::unique_ptr<ByteRunner>& runner = runners[kind];
  if (!runner) runner = std::make_unique<ByteRunner>(make_runner(kind, counters));
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(input.data());
  const race::Verdict verdict = runner->run({bytes + 1, input.size() - 1});
  if (!verdict) throw std::logic_error{verdict.to_string()};
}

}  // namespace picklock::fuzzing

#include "fuzz/search/chooser.hpp"

#include "emulator/base/numbers.hpp"
#include "fuzz/world/ids.hpp"

namespace picklock::race {

std::size_t RandomChooser::pick(Kind, std::span<const Option> options) {
  std::uint64_t total = 0;
  for (const Option& option : options) total += option.weight;
  std::uint64_t point = random_.below(total);
  std::size_t index = 0;
  while (point >= options[index].weight) point -= options[index++].weight;
  return index;
}

namespace {

std::size_t find(std::span<const Option> options, std::uint32_t id) {
  std::size_t index = 0;
  while (index < options.size() && options[index].id != id) ++index;
  return index;
}

std::string describe_step(std::uint32_t id) {
  const std::string actor = to_text(actor_of(id) % kMostWorkers + 1);
  const std::string node = to_text(actor_of(id) / kMostWorkers + 1);
  switch (step_of(id)) {
    case Step::resume:
      return "worker " + actor + " runs";
    case Step::request:
      return "worker " + actor + "'s request reaches server " + node;
    case Step::reply:
      return "server " + node + "'s reply reaches worker " + actor;
    case Step::time:
      return "time goes on";
    case Step::crash:
      return "worker " + actor + " crashes";
    case Step::freeze:
      return "worker " + actor + " is paused";
    case Step::lose_request:
      return "worker " + actor + "'s request to server " + node + " is lost";
    case Step::lose_reply:
      return "server " + node + "'s reply to worker " + actor + " is lost";
    case Step::repeat:
      return "worker " + actor + "'s request to server " + node + " is carried out twice";
    case Step::reset:
      return "worker " + actor + "'s connection to server " + node + " breaks";
    case Step::partition:
      return "worker " + actor + " is cut off from server " + node;
    case Step::refuse:
      return "server " + node + " refuses worker " + actor + "'s request";
    case Step::orphan:
      return "worker " + actor + "'s given up request reaches server " + node;
    case Step::restart:
      return "server " + actor + " restarts";
    case Step::flush_scripts:
      return "server " + actor + " forgets its scripts";
    case Step::server_clock:
      return "server " + actor + "'s clock jumps";
    case Step::wall_clock:
      return "worker " + actor + "'s wall clock jumps";
    case Step::evict:
      return "lock key " + actor + " is evicted";
    case Step::failover:
      return "replica " + actor + " takes over";
    case Step::lag:
      return "replica " + actor + " hears nothing";
    case Step::replicate:
      return "replica " + actor + " catches up";
  }
  return "step " + to_text(id);
}

std::string describe_duration(std::uint32_t id) {
  switch (static_cast<Until>(id)) {
    case Until::least:
      return "pause for the least time";
    case Until::most:
      return "pause for the longest time";
    case Until::short_menu:
      return "pause 10 ms";
    case Until::middle_menu:
      return "pause 100 ms";
    case Until::long_menu:
      return "pause 10 s";
    default:
      break;
  }
  if (id < static_cast<std::uint32_t>(Until::deadlines)) return "pause " + to_text(id);
  const std::uint32_t place = id - static_cast<std::uint32_t>(Until::deadlines);
  constexpr const char* kOffsets[] = {"1 ms before", "at", "1 ms after", "near"};
  return std::string{"pause until "} + kOffsets[place % 4] + " the deadline on server " +
         to_text(place / 4 + 1);
}

}  // namespace

std::string describe(Choice choice) {
  switch (choice.kind) {
    case Kind::step:
      return describe_step(choice.id);
    case Kind::duration:
      return describe_duration(choice.id);
    case Kind::fault:
      return "variant " + to_text(choice.id) + " of the fault";
    case Kind::data:
      return "value " + to_text(choice.id);
  }
  return "choice " + to_text(choice.id);
}

std::size_t ReplayChooser::pick(Kind kind, std::span<const Option> options) {
  const bool more = next_ < choices_.size();
  if (more && choices_[next_].kind == kind) {
    const std::size_t index = find(options, choices_[next_].id);
    if (index < options.size()) {
      ++next_;
      return index;
    }
  }
  mismatch_ = "choice " + to_text(static_cast<std::int64_t>(next_ + 1)) + " of " +
              to_text(static_cast<std::int64_t>(choices_.size())) + ": expected " +
              (more ? std::string{'"'} + describe(choices_[next_]) + "\"" : "the end of the run") +
              ", but the run can go on with ";
  for (std::size_t i = 0; i < options.size(); ++i)
    mismatch_ += (i == 0 ? "\"" : ", \"") + describe({kind, options[i].id}) + "\"";
  return options.size();
}

std::size_t TolerantChooser::pick(Kind kind, std::span<const Option> options) {
  for (; next_ < choices_.size(); ++next_, missed_ = 0) {
    const Choice& wanted = choices_[next_];
    const std::size_t index = wanted.kind == kind ? find(options, wanted.id) : options.size();
    if (index < options.size()) {
      ++next_;
      missed_ = 0;
      return index;
    }
    if (missed_ < patience_) {
      ++missed_;
      return 0;
    }
  }
  return 0;
}

}  // namespace picklock::race

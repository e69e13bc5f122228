#include "fuzz/gallery/founding.hpp"

#include <algorithm>

#include "lockclient/protocols/script_protocol.hpp"

namespace picklock::race {
namespace {

using std::chrono::milliseconds;

constexpr std::array<Ask, 3> kAsks{Ask::acquire, Ask::extend, Ask::release};

bool mentions(const ScriptStep& step, std::string_view placeholder) {
  const auto has = [&](const std::string& word) {
    return word.find(placeholder) != std::string::npos;
  };
  return std::ranges::any_of(step.arguments, has) ||
         std::ranges::any_of(step.then,
                             [&](const ScriptStep& next) { return mentions(next, placeholder); });
}

std::int64_t whole_seconds(std::int64_t ms) { return (ms + 999) / 1000; }

const ScriptStep& step_of(const ScriptProtocol& protocol, Ask what) {
  switch (what) {
    case Ask::acquire:
      return protocol.acquire;
    case Ask::extend:
      return protocol.extend;
    case Ask::release:
      break;
  }
  return protocol.release;
}

}  // namespace

Founding::Founding(const WellKnownProtocol& known, const LockSettings& settings)
    : protocol_(known.make()),
      api_(lock::make_script_protocol(std::string{kLockKey}, protocol_)),
      settings_(settings),
      renewed_(known.renewed),
      counts_(mentions(protocol_.acquire, "{client}")),
      by_value_(mentions(protocol_.acquire, "{until_ms}")) {
  const bool in_seconds = mentions(protocol_.acquire, "{ttl_s}");
  const auto rounded = [in_seconds](std::int64_t ms) {
    return milliseconds{in_seconds ? whole_seconds(ms) * 1000 : ms};
  };
  tries_ = std::max(tries_ / protocol_.wait_divisor, 1);
  // Who takes the waiting time for the ttl: a client waits up to a ttl after each try but the last.
  ttl_ms_ = settings.ttl_ms * (protocol_.takes_wait_for_ttl ? tries_ - 1 : 1);
  kept_ = rounded(settings.ttl_ms);
  const Duration asked = rounded(ttl_ms_);
  // As in the lock client: clocks differ by 1 % at most, and instants are read to the millisecond.
  if (ttl_ms_ > 0) lease_ = asked - asked / 100 - milliseconds{2};
  prepare();
}

void Founding::prepare() {
  for (std::size_t worker = 0; worker < static_cast<std::size_t>(settings_.workers); ++worker) {
    for (int round = 1; round <= settings_.rounds; ++round) {
      Bid bid{.worker = worker, .round = round};
      const std::string name{worker_name(worker)};
      bid.demand.owner = owners_.emplace_back(name + ":" + std::to_string(round));
      bid.demand.ttl_ms = ttl_ms_;
      bids_.push_back(bid);
      for (const Ask what : kAsks) {
        std::vector<Wording>& steps = prepared_.emplace_back();
        const ScriptStep& first = step_of(protocol_, what);
        if (by_value_ || first.is_empty()) continue;
        for (std::size_t step = 0; step <= first.then.size(); ++step) {
          bid.demand.step = step;
          steps.push_back(word(what, bid.demand));
        }
      }
    }
  }
  for (Bid& bid : bids_) bid.token = counts_ ? worker_name(bid.worker) : bid.demand.owner;
}

Bid Founding::bid(std::size_t worker, int round) const {
  return bids_[worker * static_cast<std::size_t>(settings_.rounds) +
               static_cast<std::size_t>(round - 1)];
}

Wording Founding::word(Ask what, const lock::Demand& demand) const {
  const lock::CallRef call = what == Ask::acquire  ? api_->acquire(demand)
                             : what == Ask::extend ? api_->extend(demand, demand.ttl_ms, 0)
                                                   : api_->release(demand);
  const auto words = call->request.all();
  return {.script = call->script, .words = {words.begin(), words.end()}};
}

const std::vector<Wording>& Founding::prepared(Ask what, const Bid& bid) const {
  const std::size_t turn = bid.worker * static_cast<std::size_t>(settings_.rounds) +
                           static_cast<std::size_t>(bid.round - 1);
  return prepared_[turn * kAsks.size() + static_cast<std::size_t>(what)];
}

const Wording& Founding::wording(Ask what, Bid& bid) const {
  if (!by_value_) return prepared(what, bid)[bid.demand.step];
  bid.scratch = word(what, bid.demand);
  return bid.scratch;
}

lock::Answer Founding::read(Ask what, const Reply& reply, const Bid& bid) const {
  switch (what) {
    case Ask::acquire:
      return api_->read_acquire(reply, bid.demand);
    case Ask::extend:
      return api_->read_extend(reply, bid.demand);
    case Ask::release:
      break;
  }
  return api_->read_release(reply, bid.demand);
}

std::vector<std::string> Founding::scripts() const {
  std::vector<std::string> scripts;
  for (const Ask what : kAsks) {
    const ScriptStep& first = step_of(protocol_, what);
    if (!first.script.empty()) scripts.push_back(first.script);
    for (const ScriptStep& next : first.then) {
      if (!next.script.empty()) scripts.push_back(next.script);
    }
  }
  return scripts;
}

}  // namespace picklock::race

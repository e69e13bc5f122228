#include "emulator/engine/latency_report.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "emulator/base/numbers.hpp"

namespace picklock {

namespace {

constexpr std::string_view kDisabled =
    "I'm sorry, Dave, I can't do that. Latency monitoring is disabled in this Redis instance. You "
    "may use \"CONFIG SET latency-monitor-threshold <milliseconds>.\" in order to enable it. If we "
    "weren't in a deep space mission I'd suggest to take a look at "
    "https://redis.io/topics/latency-monitor.\n";
constexpr std::string_view kHealthy =
    "Dave, no latency spike was observed during the lifetime of this Redis instance, not in the "
    "slightest bit. I honestly think you ought to sit down calmly, take a stress pill, and think "
    "things over.\n";
constexpr std::string_view kFound =
    "Dave, I have observed latency spikes in this Redis instance. You don't mind talking about it, "
    "do you Dave?\n\n";
constexpr std::string_view kAdvices = "\nI have a few advices for you:\n\n";
constexpr std::string_view kCheckSlowLog =
    "- Check your Slow Log to understand what are the commands you are running which are too slow "
    "to execute. Please check https://redis.io/commands/slowlog for more information.\n";
constexpr std::string_view kLargeObjects =
    "- Deleting, expiring or evicting (because of maxmemory policy) large objects is a blocking "
    "operation. If you have very large objects that are often deleted, expired, or evicted, try to "
    "fragment those objects into multiple smaller objects.\n";

struct Summary {
  std::int64_t count = 0;
  std::int64_t average = 0;
  std::int64_t deviation = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
  double period_s = 0;
};

Summary summarize(const LatencyMonitor::Event& event, std::int64_t now_s) {
  Summary result;
  result.count = static_cast<std::int64_t>(event.samples.size());
  result.low = result.high = event.samples.front().milliseconds;
  std::int64_t sum = 0;
  for (const auto& sample : event.samples) {
    sum += sample.milliseconds;
    result.low = std::min(result.low, sample.milliseconds);
    result.high = std::max(result.high, sample.milliseconds);
  }
  result.average = sum / result.count;
  std::int64_t distances = 0;
  for (const auto& sample : event.samples)
    distances += std::llabs(sample.milliseconds - result.average);
  result.deviation = distances / result.count;
  // Redis: the time since the oldest sample, at least a second, shared among all samples.
  const std::int64_t seconds =
      std::max<std::int64_t>(now_s - event.samples.front().unix_seconds, 1);
  result.period_s = static_cast<double>(seconds) / static_cast<double>(result.count);
  return result;
}

std::string two_decimals(double number) {
  const auto hundredths = static_cast<std::int64_t>(std::llround(number * 100));
  const std::string fraction = to_text(hundredths % 100);
  return to_text(hundredths / 100) + "." + (fraction.size() == 1 ? "0" : "") + fraction;
}

std::string slow_log_advice(std::int64_t threshold_ms, std::int64_t slower_than) {
  const std::string setting =
      "'CONFIG SET slowlog-log-slower-than " + to_text(threshold_ms * 1000) + "'";
  if (slower_than < 0)
    return "- There are latency issues with potentially slow commands you are using. Try to enable "
           "the Slow Log Redis feature using the command " +
           setting +
           ". If the Slow log is disabled Redis is not able to log slow commands execution for "
           "you.\n";
  if (slower_than / 1000 > threshold_ms)
    return "- Your current Slow Log configuration only logs events that are slower than your "
           "configured latency monitor threshold. Please use " +
           setting + ".\n";
  return {};
}

/// "5", "3m", "2h", "1d": how long ago a sample was taken.
std::string age(std::int64_t seconds) {
  if (seconds < 60) return to_text(seconds) + "s";
  if (seconds < 3600) return to_text(seconds / 60) + "m";
  if (seconds < 86400) return to_text(seconds / 3600) + "h";
  return to_text(seconds / 86400) + "d";
}

/// The largest number of nanoseconds that a histogram of two significant digits cannot tell from
/// this one.
std::int64_t highest_equivalent(std::int64_t nanoseconds) {
  const auto width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(nanoseconds)));
  const std::int64_t unit = width > 8 ? std::int64_t{1} << (width - 8) : 1;
  return nanoseconds / unit * unit + unit - 1;
}

}  // namespace

std::string latency_diagnosis(const LatencyMonitor& monitor, std::int64_t threshold_ms,
                              std::int64_t slower_than, std::int64_t now_s) {
  if (threshold_ms == 0 && monitor.events().empty()) return std::string{kDisabled};
  if (monitor.events().empty()) return std::string{kHealthy};
  std::string text{kFound};
  std::int64_t number = 0;
  bool commands = false;
  for (const auto& [name, event] : monitor.events()) {
    const Summary summary = summarize(event, now_s);
    commands = commands || name == "command";
    text += to_text(++number) + ". " + name + ": " + to_text(summary.count) +
            " latency spikes (average " + to_text(summary.average) + "ms, mean deviation " +
            to_text(summary.deviation) + "ms, period " + two_decimals(summary.period_s) +
            " sec). Worst all time event " + to_text(event.longest_ms) + "ms.\n";
  }
  text += kAdvices;
  if (commands) {
    text += slow_log_advice(threshold_ms, slower_than);
    text += kCheckSlowLog;
    text += kLargeObjects;
  }
  return text;
}

// Redis 7.0, sparkline.c: four rows, three heights a row, and the ages below, written downwards.
std::string latency_graph(std::string_view name, const LatencyMonitor::Event& event,
                          std::int64_t now_s) {
  constexpr std::int64_t kRows = 4;
  constexpr std::string_view kFilled = "_o#";
  const Summary summary = summarize(event, now_s);
  std::string text = std::string{name} + " - high " + to_text(summary.high) + " ms, low " +
                     to_text(summary.low) + " ms (all time high " + to_text(event.longest_ms) +
                     " ms)\n" + std::string(80, '-') + "\n";
  const auto range = static_cast<double>(std::max<std::int64_t>(summary.high - summary.low, 1));
  const auto steps = static_cast<std::int64_t>(kFilled.size()) * kRows;
  std::vector<std::string> labels;
  std::size_t longest = 0;
  for (const auto& sample : event.samples) {
    labels.push_back(age(now_s - sample.unix_seconds));
    longest = std::max(longest, labels.back().size());
  }
  for (std::int64_t row = 0; row < kRows; ++row) {
    std::string line;
    for (const auto& sample : event.samples) {
      const double relative = static_cast<double>(sample.milliseconds - summary.low) / range;
      const auto step = std::clamp<std::int64_t>(
          static_cast<std::int64_t>(relative * static_cast<double>(steps)), 0, steps - 1);
      const std::int64_t from = (kRows - row - 1) * static_cast<std::int64_t>(kFilled.size());
      const std::int64_t at = step - from;
      if (at < 0)
        line += ' ';
      else
        line += at < static_cast<std::int64_t>(kFilled.size())
                    ? kFilled[static_cast<std::size_t>(at)]
                    : '|';
    }
    text += line + "\n";
  }
  text += std::string(event.samples.size(), ' ') + "\n";
  for (std::size_t row = 0; row < longest; ++row) {
    for (const std::string& label : labels) text += row < label.size() ? label[row] : ' ';
    text += "\n";
  }
  return text;
}

std::vector<std::pair<std::int64_t, std::uint64_t>> latency_histogram(
    const CommandCounters& counters) {
  std::vector<std::pair<std::int64_t, std::uint64_t>> result;
  std::uint64_t slow = 0;
  for (const auto& [microseconds, times] : *counters.durations) slow += times;
  std::uint64_t sum = counters.timed - slow;
  std::uint64_t shown = 0;
  auto next = counters.durations->begin();
  for (std::int64_t level = 1024; shown < counters.timed; level *= 2) {
    const std::int64_t bound = highest_equivalent(level);
    for (; next != counters.durations->end() && next->first * 1000 <= bound; ++next)
      sum += next->second;
    if (sum > shown) result.emplace_back(bound / 1000, sum);
    shown = sum;
  }
  return result;
}

std::int64_t latency_percentile(const CommandCounters& counters, double percent) {
  const double share = std::min(percent, 100.0) / 100 * static_cast<double>(counters.timed);
  const auto wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share + 0.5));
  std::uint64_t slow = 0;
  for (const auto& [microseconds, times] : *counters.durations) slow += times;
  std::uint64_t sum = counters.timed - slow;
  if (sum >= wanted || counters.durations->empty()) return 1;
  for (const auto& [microseconds, times] : *counters.durations) {
    sum += times;
    if (sum >= wanted) return highest_equivalent(microseconds * 1000);
  }
  return highest_equivalent(counters.durations->rbegin()->first * 1000);
}

}  // namespace picklock

// What LATENCY DOCTOR, LATENCY GRAPH and the latency histograms show, as text and numbers.
//
// Pure functions over a LatencyMonitor and the counters of commands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/engine/latency.hpp"
#include "emulator/engine/stats.hpp"

namespace picklock {

/// The report of LATENCY DOCTOR. `threshold_ms` is latency-monitor-threshold, `slower_than`
/// slowlog-log-slower-than.
std::string latency_diagnosis(const LatencyMonitor& monitor, std::int64_t threshold_ms,
                              std::int64_t slower_than, std::int64_t now_s);
/// The bars of LATENCY GRAPH.
std::string latency_graph(std::string_view name, const LatencyMonitor::Event& event,
                          std::int64_t now_s);
/// Upper bounds in microseconds that grow by doubling, each with the number of calls up to it;
/// bounds that add no call are left out.
std::vector<std::pair<std::int64_t, std::uint64_t>> latency_histogram(
    const CommandCounters& counters);
/// The time, in nanoseconds, within which `percent` of the calls were done, as precisely as Redis's
/// histograms know it.
std::int64_t latency_percentile(const CommandCounters& counters, double percent);

}  // namespace picklock

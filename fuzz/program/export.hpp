// A recorded run for other programs: as plain JSON, and as a trace for Perfetto or Chrome.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "fuzz/world/recorder.hpp"

namespace picklock::race {

/// Every event with its time in microseconds since the start of the run.
nlohmann::ordered_json events_as_json(const Recorder& recorder);

/// The trace event format: lanes are threads, holds and pauses are slices, messages are flows.
nlohmann::ordered_json trace_as_json(const Recorder& recorder);

}  // namespace picklock::race

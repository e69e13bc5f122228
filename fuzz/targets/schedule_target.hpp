// What is done with one input that libFuzzer makes of a schedule: a sound lock must not break.
//
// Input: a byte for the kind of fault, then a byte for each choice. The same
// function runs the corpus as a unit test. Throws std::logic_error, with the whole story, on a
// finding.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace picklock::fuzzing {

/// `counters`: see ByteRunner.
void run_schedule_input(std::string_view input, std::span<std::uint8_t> counters = {});

}  // namespace picklock::fuzzing

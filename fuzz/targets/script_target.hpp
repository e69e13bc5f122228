// What is done with one input that libFuzzer makes: a script and its arguments, on an emulator.
//
// Input: a byte of choices, then the script, then its arguments, parted by the byte 0x1e. The same
// function runs the corpus as a unit test. Aborts, or throws std::logic_error, on a finding.
#pragma once

#include <string_view>

namespace picklock::fuzzing {

void run_script_input(std::string_view input);

}  // namespace picklock::fuzzing

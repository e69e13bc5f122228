// Runs of this program by copies of it.
//
// On which pages of the machine's memory a program's file happens to lie decides a part of its
// time, and stays so for as long as the file does: who measures one file measures that, too.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace picklock::bench {

/// Copies this program's file `times` times, one after the other, has each copy run with `options`,
/// and hands over the lines that it prints. Tells on stderr how far it is. False if one of them
/// failed, and says so. Throws std::runtime_error if there is no room for a copy beside the
/// program.
bool run_copies(int times, const std::vector<std::string>& options,
                const std::function<void(std::string_view)>& line);

}  // namespace picklock::bench

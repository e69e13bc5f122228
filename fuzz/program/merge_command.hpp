// The command `merge`: the reports of all shards become the verdict of the whole campaign.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace picklock::race {

struct CommandLine;
enum class Exit : int;

void declare_merge(CLI::App& merge, CommandLine& line);
/// Prints what the campaign would have printed without shards.
Exit merge_parts(const CommandLine& line, std::ostream& out, std::ostream& err);

}  // namespace picklock::race

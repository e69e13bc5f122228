// A campaign of written scripts: reply, keyspace and error text, here and on the real server.
//
// A script that kills the real server is kept, reported and left out, and the server is started
// again. Stops at the first difference, and shrinks it to the lines that are needed. One thread.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "tests/differential/campaign.hpp"

namespace picklock::test {

struct ScriptCampaignOptions {
  std::size_t scripts = 20'000;
  std::uint64_t seed = 1;
  int resp = 0;  // 2, 3, or 0: the episodes alternate.
  std::string corruption;
  std::size_t episode_scripts = 50;
  /// Makes one episode instead of the writer, for tests of the campaign itself.
  std::function<Sequence(std::uint64_t seed)> write;
};

struct ScriptCampaignResult {
  std::optional<Finding> finding;
  std::size_t scripts = 0;
  std::size_t refused = 0;      // Those that redis-server answered with an error.
  std::vector<Action> killers;  // What redis-server did not survive.
  std::vector<Action> endless;  // What neither server would ever have ended.
};

ScriptCampaignResult run_script_campaign(const ScriptCampaignOptions& options,
                                         Normalisers& normalisers, std::ostream& out);

}  // namespace picklock::test

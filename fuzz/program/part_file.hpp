// A shard's part of a campaign as JSON, in the report that --json writes. Reads and writes values,
// no files.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fuzz/search/part.hpp"

namespace picklock::race {

/// `words` are those of the command line, without where its reports go.
nlohmann::ordered_json part_as_json(const Part& part, const std::vector<std::string>& words);

/// Returns false for a report that is not of a shard, or not one of ours.
[[nodiscard]] bool read_part(const nlohmann::json& report, Part& part,
                             std::vector<std::string>& words);

}  // namespace picklock::race

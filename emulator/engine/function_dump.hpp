// The payload of FUNCTION DUMP: libraries as in an RDB file, with version and checksum.
//
// Pure functions, safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/engine/functions.hpp"

namespace picklock {

std::string dump_libraries(const Libraries& libraries);
/// The codes of the libraries in `payload`; nullopt, with the error to answer, if it is damaged.
std::optional<std::vector<std::string>> read_library_dump(std::string_view payload,
                                                          std::string& error);

}  // namespace picklock

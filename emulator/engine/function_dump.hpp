// The payload of FUNCTION DUMP: libraries as in an RDB file, with version and checksum.
//
// Pure functions, safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "emulator/engine/functions.hpp"
#include "emulator/keyspace/rdb/options.hpp"

namespace picklock {

std::string dump_libraries(const Libraries& libraries, const rdb::Options& options);
/// The codes of the libraries in `payload`; if it is damaged, those before the damage, with an
/// error.
std::vector<std::string> read_library_dump(std::string_view payload, bool check_crc,
                                           std::string& error);

}  // namespace picklock

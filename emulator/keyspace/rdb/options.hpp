// What RDB data depends on beside the value itself.
#pragma once

#include "emulator/keyspace/encoding_limits.hpp"
#include "emulator/keyspace/rdb/quicklist.hpp"

namespace picklock::rdb {

struct Options {
  EncodingLimits limits;      ///< Which encoding a value gets that is read.
  QuicklistLimits quicklist;  ///< How a list that is written is cut.
  bool compress = true;       ///< rdbcompression.
  bool checksum = true;       ///< rdbchecksum: whether that of a file which is read must fit.
};

}  // namespace picklock::rdb

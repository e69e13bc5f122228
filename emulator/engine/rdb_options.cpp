#include "emulator/engine/rdb_options.hpp"

#include "emulator/base/numbers.hpp"

namespace picklock {

rdb::Options rdb_options(const Engine& engine) {
  rdb::Options options;
  options.limits = engine.config.limits();
  options.quicklist.max_listpack_size = parse_int64(engine.config.get("list-max-listpack-size"))
                                            .value_or(options.quicklist.max_listpack_size);
  options.quicklist.packed_threshold = engine.debug.packed_threshold;
  options.checksum = engine.config.get("rdbchecksum") == "yes" && !engine.debug.skip_checksum;
  options.compress = engine.config.get("rdbcompression") == "yes";
  return options;
}

}  // namespace picklock

#include "emulator/engine/replication.hpp"

#include <algorithm>
#include <xxhash.h>

#include "emulator/base/numbers.hpp"
#include "emulator/base/random.hpp"

namespace picklock {

std::int64_t Replication::count_acknowledged(std::int64_t wanted) const {
  return std::count_if(replicas.begin(), replicas.end(), [wanted](const Replica& replica) {
    return replica.online && replica.acknowledged >= wanted;
  });
}

std::int64_t Replication::count_good(Instant now, std::int64_t most_seconds) const {
  return std::count_if(replicas.begin(), replicas.end(), [&](const Replica& replica) {
    return replica.online && lag_seconds(replica, now) <= most_seconds;
  });
}

// Redis draws it; here it follows from the old one, so that who replicates draws no other numbers.
std::string Replication::id_after(std::string_view id, std::uint64_t salt) {
  Random random{XXH64(id.data(), id.size(), salt)};
  std::string next(40, '0');
  for (char& digit : next) digit = "0123456789abcdef"[random.below(16)];
  return next;
}

void Replication::begin_history(bool remembers, std::uint64_t salt) {
  Ids& known = ids.edit();
  if (remembers) {
    known.second = known.first;
    second_offset = offset + 1;
  } else {
    known.second.assign(40, '0');
    second_offset = -1;
  }
  known.first = id_after(known.first, static_cast<std::uint64_t>(offset) ^ salt);
}

std::int64_t encoded_size(const std::vector<std::string>& words) {
  const auto framed = [](std::size_t number) {
    return static_cast<std::int64_t>(to_text(static_cast<std::int64_t>(number)).size()) + 3;
  };
  std::int64_t size = framed(words.size());
  for (const std::string& word : words)
    size += framed(word.size()) + static_cast<std::int64_t>(word.size()) + 2;
  return size;
}

std::int64_t lag_seconds(const Replication::Replica& replica, Instant now) {
  if (replica.is_near) return 0;
  return to_unix_ms(now) / 1000 - to_unix_ms(replica.heard_at) / 1000;
}

}  // namespace picklock

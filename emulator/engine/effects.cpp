#include "emulator/engine/effects.hpp"

#include <utility>

#include "emulator/commands/effects.hpp"

namespace picklock {

void EffectStream::send(const Effect& words) {
  replication_->offset += encoded_size(words);
  for (EffectListener* listener : *listeners_) listener->effect(words);
}

void EffectStream::select(int database) {
  if (database == kNoDatabase) return;
  if (std::exchange(replication_->selected, database) != database)
    send({"SELECT", std::to_string(database)});
}

void EffectStream::end_unit(bool apart) {
  if (pending_.empty()) return;
  const bool together = pending_.size() > 1 && !apart;
  std::vector<Pending> unit = std::exchange(pending_, {});
  if (together) {
    select(unit.front().database);
    send({"MULTI"});
  }
  for (const Pending& one : unit) {
    select(one.database);
    send(one.words);
  }
  if (together) send({"EXEC"});
}

}  // namespace picklock

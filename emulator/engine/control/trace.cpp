#include "emulator/engine/control/trace.hpp"

#include <algorithm>
#include <utility>

#include "emulator/base/memory.hpp"
#include "emulator/base/numbers.hpp"

namespace picklock {

namespace {

constexpr std::size_t kEffects = 64;

const char* name_of(TraceEffect::Kind kind) {
  switch (kind) {
    case TraceEffect::Kind::changed:
      return "changed";
    case TraceEffect::Kind::deleted:
      return "deleted";
    case TraceEffect::Kind::expired:
      return "expired";
    case TraceEffect::Kind::flushed:
      return "flushed";
  }
  return "";
}

/// "; changed "a" "b"; expired "c" by the clock": in order, what one has done in the same way at
/// once.
std::string effects_text(const TraceLine& line) {
  std::string text;
  const TraceEffect* before = nullptr;
  const auto end_group = [&] {
    if (!before || before->client == line.client) return;
    text += before->client == 0 ? " by the clock" : " for " + std::to_string(before->client);
  };
  for (const TraceEffect& effect : line.effects) {
    if (!before || before->kind != effect.kind || before->client != effect.client) {
      end_group();
      text += std::string{"; "} + name_of(effect.kind);
    }
    const bool flushed = effect.kind == TraceEffect::Kind::flushed;
    if (flushed || effect.database != line.database) text += " db" + to_text(effect.database);
    if (!flushed) append_word(text += ' ', effect.key, effect.key.size());
    before = &effect;
  }
  end_group();
  if (line.more_effects > 0) text += " and " + std::to_string(line.more_effects) + " more";
  return text;
}

}  // namespace

void Trace::keep(std::size_t most) {
  std::rotate(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(first_), rows_.end());
  first_ = 0;
  most_ = most;
  if (most == 0) return clear();
  if (rows_.size() <= most) return;
  const std::size_t over = rows_.size() - most;
  dropped_ += over;
  rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(over));
}

void Trace::clear() {
  dropped_ += rows_.size();
  give_back(rows_);
  first_ = 0;
  spare_ = TraceRow{};
  waiting_.clear();
  drop_effects();
}

void Trace::note(const KeyEffects::Effect& effect) {
  bool known = false;
  noted_.for_each([&](const KeyEffects::Effect& other) { known |= other == effect; });
  if (known) return;
  if (noted_count_ == kEffects) {
    ++not_noted_;
    return;
  }
  noted_.add(effect);
  ++noted_count_;
}

// Most requests change one key, which need not be written down once more.
void Trace::take(KeyEffects& effects, int database, std::uint64_t client) {
  if (noted_count_ == 0 && effects.is_one()) {
    effects.attribute(database, client);
    noted_.swap(effects);
    noted_count_ = 1;
  } else {
    effects.for_each([&](const KeyEffects::Effect& effect) {
      note({effect.kind, database, client, effect.key});
    });
  }
  effects.clear();
}

void Trace::drop_effects() {
  noted_.clear();
  noted_count_ = 0;
  not_noted_ = 0;
}

TraceRow Trace::new_row() { return std::move(spare_); }

void Trace::add(TraceRow&& row, std::uint64_t changes, bool held_back) {
  row.end(changes, noted_, not_noted_);
  if (noted_count_ > 0) drop_effects();
  if (!is_on()) return;  // Somebody has turned it off meanwhile.
  if (held_back) waiting_[row.client()] = dropped_ + rows_.size();
  if (rows_.size() < most_) {
    rows_.push_back(std::move(row));
    return;
  }
  rows_[first_].swap(row);
  spare_.swap(row);
  ++dropped_;
  if (++first_ == rows_.size()) first_ = 0;
}

void Trace::answered(std::uint64_t client, Instant now) {
  const auto found = waiting_.find(client);
  if (found == waiting_.end()) return;
  if (found->second >= dropped_)
    rows_[place_of(found->second - dropped_)].replace_reply("(waited until " +
                                                            to_text(to_unix_ms(now)) + ")");
  waiting_.erase(found);
}

std::vector<TraceLine> Trace::last(std::size_t count) const {
  std::vector<TraceLine> lines;
  for (std::size_t i = rows_.size() - std::min(count, rows_.size()); i < rows_.size(); ++i)
    lines.push_back(rows_[place_of(i)].line());
  return lines;
}

std::string to_text(const TraceLine& line) {
  std::string text = to_text(to_unix_ms(line.at)) + " [" + to_text(line.database) + " ";
  if (line.client == 0) return text + "clock]" + effects_text(line).substr(1);
  text += std::to_string(line.client) + " " + line.name + "] " + line.request + " -> " +
          line.reply + effects_text(line);
  if (!line.fault.empty()) text += "; struck by " + line.fault;
  return text;
}

}  // namespace picklock

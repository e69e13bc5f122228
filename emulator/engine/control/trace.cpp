#include "emulator/engine/control/trace.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "emulator/base/numbers.hpp"
#include "emulator/resp/text_writer.hpp"

namespace picklock {

namespace {

constexpr std::size_t kWordBytes = 64;
constexpr std::size_t kWords = 16;
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

/// The word that begins with `start`, and is `size` long.
std::string quoted(std::string_view start, std::size_t size) {
  std::string word;
  append_quoted(word, start);
  if (size > start.size()) word += "+" + std::to_string(size - start.size()) + " bytes";
  return word;
}

std::string quoted(std::string_view text) {
  return quoted(text.substr(0, kWordBytes), text.size());
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
    if (!flushed) text += " " + quoted(effect.key);
    before = &effect;
  }
  end_group();
  if (line.more_effects > 0) text += " and " + std::to_string(line.more_effects) + " more";
  return text;
}

}  // namespace

void Trace::drop_first() {
  if (spare_.empty()) spare_.push_back(std::move(entries_.front()));
  entries_.pop_front();
  ++dropped_;
}

void Trace::keep(std::size_t most) {
  most_ = most;
  if (most == 0) clear();
  while (entries_.size() > most_) drop_first();
}

void Trace::clear() {
  dropped_ += entries_.size();
  entries_.clear();
  spare_.clear();
  waiting_.clear();
  take_effects(nullptr);
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

void Trace::take_effects(TraceEntry* entry) {
  if (entry) {
    entry->effects.swap(noted_);
    entry->more_effects = not_noted_;
  }
  noted_.clear();
  noted_count_ = 0;
  not_noted_ = 0;
}

Trace::Entry Trace::make_entry() {
  if (spare_.empty()) return std::make_unique<TraceEntry>();
  Entry entry = std::move(spare_.back());
  spare_.pop_back();
  return entry;
}

void Trace::add(Entry entry, bool held_back) {
  if (held_back) waiting_[entry->client] = dropped_ + entries_.size();
  entries_.push_back(std::move(entry));
  if (entries_.size() > most_) drop_first();
}

void Trace::answered(std::uint64_t client, Instant now) {
  const auto found = waiting_.find(client);
  if (found == waiting_.end()) return;
  if (found->second >= dropped_)
    entries_[found->second - dropped_]->reply =
        "(waited until " + to_text(to_unix_ms(now)) + ")";
  waiting_.erase(found);
}

// Each word as its size and its beginning.
void pack_words(TraceEntry& entry, Args words) {
  entry.all_words = words.size();
  const Args kept = words.first(std::min(words.size(), kWords));
  std::size_t bytes = 0;
  for (const std::string_view word : kept)
    bytes += sizeof word.size() + std::min(word.size(), kWordBytes);
  entry.words.resize(bytes);
  char* to = entry.words.data();
  for (const std::string_view word : kept) {
    const std::size_t size = word.size();
    std::memcpy(to, &size, sizeof size);
    to = std::copy_n(word.data(), std::min(size, kWordBytes), to + sizeof size);
  }
}

namespace {

std::string request_text(const TraceEntry& entry) {
  std::string text;
  std::string_view packed = entry.words;
  while (!packed.empty()) {
    std::size_t size = 0;
    std::memcpy(&size, packed.data(), sizeof size);
    packed.remove_prefix(sizeof size);
    const std::string_view start = packed.substr(0, std::min(size, kWordBytes));
    packed.remove_prefix(start.size());
    text += (text.empty() ? "" : " ") + quoted(start, size);
  }
  if (entry.all_words > kWords)
    text += " and " + std::to_string(entry.all_words - kWords) + " words";
  return text;
}

std::string reply_text(const TraceEntry& entry) {
  std::string text = entry.reply.substr(0, kTracedReplyBytes);
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return entry.reply.size() > text.size() ? text + "..." : text;
}

std::vector<TraceEffect> effects_of(const TraceEntry& entry) {
  std::vector<TraceEffect> effects;
  entry.effects.for_each([&](const KeyEffects::Effect& effect) {
    effects.push_back({effect.kind, effect.database, std::string{effect.key}, effect.client});
  });
  return effects;
}

TraceLine to_line(const TraceEntry& entry) {
  return {.at = entry.at,
          .client = entry.client,
          .name = entry.name,
          .database = entry.database,
          .request = request_text(entry),
          .reply = reply_text(entry),
          .changes = entry.changes,
          .fault = entry.fault,
          .effects = effects_of(entry),
          .more_effects = entry.more_effects};
}

}  // namespace

std::vector<TraceLine> Trace::last(std::size_t count) const {
  std::vector<TraceLine> lines;
  for (std::size_t i = entries_.size() - std::min(count, entries_.size()); i < entries_.size(); ++i)
    lines.push_back(to_line(*entries_[i]));
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

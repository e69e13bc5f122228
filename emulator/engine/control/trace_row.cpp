#include "emulator/engine/control/trace_row.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "emulator/base/memory.hpp"
#include "emulator/resp/text_writer.hpp"

namespace picklock {

namespace {

constexpr std::size_t kWordBytes = 64;
constexpr std::size_t kWords = 16;
constexpr std::uint64_t kLongWord = 255;  // In the byte of a word's size: it stands behind it.
/// A row that long keys have blown up beyond this gives its memory back.
constexpr std::size_t kKeptBytes = 4096;

/// The beginning of a row. Its texts stand behind it in this order, and what became of keys.
struct Numbers {
  Instant at{};
  std::uint64_t client = 0;
  std::uint64_t all_words = 0;
  std::uint64_t changes = 0;
  std::uint64_t more_effects = 0;
  int database = 0;
  std::uint32_t name = 0;  // Bytes, as all below.
  std::uint32_t fault = 0;
  std::uint32_t words = 0;
  std::uint32_t reply = 0;

  std::size_t reply_at() const { return sizeof(Numbers) + name + fault + words; }
};
static_assert(std::is_trivially_copyable_v<Numbers>);

Numbers numbers_of(const std::string& bytes) {
  Numbers numbers;
  std::memcpy(&numbers, bytes.data(), sizeof numbers);
  return numbers;
}

void put(std::string& bytes, const Numbers& numbers) {
  std::memcpy(bytes.data(), &numbers, sizeof numbers);
}

char* append(char* to, std::string_view text) {
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

std::size_t packed_bytes(Args words) {
  std::size_t bytes = 0;
  for (const std::string_view word : words)
    bytes +=
        1 + (word.size() < kLongWord ? 0 : sizeof kLongWord) + std::min(word.size(), kWordBytes);
  return bytes;
}

// Each word as its size, in one byte if that is enough, and its beginning.
void pack(char* to, Args words) {
  for (const std::string_view word : words) {
    const std::uint64_t size = word.size();
    *to++ = static_cast<char>(std::min(size, kLongWord));
    if (size >= kLongWord) {
      std::memcpy(to, &size, sizeof size);
      to += sizeof size;
    }
    to = append(to, word.substr(0, kWordBytes));
  }
}

std::string request_text(std::string_view packed, std::uint64_t all_words) {
  std::string text;
  while (!packed.empty()) {
    std::uint64_t size = static_cast<unsigned char>(packed.front());
    packed.remove_prefix(1);
    if (size == kLongWord) {
      std::memcpy(&size, packed.data(), sizeof size);
      packed.remove_prefix(sizeof size);
    }
    const std::string_view start = packed.substr(0, std::min<std::uint64_t>(size, kWordBytes));
    packed.remove_prefix(start.size());
    if (!text.empty()) text += ' ';
    append_word(text, start, size);
  }
  if (all_words > kWords) text += " and " + std::to_string(all_words - kWords) + " words";
  return text;
}

std::string reply_text(std::string_view reply) {
  std::string text{reply.substr(0, kTracedReplyBytes)};
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return reply.size() > text.size() ? text + "..." : text;
}

std::vector<TraceEffect> effects_of(std::string_view bytes) {
  std::vector<TraceEffect> effects;
  KeyEffects{bytes}.for_each([&](const KeyEffects::Effect& effect) {
    effects.push_back({effect.kind, effect.database, std::string{effect.key}, effect.client});
  });
  return effects;
}

}  // namespace

void append_word(std::string& out, std::string_view start, std::uint64_t size) {
  append_quoted(out, start.substr(0, kWordBytes));
  if (size > kWordBytes) out += "+" + std::to_string(size - kWordBytes) + " bytes";
}

void TraceRow::begin(const Head& head, Args words) {
  const Args kept = words.first(std::min(words.size(), kWords));
  const Numbers numbers{.at = head.at,
                        .client = head.client,
                        .all_words = words.size(),
                        .database = head.database,
                        .name = static_cast<std::uint32_t>(head.name.size()),
                        .fault = static_cast<std::uint32_t>(head.fault.size()),
                        .words = static_cast<std::uint32_t>(packed_bytes(kept))};
  if (bytes_.capacity() > kKeptBytes) give_back(bytes_);
  bytes_.resize(numbers.reply_at());
  put(bytes_, numbers);
  char* const texts = append(bytes_.data() + sizeof numbers, head.name);
  pack(append(texts, head.fault), kept);
}

void TraceRow::end(std::uint64_t changes, const KeyEffects& effects, std::uint64_t more_effects) {
  Numbers numbers = numbers_of(bytes_);
  numbers.changes = changes;
  numbers.more_effects = more_effects;
  numbers.reply = static_cast<std::uint32_t>(bytes_.size() - numbers.reply_at());
  put(bytes_, numbers);
  if (!effects.empty()) bytes_ += effects.bytes();
}

std::uint64_t TraceRow::client() const { return numbers_of(bytes_).client; }

void TraceRow::set_reply(std::string_view text) {
  Numbers numbers = numbers_of(bytes_);
  bytes_.replace(numbers.reply_at(), numbers.reply, text);
  numbers.reply = static_cast<std::uint32_t>(text.size());
  put(bytes_, numbers);
}

TraceLine TraceRow::line() const {
  const Numbers numbers = numbers_of(bytes_);
  std::string_view rest = bytes_;
  const auto next = [&rest](std::size_t size) {
    const std::string_view text = rest.substr(0, size);
    rest.remove_prefix(size);
    return text;
  };
  next(sizeof numbers);
  const std::string_view name = next(numbers.name);
  const std::string_view fault = next(numbers.fault);
  const std::string_view words = next(numbers.words);
  const std::string_view reply = next(numbers.reply);
  return {.at = numbers.at,
          .client = numbers.client,
          .name = std::string{name},
          .database = numbers.database,
          .request = request_text(words, numbers.all_words),
          .reply = reply_text(reply),
          .changes = numbers.changes,
          .fault = std::string{fault},
          .effects = effects_of(rest),
          .more_effects = numbers.more_effects};
}

}  // namespace picklock

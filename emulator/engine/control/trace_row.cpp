#include "emulator/engine/control/trace_row.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "emulator/resp/read_replies.hpp"
#include "emulator/resp/text_writer.hpp"

namespace picklock {
namespace {

constexpr std::size_t kWordBytes = 64;
constexpr std::size_t kWords = 16;
constexpr std::uint64_t kLongWord = 255;  // In the byte of a word's size: it stands behind it.
/// A row that long keys have blown up beyond this gives its memory back.
constexpr std::size_t kKeptBytes = 4096;

/// More than the text that is shown of a reply takes in RESP: nothing takes twice its text.
constexpr std::size_t kEncodedBytes = 512;
constexpr std::size_t kUsualReplyBytes = 64;
constexpr std::size_t kPackedBytes = 1 + sizeof kLongWord + kWordBytes;  // At most, a word.

// Each word as its size, in one byte if that is enough, and its beginning.
char* pack(char* to, Args words) {
  for (const std::string_view word : words) {
    const std::uint64_t size = word.size();
    *to++ = static_cast<char>(std::min(size, kLongWord));
    if (size >= kLongWord) {
      std::memcpy(to, &size, sizeof size);
      to += sizeof size;
    }
    const std::size_t start = std::min(word.size(), kWordBytes);
    if (start > 0) std::memcpy(to, word.data(), start);
    to += start;
  }
  return to;
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

std::string decoded(std::string_view reply) {
  TextWriter text(/*version=*/3, kTracedReplyBytes);
  read_replies(reply, text);
  return std::move(text.text());
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

void TraceRow::grow(std::size_t more) {
  const std::size_t capacity = std::max(2 * capacity_, size_ + more);
  auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
  if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
  bytes_ = std::move(bytes);
  capacity_ = capacity;
}

void TraceRow::append(std::string_view text) {
  if (text.empty()) return;
  std::memcpy(room_for(text.size()), text.data(), text.size());
  size_ += text.size();
}

void TraceRow::begin(const Head& head, Args words) {
  const Args kept = words.first(std::min(words.size(), kWords));
  if (capacity_ > kKeptBytes) *this = TraceRow{};
  size_ = 0;
  char* const start =
      room_for(sizeof(Numbers) + head.name.size() + kept.size() * kPackedBytes + kUsualReplyBytes);
  char* const name = start + sizeof(Numbers);
  if (!head.name.empty()) std::memcpy(name, head.name.data(), head.name.size());
  char* const packed = name + head.name.size();
  char* const end = pack(packed, kept);
  new (start) Numbers{.at = head.at,
                      .client = head.client,
                      .all_words = words.size(),
                      .database = head.database,
                      .name = static_cast<std::uint32_t>(head.name.size()),
                      .words = static_cast<std::uint32_t>(end - packed)};
  size_ = static_cast<std::size_t>(end - start);
}

void TraceRow::set_fault(std::string_view text) {
  append(text);
  numbers().fault = static_cast<std::uint32_t>(text.size());
}

void TraceRow::set_reply(std::string_view text) {
  numbers().form = Form::text;
  append(text);
  numbers().reply = static_cast<std::uint32_t>(text.size());
}

void TraceRow::set_encoded_reply(std::string_view bytes) {
  const std::string_view reply = behind_messages(bytes);
  if (reply.empty()) return;
  set_reply(reply.substr(0, kEncodedBytes));
  numbers().form = Form::encoded;
}

void TraceRow::end(std::uint64_t changes, const KeyEffects& effects, std::uint64_t more_effects) {
  numbers().changes = changes;
  numbers().more_effects = more_effects;
  append(effects.bytes());
}

void TraceRow::replace_reply(std::string_view text) {
  const std::string effects{bytes_.get() + reply_at() + numbers().reply, bytes_.get() + size_};
  size_ = reply_at();
  set_reply(text);
  append(effects);
}

TraceLine TraceRow::line() const {
  const Numbers& numbers = this->numbers();
  std::string_view rest{bytes_.get() + sizeof numbers, size_ - sizeof numbers};
  const auto next = [&rest](std::size_t size) {
    const std::string_view text = rest.substr(0, size);
    rest.remove_prefix(size);
    return text;
  };
  const std::string_view name = next(numbers.name);
  const std::string_view words = next(numbers.words);
  const std::string_view fault = next(numbers.fault);
  const std::string_view reply = next(numbers.reply);
  return {.at = numbers.at,
          .client = numbers.client,
          .name = std::string{name},
          .database = numbers.database,
          .request = request_text(words, numbers.all_words),
          .reply = reply_text(numbers.form == Form::encoded ? decoded(reply) : std::string{reply}),
          .changes = numbers.changes,
          .fault = std::string{fault},
          .effects = effects_of(rest),
          .more_effects = numbers.more_effects};
}

}  // namespace picklock

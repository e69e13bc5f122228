#include "emulator/engine/slow_log.hpp"

#include "emulator/base/numbers.hpp"

namespace picklock {

namespace {

// Redis 7.0, slowlog.h.
constexpr std::size_t kMaxWords = 32;
constexpr std::size_t kMaxWordBytes = 128;

std::string shortened(std::string_view word) {
  if (word.size() <= kMaxWordBytes) return std::string{word};
  return std::string{word.substr(0, kMaxWordBytes)} + "... (" +
         to_text(static_cast<std::int64_t>(word.size() - kMaxWordBytes)) + " more bytes)";
}

std::vector<std::string> shortened(Args words) {
  std::vector<std::string> result;
  const bool too_many = words.size() > kMaxWords;
  for (const std::string_view word : words.first(too_many ? kMaxWords - 1 : words.size()))
    result.push_back(shortened(word));
  if (too_many)
    result.push_back("... (" + to_text(static_cast<std::int64_t>(words.size() - kMaxWords + 1)) +
                     " more arguments)");
  return result;
}

}  // namespace

void SlowLog::add(Args words, Instant now, Duration took, std::string_view address,
                  std::string_view name, std::int64_t max_size) {
  std::deque<Entry>& entries = entries_.edit();
  entries.push_front({next_id_++, to_unix_ms(now) / 1000, took.count(), shortened(words),
                      std::string{address}, std::string{name}});
  trim(max_size);
}

void SlowLog::trim(std::int64_t max_size) {
  if (static_cast<std::int64_t>(entries_->size()) <= max_size) return;
  std::deque<Entry>& entries = entries_.edit();
  while (static_cast<std::int64_t>(entries.size()) > max_size) entries.pop_back();
}

}  // namespace picklock

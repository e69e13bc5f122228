#include "emulator/engine/control/trace.hpp"

#include <picklock/reply.hpp>

#include "emulator/base/numbers.hpp"

namespace picklock {

namespace {

constexpr std::size_t kWordBytes = 64;
constexpr std::size_t kWords = 16;
constexpr std::size_t kReplyBytes = 160;

}  // namespace

void Trace::keep(std::size_t most) {
  most_ = most;
  if (most == 0) clear();
  while (lines_.size() > most_) lines_.pop_front(), ++dropped_;
}

void Trace::clear() {
  dropped_ += lines_.size();
  lines_.clear();
  waiting_.clear();
}

void Trace::add(TraceLine line, bool held_back) {
  if (held_back) waiting_[line.client] = dropped_ + lines_.size();
  lines_.push_back(std::move(line));
  if (lines_.size() > most_) lines_.pop_front(), ++dropped_;
}

void Trace::answered(std::uint64_t client, Instant now) {
  const auto found = waiting_.find(client);
  if (found == waiting_.end()) return;
  if (found->second >= dropped_)
    lines_[found->second - dropped_].reply = "(waited until " + to_text(to_unix_ms(now)) + ")";
  waiting_.erase(found);
}

std::string traced_words(Args words) {
  std::string text;
  for (std::size_t i = 0; i < words.size() && i < kWords; ++i) {
    if (i > 0) text += ' ';
    text += replies::bulk(words[i].substr(0, kWordBytes)).to_string();
    if (words[i].size() > kWordBytes)
      text += "+" + std::to_string(words[i].size() - kWordBytes) + " bytes";
  }
  if (words.size() > kWords) text += " and " + std::to_string(words.size() - kWords) + " words";
  return text;
}

std::string traced_reply(std::string text) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  if (text.size() > kReplyBytes) text = text.substr(0, kReplyBytes) + "...";
  return text;
}

std::string to_text(const TraceLine& line) {
  std::string text = to_text(to_unix_ms(line.at)) + " [" + to_text(line.database) + " " +
                     std::to_string(line.client) + " " + line.name + "] " + line.request + " -> " +
                     line.reply;
  if (line.changes > 0)
    text += "; " + std::to_string(line.changes) + (line.changes == 1 ? " change" : " changes");
  if (!line.fault.empty()) text += "; struck by " + line.fault;
  return text;
}

}  // namespace picklock

#include "tests/differential/lane.hpp"

#include <utility>

#include "emulator/resp/reply_parser.hpp"
#include "tests/differential/frames.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

std::string open(Channel& channel, int resp) {
  if (resp == 3) channel.exchange(encode_request({"HELLO", "3"}));
  const std::string id = channel.exchange(encode_request({"CLIENT", "ID"}));
  return id.substr(1, id.find('\r') - 1);
}

std::string shown(const Frames& frames, std::size_t at) {
  return at < frames.replies.size() ? readable(frames.replies[at])
                                    : "(nothing) " + quote(frames.rest);
}

}  // namespace

std::string readable(std::string_view reply) {
  ReplyParser parser;
  parser.feed(reply);
  const auto parsed = parser.next();
  return (parsed ? parsed->to_string() + "    as bytes: " : std::string{}) + quote(reply);
}

std::string typed(const Words& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + as_typed(word);
  return text;
}

Lane::Lane(Target& theirs, Target& ours, int resp)
    : theirs_(theirs.connect()),
      ours_(ours.connect()),
      their_id_(open(*theirs_, resp)),
      our_id_(open(*ours_, resp)) {}

void Lane::send(std::string_view to_theirs, std::string_view to_ours) {
  their_answer_ += theirs_->exchange(to_theirs);
  our_answer_ += ours_->exchange(to_ours);
}

std::optional<Mismatch> Lane::hear(Normalisers& normalisers) {
  const std::string theirs = std::exchange(their_answer_, {}) + theirs_->heard();
  const std::string ours = std::exchange(our_answer_, {}) + ours_->heard();
  return compare(normalisers.mark_monitored(theirs), normalisers.mark_monitored(ours), normalisers);
}

std::optional<Mismatch> Lane::compare(std::string_view theirs, std::string_view ours,
                                      Normalisers& normalisers) {
  const Frames a = cut_frames(theirs);
  const Frames b = cut_frames(ours);
  const Frames& longer = a.replies.size() < b.replies.size() ? b : a;
  std::vector<const Words*> owners;
  for (const std::string_view reply : longer.replies) owners.push_back(claims_.claim(reply));
  std::optional<Mismatch> mismatch;
  for (std::size_t i = 0; i < longer.replies.size() && !mismatch && theirs != ours; ++i) {
    const bool both = i < a.replies.size() && i < b.replies.size();
    if (both && a.replies[i] == b.replies[i]) continue;
    if (both && owners[i] && normalisers.excuse(*owners[i], a.replies[i], b.replies[i])) continue;
    const std::size_t run = both ? normalisers.excuse_run(owners[i], Replies{a.replies}.subspan(i),
                                                          Replies{b.replies}.subspan(i))
                                 : 0;
    if (run > 0)
      i += run - 1;
    else
      mismatch = Mismatch{owners[i] ? typed(*owners[i]) : "(a message)", shown(a, i), shown(b, i)};
  }
  claims_.forget_answered();
  if (mismatch) return mismatch;
  if (a.rest != b.rest) return Mismatch{"(the last bytes)", quote(a.rest), quote(b.rest)};
  if (theirs_->closed() == ours_->closed()) return std::nullopt;
  const auto state = [](const Channel& channel) {
    return std::string{channel.closed() ? "(connection closed)" : "(open)"};
  };
  return Mismatch{"(the connection)", state(*theirs_), state(*ours_)};
}

}  // namespace picklock::test

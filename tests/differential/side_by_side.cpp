#include "tests/differential/side_by_side.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "emulator/resp/reply_parser.hpp"
#include "tests/differential/frames.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

constexpr std::size_t kBatch = 200;
constexpr int kDatabases = 4;

struct Pair {
  std::unique_ptr<Channel> theirs;
  std::unique_ptr<Channel> ours;
};

std::string readable(std::string_view bytes) {
  ReplyParser parser;
  parser.feed(bytes);
  const auto reply = parser.next();
  return (reply ? reply->to_string() + "    as bytes: " : std::string{}) + quote(bytes);
}

std::string typed(const Words& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + as_typed(word);
  return text;
}

// One run. Collects an exchange's requests, sends them to both, compares.
class Run {
 public:
  Run(RealRedis& real, Candidate& candidate, Normalisers& normalisers, int resp)
      : real_(real), candidate_(candidate), normalisers_(normalisers), resp_(resp) {}

  std::optional<Difference> play(const Sequence& sequence) {
    for (std::size_t i = 0; i < sequence.size() && !difference_; ++i) {
      const Action& action = sequence[i];
      if (!requests_.empty() &&
          (action.client != client_ || requests_.size() >= kBatch || !action.raw.empty()))
        flush();
      if (difference_) break;
      client_ = action.client;
      for (const auto& words : action.commands) requests_.push_back({i, &words});
      if (!action.raw.empty()) exchange_raw(i, action.raw);
      if (action.wait.count() > 0) {
        flush();
        if (!difference_) pass(action.wait);
      }
      for (const auto& words : action.afterwards) requests_.push_back({i, &words});
    }
    if (!difference_) flush();
    if (!difference_) compare_keyspaces(sequence.size());
    return std::move(difference_);
  }

 private:
  struct Request {
    std::size_t action;
    const Words* words;
  };

  void pass(std::chrono::milliseconds duration) {
    real_.pass(duration);
    candidate_.follow(real_.barrier());
  }

  Pair connect() {
    Pair pair{real_.connect(), candidate_.target->connect()};
    if (resp_ == 3) {
      const std::string hello = encode_request({"HELLO", "3"});
      pair.theirs->exchange(hello);
      pair.ours->exchange(hello);
    }
    return pair;
  }

  // Sends what was collected for one client; replies and requests then pair up one to one.
  void flush() {
    if (requests_.empty()) return;
    Pair& pair = clients_[client_];
    if (!pair.theirs) pair = connect();
    std::string bytes;
    for (const auto& request : requests_) bytes += encode_request(*request.words);
    candidate_.follow(real_.barrier());
    const std::string theirs = pair.theirs->exchange(bytes);
    const std::string ours = pair.ours->exchange(bytes);
    compare(cut_frames(theirs), cut_frames(ours));
    if (!difference_ && pair.theirs->closed() != pair.ours->closed())
      differ(requests_.back(), pair.theirs->closed() ? "(connection closed)" : "(open)",
             pair.ours->closed() ? "(connection closed)" : "(open)");
    if (pair.theirs->closed()) pair = {};
    requests_.clear();
  }

  void compare(const Frames& theirs, const Frames& ours) {
    for (std::size_t i = 0; i < requests_.size() && !difference_; ++i) {
      const bool they = i < theirs.replies.size();
      const bool we = i < ours.replies.size();
      if (!they && !we) return;
      if (they != we) {
        differ(requests_[i], they ? readable(theirs.replies[i]) : "(nothing)",
               we ? readable(ours.replies[i]) : "(nothing) " + quote(ours.rest));
      } else if (theirs.replies[i] != ours.replies[i] &&
                 !normalisers_.excuse(*requests_[i].words, theirs.replies[i], ours.replies[i])) {
        differ(requests_[i], readable(theirs.replies[i]), readable(ours.replies[i]));
      }
    }
  }

  void differ(const Request& request, std::string theirs, std::string ours) {
    difference_ =
        Difference{request.action, typed(*request.words), std::move(theirs), std::move(ours)};
  }

  // Raw bytes go over a connection of their own: they may leave it in the middle of a request.
  void exchange_raw(std::size_t action, const std::string& bytes) {
    Pair pair = connect();
    candidate_.follow(real_.barrier());
    std::string theirs = pair.theirs->exchange(bytes);
    std::string ours = pair.ours->exchange(bytes);
    if (pair.theirs->closed()) theirs += "(connection closed)";
    if (pair.ours->closed()) ours += "(connection closed)";
    if (theirs != ours)
      difference_ = Difference{action, "raw " + quote(bytes), quote(theirs), quote(ours)};
  }

  // Every key of the first databases: deadline, encoding, and the value to the byte. Asked with
  // commands, compared with the table of normalisers.
  void compare_keyspaces(std::size_t end) {
    Pair pair{real_.connect(), candidate_.target->connect()};
    candidate_.follow(real_.barrier());
    for (int database = 0; database < kDatabases && !difference_; ++database) {
      ask(pair, end, {"SELECT", std::to_string(database)});
      const Reply keys = ask(pair, end, {"KEYS", "*"});
      for (const Reply& key : keys.elements()) {
        if (difference_) return;
        const std::string name{key.text()};
        ask(pair, end, {"PTTL", name});
        ask(pair, end, {"OBJECT", "ENCODING", name});
        ask(pair, end, {"DUMP", name});
      }
    }
  }

  // The real server's reply; notes a difference.
  Reply ask(Pair& pair, std::size_t end, const Words& words) {
    if (difference_) return {};
    const std::string bytes = encode_request(words);
    const std::string theirs = pair.theirs->exchange(bytes);
    const std::string ours = pair.ours->exchange(bytes);
    if (theirs != ours && !normalisers_.excuse(words, theirs, ours))
      difference_ =
          Difference{end, "at the end: " + typed(words), readable(theirs), readable(ours)};
    ReplyParser parser;
    parser.feed(theirs);
    return parser.next().value_or(Reply{});
  }

  RealRedis& real_;
  Candidate& candidate_;
  Normalisers& normalisers_;
  int resp_;
  int client_ = 0;
  std::vector<Request> requests_;
  std::map<int, Pair> clients_;
  std::optional<Difference> difference_;
};

// What a sequence may have left behind.
void clear(RealRedis& real) {
  const auto control = real.connect();
  control->exchange(encode_request({"FLUSHALL"}) + encode_request({"SCRIPT", "FLUSH"}) +
                    encode_request({"CONFIG", "SET", "stream-node-max-entries", "100"}));
}

}  // namespace

std::optional<Difference> SideBySide::run(const Sequence& sequence, int resp) {
  try {
    clear(real_);
    Candidate candidate = make_candidate_(real_.barrier());
    return Run{real_, candidate, normalisers_, resp}.play(sequence);
  } catch (const TargetDied& death) {
    throw TargetDied("redis-server itself died (" + std::string{death.what()} + ") during\n" +
                     print_sequence(sequence));
  }
}

}  // namespace picklock::test

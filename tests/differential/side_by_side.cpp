#include "tests/differential/side_by_side.hpp"

#include <map>
#include <utility>

#include "emulator/base/text.hpp"
#include "emulator/resp/reply_parser.hpp"
#include "emulator/resp/request_parser.hpp"
#include "tests/differential/lane.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

// Redis reads 16 KiB at a time; between two pieces clients that were unblocked may have their turn.
constexpr std::size_t kBatch = 200;
constexpr std::size_t kBatchBytes = 12'000;
constexpr int kDatabases = 4;
// A blocked client that has sent more than this is set free: who waits for ever tests nothing.
constexpr std::size_t kPatience = 8;

// One run. Collects an exchange's requests, sends them to both, compares what everybody hears.
class Run {
 public:
  Run(RealRedis& real, Candidate& candidate, Normalisers& normalisers, int resp)
      : real_(real), candidate_(candidate), normalisers_(normalisers), resp_(resp) {}

  std::optional<Difference> play(const Sequence& sequence) {
    for (std::size_t i = 0; i < sequence.size() && !difference_; ++i) play(i, sequence[i]);
    if (!difference_) flush();
    if (!difference_) compare_keyspaces(sequence.size());
    return std::move(difference_);
  }

 private:
  void play(std::size_t index, const Action& action) {
    const bool full = requests_.size() >= kBatch || bytes_ >= kBatchBytes;
    if (action.client != client_ || full || !action.raw.empty() || action.wait.count() > 0) flush();
    if (difference_) return;
    client_ = action.client;
    action_ = index;
    // A wait of a blocked client would begin at any later moment.
    if (action.wait.count() > 0 && lane(client_).waiting() > 0) return;
    if (lane(client_).waiting() > 0 && lane(client_).waiting() + requests_.size() > kPatience)
      set_free(client_);
    add(action.commands);
    if (!action.raw.empty()) exchange_raw(action.raw);
    if (action.wait.count() > 0) {
      // Not compared before: a busy machine may let the time pass while it answers.
      send();
      real_.pass(action.wait);
      candidate_.follow(real_.barrier());
      hear_all();
    }
    add(action.afterwards);
    if (action.may_block) flush();
  }

  void add(const std::vector<Words>& commands) {
    for (const Words& words : commands) {
      requests_.push_back(&words);
      for (const std::string& word : words) bytes_ += word.size();
    }
  }

  Lane& lane(int client) {
    auto& lane = lanes_[client];
    if (lane) return *lane;
    lane = std::make_unique<Lane>(real_, *candidate_.target, resp_);
    // What others heard of this must have left the servers before somebody kills them.
    if (!difference_) hear_all();
    return *lane;
  }

  // {id:2} stands for the id of client 2, which is not the same on both servers.
  std::string encode(Words words, const std::string& (Lane::*id)() const) {
    for (std::string& word : words)
      if (word.starts_with("{id:")) word = (lane(word[4] - '0').*id)();
    return encode_request(words);
  }

  void flush() {
    if (requests_.empty() || difference_) return;
    send();
    hear_all();
  }

  // Sends what was collected for one client.
  void send() {
    std::string to_theirs;
    std::string to_ours;
    for (const Words* words : std::exchange(requests_, {})) {
      to_theirs += encode(*words, &Lane::their_id);
      to_ours += encode(*words, &Lane::our_id);
      lane(client_).expect(*words);
    }
    bytes_ = 0;
    candidate_.follow(real_.barrier());
    lane(client_).send(to_theirs, to_ours);
  }

  void hear_all() {
    for (auto& [client, lane] : lanes_) {
      if (!lane || difference_) continue;
      note(lane->hear(normalisers_), client);
      if (lane->closed()) lane.reset();
    }
  }

  void set_free(int client) {
    flush();
    if (difference_ || lane(client).waiting() == 0) return;
    if (!helper_) helper_ = std::make_unique<Lane>(real_, *candidate_.target, resp_);
    const auto request = [](const std::string& id) {
      return encode_request({"CLIENT", "UNBLOCK", id});
    };
    candidate_.follow(real_.barrier());
    // Redis 7.0.15 dies of unblocking a client that waits for the end of a pause.
    helper_->expect({"CLIENT", "UNPAUSE"});
    helper_->send(encode_request({"CLIENT", "UNPAUSE"}), encode_request({"CLIENT", "UNPAUSE"}));
    helper_->expect({"CLIENT", "UNBLOCK", "(the id of " + std::string{client_name(client)} + ")"});
    helper_->send(request(lane(client).their_id()), request(lane(client).our_id()));
    note(helper_->hear(normalisers_), client);
    hear_all();
  }

  void note(std::optional<Mismatch> mismatch, int client) {
    if (!mismatch || difference_) return;
    difference_ = Difference{action_, std::string{client_name(client)} + "> " + mismatch->request,
                             std::move(mismatch->theirs), std::move(mismatch->ours)};
  }

  // Raw bytes go over a connection of their own: they may leave it in the middle of a request.
  void exchange_raw(const std::string& bytes) {
    Lane raw{real_, *candidate_.target, resp_};
    RequestParser parser;
    parser.feed(bytes);
    using Status = RequestParser::Status;
    for (Status status = parser.next(); status == Status::ready || status == Status::empty;
         status = parser.next())
      if (status == Status::ready) raw.expect(Words{parser.words().begin(), parser.words().end()});
    candidate_.follow(real_.barrier());
    raw.send(bytes, bytes);
    if (auto mismatch = raw.hear(normalisers_))
      difference_ = Difference{action_, "raw " + quote(bytes), mismatch->theirs, mismatch->ours};
    hear_all();
  }

  struct Pair {
    std::unique_ptr<Channel> theirs;
    std::unique_ptr<Channel> ours;
  };

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
  std::size_t action_ = 0;
  std::vector<const Words*> requests_;
  std::size_t bytes_ = 0;
  std::map<int, std::unique_ptr<Lane>> lanes_;
  std::unique_ptr<Lane> helper_;
  std::optional<Difference> difference_;
};

// Undoes what a sequence may have left behind. Keys go when somebody looks at them, and at no
// moment between.
void prepare(Target& target) {
  const auto control = target.connect();
  control->exchange(encode_request({"CLIENT", "UNPAUSE"}) + encode_request({"FLUSHALL"}) +
                    encode_request({"SCRIPT", "FLUSH"}) +
                    encode_request({"CONFIG", "SET", "stream-node-max-entries", "100",
                                    "notify-keyspace-events", ""}) +
                    encode_request({"ACL", "DELUSER", "ann", "ben", ""}) +
                    encode_request({"ACL", "LOG", "RESET"}) +
                    encode_request({"DEBUG", "SET-ACTIVE-EXPIRE", "0"}));
}

}  // namespace

std::optional<Difference> SideBySide::run(const Sequence& sequence, int resp) {
  try {
    prepare(real_);
    Candidate candidate = make_candidate_(real_.barrier());
    prepare(*candidate.target);
    return Run{real_, candidate, normalisers_, resp}.play(sequence);
  } catch (const TargetDied& death) {
    throw TargetDied("redis-server itself died (" + std::string{death.what()} + ") during\n" +
                     print_sequence(sequence));
  }
}

}  // namespace picklock::test

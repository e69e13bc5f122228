#include "tests/bad_input/tester.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "emulator/base/text.hpp"
#include "tests/bad_input/unknown_order.hpp"
#include "tests/differential/frames.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

constexpr std::size_t kLongestWord = 20'000;

// The words of a command line, or nullopt for what makes sense only where it stands: what refers
// to an earlier reply or to the present instant, and what is too long to be spoilt in many ways.
std::optional<Words> words_of(const Step& step) {
  if (step.kind != Step::Kind::command || step.words.find("{last") != std::string::npos ||
      step.words.find("{now") != std::string::npos)
    return std::nullopt;
  auto words = split_words(step.words);
  if (!words || words->empty() || (*words)[0].empty()) return std::nullopt;
  for (std::string& word : *words) {
    if (word == "<script>") {
      word.clear();
      for (const auto& line : step.script) word += (word.empty() ? "" : "\n") + line;
    } else if (word.starts_with('{') && expand_repetition(word) && word.size() > kLongestWord) {
      return std::nullopt;
    }
  }
  return words;
}

bool is_below_a_minute(const std::string& word) {
  long long number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc{} && end == word.data() + word.size() && number > 0 && number < 60'000;
}

// Of a second, in whatever notation strtod reads ("0x1p-8").
bool is_fraction(const std::string& word) {
  char* end = nullptr;
  const double seconds = std::strtod(word.c_str(), &end);
  return end != word.c_str() && seconds > 0 && seconds < 1;
}

// What a script does with its arguments is not seen where it is called: each may be a lease. One
// of ten seconds and more outlasts the transcript it stands in.
bool has_near_lease(const Words& words) {
  const std::string name = lower(words[0]);
  if (!name.starts_with("eval") && !name.starts_with("fcall")) return false;
  const auto from = std::ranges::next(words.begin(), 3, words.end());
  return std::any_of(from, words.end(), [](const std::string& word) {
    return word.size() < 5 && is_below_a_minute(word);
  });
}

// A deadline that might pass during the test: a number below a minute after a word like PX or in
// a command like PEXPIRE.
bool has_near_deadline(const Words& words) {
  if (has_near_lease(words)) return true;
  if (iequals(words[0], "wait")) return is_below_a_minute(words.back());
  if (changes_connection(words) && std::ranges::any_of(words, is_fraction)) return true;
  const bool speaks_of_time = std::ranges::any_of(words, [](const std::string& word) {
    const std::string name = lower(word);
    return name == "px" || name == "ex" || name.find("expire") != std::string::npos ||
           name.find("setex") != std::string::npos || name == "restore" || name == "block" ||
           name.find("idle") != std::string::npos || name == "xautoclaim" || name == "xclaim";
  });
  return speaks_of_time && std::ranges::any_of(words, is_below_a_minute);
}

// Cursors are the real server's own, and how far one step of a scan goes too.
bool is_scan(const Words& words) {
  return std::ranges::any_of(std::array{"scan", "sscan", "hscan", "zscan"},
                             [&](const char* name) { return iequals(words[0], name); });
}

// What EXEC returns of HELLO or CLIENT INFO, whose rows among the normalisers know them by name
// only.
bool tells_of_itself(const Words& words, std::string_view theirs) {
  return iequals(words[0], "exec") && (theirs.find("laddr=") != std::string_view::npos ||
                                       theirs.find("\r\nmodules\r\n") != std::string_view::npos);
}

// MEMORY is near, not exact, for tables; is_dangerous() knows it by name only.
bool estimates_memory(const Words& words) {
  return iequals(words[0], "eval") && words.size() > 1 &&
         words[1].find("'MEMORY'") != std::string::npos;
}

// The servers were started in one second or in two that follow each other.
bool both_were_just_saved(const Words& words, std::string_view theirs, std::string_view ours) {
  if (!iequals(words[0], "lastsave") || !theirs.starts_with(':') || !ours.starts_with(':'))
    return false;
  const auto second = [](std::string_view reply) {
    return std::strtoll(std::string{reply.substr(1)}.c_str(), nullptr, 10);
  };
  return std::llabs(second(theirs) - second(ours)) <= 1;
}

bool both_are_scanned(std::string_view theirs, std::string_view ours) {
  return theirs.starts_with("*2\r\n$") && ours.starts_with("*2\r\n$");
}

std::string typed(const Words& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + as_typed(word);
  return text;
}

std::string readable(std::string_view bytes) {
  if (bytes.empty()) return "(nothing)";
  return quote(bytes.substr(0, 300)) + (bytes.size() > 300 ? "..." : "");
}

bool refers_to_server_options(const Transcript& transcript) {
  return std::ranges::any_of(transcript.steps, [](const Step& step) {
    return step.kind == Step::Kind::text && step.source.starts_with("@options");
  });
}

}  // namespace

void BadInputTester::play(const Transcript& transcript, std::size_t stride, std::size_t offset) {
  if (refers_to_server_options(transcript)) return;
  candidate_ = make_candidate_(real_.barrier());
  std::map<std::string, Pair> clients;
  where_ = transcript.path;
  Pair first = connect();
  exchange(first, set_up());
  for (std::size_t i = 0; i < transcript.steps.size(); ++i) {
    const auto words = words_of(transcript.steps[i]);
    if (!words || is_dangerous(*words) || has_near_deadline(*words)) continue;
    where_ = transcript.path + ":" + std::to_string(transcript.steps[i].line);
    Pair& pair = clients[transcript.steps[i].client];
    if (!pair.theirs) pair = connect();
    exchange(pair, {*words});
    if (pair.theirs->closed()) pair = {};
    if (i % stride == offset) spoil(*words);
  }
}

BadInputTester::Pair BadInputTester::connect() {
  Pair pair{real_.connect(), candidate_.target->connect()};
  if (resp_ == 3) {
    pair.theirs->exchange(encode_request(Words{"HELLO", "3"}));
    pair.ours->exchange(encode_request(Words{"HELLO", "3"}));
  }
  return pair;
}

void BadInputTester::spoil(const Words& words) {
  std::vector<Words> all = mutants(words);
  std::erase_if(
      all, [](const Words& mutant) { return is_dangerous(mutant) || has_near_deadline(mutant); });
  if (!changes_connection(words)) {
    Pair pair = connect();
    exchange(pair, all);
    return;
  }
  for (const Words& mutant : all) {
    Pair pair = connect();
    exchange(pair, {mutant});
    pair = {};
    real_.barrier();  // The real server has noticed that the connection is gone.
  }
}

void BadInputTester::exchange(Pair& pair, const std::vector<Words>& requests) {
  std::string bytes;
  for (const Words& words : requests) bytes += encode_request(words);
  requests_ += requests.size();
  candidate_.follow(real_.barrier());
  const std::string theirs = pair.theirs->exchange(bytes);
  const std::string ours = pair.ours->exchange(bytes);
  if (theirs == ours && pair.theirs->closed() == pair.ours->closed()) return;
  const Frames their_frames = cut_frames(theirs);
  const Frames our_frames = cut_frames(ours);
  const bool aligned = their_frames.replies.size() == our_frames.replies.size();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const bool they = i < their_frames.replies.size();
    const bool we = i < our_frames.replies.size();
    const std::string_view a = they ? their_frames.replies[i] : std::string_view{};
    const std::string_view b = we ? our_frames.replies[i] : std::string_view{};
    if (a == b || normalisers_.excuse(requests[i], a, b)) continue;
    if (both_were_just_saved(requests[i], a, b)) continue;
    if (is_scan(requests[i]) && both_are_scanned(a, b)) continue;
    if (tells_of_itself(requests[i], a) || estimates_memory(requests[i])) continue;
    if (differ_by_unknown_order(requests[i], a, b, *pair.ours)) continue;
    differ(requests[i], a, b);
    if (!aligned) return;
  }
  if (aligned && pair.theirs->closed() != pair.ours->closed())
    differ(requests.back(), pair.theirs->closed() ? "(connection closed)" : "(open)",
           pair.ours->closed() ? "(connection closed)" : "(open)");
  if (requests.size() == 1 && their_frames.replies.size() != our_frames.replies.size())
    differ(requests[0], theirs, ours);
}

void BadInputTester::differ(const Words& request, std::string_view theirs, std::string_view ours) {
  differences_.push_back({where_, typed(request), readable(theirs), readable(ours)});
}

}  // namespace picklock::test

#include "tests/differential/script_campaign.hpp"

#include <algorithm>
#include <memory>
#include <ostream>

#include "emulator/base/text.hpp"
#include "tests/differential/script_writer.hpp"
#include "tests/differential/shrinker.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

// One in so many actions sends a value through the libraries and back.
constexpr std::uint64_t kRoundTrip = 10;

Sequence write_episode(std::uint64_t seed, std::size_t scripts) {
  Random random{seed};
  ScriptWriter writer{random.next()};
  Sequence sequence;
  while (sequence.size() < scripts)
    sequence.push_back(random.below(kRoundTrip) == 0 ? writer.round_trip() : writer.action());
  return sequence;
}

// Functions outlive FLUSHALL, and what functions set in cjson outlives them.
constexpr std::string_view kResetCjson =
    "#!lua name=lib\nredis.register_function('f', function() "
    "cjson.encode_max_depth(1000) cjson.decode_max_depth(1000) "
    "cjson.encode_sparse_array(false, 2, 10) cjson.encode_number_precision(14) "
    "cjson.encode_invalid_numbers(false) cjson.decode_invalid_numbers(true) "
    "cjson.encode_keep_buffer(true) end)";

Sequence from_empty(Sequence sequence) {
  Action flush;
  flush.commands = {{"FUNCTION", "LOAD", "REPLACE", std::string{kResetCjson}},
                    {"FCALL", "f", "0"},
                    {"FUNCTION", "FLUSH"}};
  sequence.insert(sequence.begin(), std::move(flush));
  return sequence;
}

std::vector<std::string> lines_of(const std::string& script) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at <= script.size();) {
    const std::size_t end = std::min(script.find('\n', at), script.size());
    lines.push_back(script.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (&line == lines.data() ? "" : "\n") + line;
  return text;
}

// Leaves out runs of lines of every script, long runs first, as long as the sequence still fails.
void thin_scripts(Sequence& sequence, const StillFails& still_fails) {
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    for (std::size_t c = 0; c < sequence[i].commands.size(); ++c) {
      if (!iequals(sequence[i].commands[c][0], "EVAL")) continue;
      std::vector<std::string> lines = lines_of(sequence[i].commands[c][1]);
      for (std::size_t length = lines.size(); length > 0; length /= 2) {
        for (std::size_t end = lines.size(); end >= length && end > 0; --end) {
          if (end > lines.size()) continue;
          std::vector<std::string> fewer = lines;
          fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(end - length),
                      fewer.begin() + static_cast<std::ptrdiff_t>(end));
          Sequence candidate = sequence;
          candidate[i].commands[c][1] = join(fewer);
          if (!still_fails(candidate)) continue;
          sequence = std::move(candidate);
          lines = std::move(fewer);
        }
      }
    }
  }
}

// The first action with a script that has no end, as its budget in the emulator tells; the number
// of actions when there is none. The real server would run it for ever.
std::size_t first_endless(const Sequence& sequence) {
  const Candidate alone = make_candidate(0, "");
  const auto channel = alone.target->connect();
  for (std::size_t i = 0; i < sequence.size(); ++i)
    for (const Words& words : sequence[i].commands)
      if (channel->exchange(encode_request(words)).find("Script killed") != std::string::npos)
        return i;
  return sequence.size();
}

class ScriptCampaign {
 public:
  ScriptCampaign(const ScriptCampaignOptions& options, Normalisers& normalisers, std::ostream& out)
      : options_(options), normalisers_(normalisers), out_(out) {}

  ScriptCampaignResult run() {
    Random seeds{options_.seed};
    for (std::size_t episode = 0; result_.scripts < options_.scripts; ++episode) {
      const std::size_t count =
          std::min(options_.episode_scripts, options_.scripts - result_.scripts);
      resp_ = options_.resp != 0 ? options_.resp : episode % 2 == 0 ? 2 : 3;
      const std::uint64_t seed = seeds.next();
      Sequence sequence = options_.write ? options_.write(seed) : write_episode(seed, count);
      if (auto difference = play(sequence)) {
        result_.finding = shrink_finding(std::move(sequence), *std::move(difference));
        break;
      }
      result_.scripts += sequence.size();
      if (episode % 200 == 199) out_ << result_.scripts << " scripts agree" << std::endl;
    }
    if (real_) count_refused();
    return std::move(result_);
  }

 private:
  // A campaign in which nearly every script fails early would show little.
  void count_refused() {
    const auto channel = real_->connect();
    const std::string stats = channel->exchange(encode_request({"INFO", "commandstats"}));
    for (const std::string_view name : {"cmdstat_eval:", "cmdstat_evalsha:", "cmdstat_fcall:"}) {
      const std::size_t line = stats.find(name);
      const std::size_t at = stats.find("failed_calls=", std::min(line, stats.size()));
      if (line != std::string::npos && at != std::string::npos)
        result_.refused += std::stoul(stats.substr(at + 13));
    }
  }

  std::optional<Difference> attempt(const Sequence& sequence) {
    if (!real_) real_ = std::make_unique<RealRedis>();
    SideBySide servers{
        *real_, [this](std::int64_t now_ms) { return make_candidate(now_ms, options_.corruption); },
        normalisers_};
    try {
      auto difference = servers.run(from_empty(sequence), resp_);
      was_busy_ = difference && real_->is_busy();
      if (was_busy_) real_.reset();
      return difference;
    } catch (const TargetDied&) {
      real_.reset();
      throw;
    }
  }

  // Takes out of `sequence` what kills the real server, and what has no end on both.
  std::optional<Difference> play(Sequence& sequence) {
    while (true) {
      try {
        auto difference = attempt(sequence);
        if (!was_busy_ || !remove_endless(sequence)) return difference;
      } catch (const TargetDied&) {
        remove_killer(sequence);
      }
    }
  }

  bool kills(const Sequence& sequence) {
    try {
      attempt(sequence);
      return false;
    } catch (const TargetDied&) {
      return true;
    }
  }

  // The killer is the last action of the shortest beginning that kills.
  void remove_killer(Sequence& sequence) {
    std::size_t alive = 0;
    std::size_t dead = sequence.size();
    while (dead - alive > 1) {
      const std::size_t middle = alive + (dead - alive) / 2;
      const Sequence beginning(sequence.begin(),
                               sequence.begin() + static_cast<std::ptrdiff_t>(middle));
      (kills(beginning) ? dead : alive) = middle;
    }
    const auto killer = sequence.begin() + static_cast<std::ptrdiff_t>(dead - 1);
    out_ << "redis-server itself dies of:\n" << print_sequence({*killer}) << std::endl;
    result_.killers.push_back(*killer);
    sequence.erase(killer);
  }

  // Damage may make a loop or a recursion endless. False when the real server is not busy with the
  // action that the emulator finds endless: that is a difference.
  bool remove_endless(Sequence& sequence) {
    const auto first = sequence.begin() + static_cast<std::ptrdiff_t>(first_endless(sequence));
    if (first == sequence.end()) return false;
    attempt({sequence.begin(), first + 1});
    if (!was_busy_) return false;
    out_ << "it has no end:\n" << print_sequence({*first}) << std::endl;
    result_.endless.push_back(*first);
    sequence.erase(first);
    return true;
  }

  Finding shrink_finding(Sequence sequence, Difference difference) {
    out_ << "a difference; shrinking " << sequence.size() << " scripts" << std::endl;
    const auto still_fails = [this](const Sequence& smaller) {
      try {
        return first_endless(smaller) == smaller.size() && attempt(smaller).has_value();
      } catch (const TargetDied&) {
        return false;
      }
    };
    if (!still_fails(sequence)) {
      out_ << "the difference did not come again; it is not shrunk" << std::endl;
      return {std::move(sequence), std::move(difference), resp_};
    }
    sequence = shrink(std::move(sequence), still_fails);
    thin_scripts(sequence, still_fails);
    if (auto last = attempt(sequence)) difference = *std::move(last);
    return {std::move(sequence), std::move(difference), resp_};
  }

  const ScriptCampaignOptions& options_;
  Normalisers& normalisers_;
  std::ostream& out_;
  std::unique_ptr<RealRedis> real_;
  int resp_ = 2;
  bool was_busy_ = false;  // The last attempt left the real server in the midst of a script.
  ScriptCampaignResult result_;
};

}  // namespace

ScriptCampaignResult run_script_campaign(const ScriptCampaignOptions& options,
                                         Normalisers& normalisers, std::ostream& out) {
  return ScriptCampaign{options, normalisers, out}.run();
}

}  // namespace picklock::test

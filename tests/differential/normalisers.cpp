#include "tests/differential/normalisers.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iomanip>
#include <optional>
#include <ostream>

#include "emulator/base/text.hpp"
#include "emulator/resp/reply_parser.hpp"
#include "tests/differential/likeness.hpp"
#include "tests/differential/monitored.hpp"
#include "tests/support/payloads.hpp"

namespace picklock::test {
namespace {

bool is_command(const Words& request, std::initializer_list<std::string_view> names) {
  return !request.empty() && std::ranges::any_of(names, [&](std::string_view name) {
    return is_word(request[0], name);
  });
}

bool is_subcommand(const Words& request, std::string_view name,
                   std::initializer_list<std::string_view> subs) {
  return request.size() > 1 && is_word(request[0], name) &&
         std::ranges::any_of(subs, [&](std::string_view sub) { return is_word(request[1], sub); });
}

// A script that calls one of these commands: by its quoted name in the text, or by a name in its
// arguments.
bool script_calls(const Words& request, std::initializer_list<std::string_view> names) {
  if (!is_command(request, {"EVAL", "EVAL_RO", "EVALSHA", "EVALSHA_RO"}) || request.size() < 2)
    return false;
  const std::string text = lower(request[1]);
  return std::ranges::any_of(names, [&](std::string_view name) {
    return text.find("'" + std::string{name} + "'") != std::string::npos ||
           std::any_of(request.begin() + 2, request.end(),
                       [&](const std::string& word) { return is_word(word, name); });
  });
}

// SORT by a pattern, or by nothing: its elements may compare equal, and then keep the order in
// which a set is walked. The key l is a list, of which the order is known.
bool is_sort_with_ties(const Words& request) {
  const bool by =
      std::ranges::any_of(request, [](const auto& word) { return is_word(word, "by"); });
  if (is_command(request, {"SORT", "SORT_RO"})) return by && request[1] != "l";
  return script_calls(request, {"sort", "sort_ro"}) &&
         (by || lower(request[1]).find("'by'") != std::string::npos);
}

bool has_limit(const Words& request) {
  return std::ranges::any_of(
      request, [](const auto& word) { return lower(word).find("limit") != std::string::npos; });
}

constexpr std::array kNormalisers{
    Normaliser{"ttl ms", "the servers' clocks are read at different moments",
               [](const Words& r) {
                 return is_command(r, {"PTTL", "PEXPIRETIME"});
               },
               [](const Reply& a, const Reply& b) { return same_time(a, b, 1); }},
    Normaliser{"ttl s", "the servers' clocks are read at different moments",
               [](const Words& r) {
                 return is_command(r, {"TTL", "EXPIRETIME"});
               },
               [](const Reply& a, const Reply& b) { return same_time(a, b, 1000); }},
    Normaliser{"ttl in script", "as above, returned by a script",
               [](const Words& r) {
                 return script_calls(r, {"ttl", "pttl", "expiretime", "pexpiretime"});
               },
               near_times_deep},
    Normaliser{"ttl in cached script",
               "as above, returned by a script of which only the hash is sent",
               [](const Words& r) {
                 return is_command(r, {"EVALSHA", "EVALSHA_RO"});
               },
               [](const Reply& a, const Reply& b) {
                 return both_ids(a, b) && a.integer() > 1'000 && same_time(a, b, 1);
               }},
    Normaliser{"time", "TIME is the present instant",
               [](const Words& r) { return is_command(r, {"TIME"}); }, same_shape},
    Normaliser{"time in script", "as above, returned by a script",
               [](const Words& r) { return script_calls(r, {"time"}); }, same_shape},
    Normaliser{"key order", "KEYS walks a hash table with a random seed",
               [](const Words& r) { return is_command(r, {"KEYS"}); }, same_elements},
    Normaliser{"field order", "a large hash is a hash table with a random seed",
               [](const Words& r) {
                 return is_command(r, {"HKEYS", "HVALS"});
               },
               same_elements},
    Normaliser{"random", "which element is drawn is left to chance",
               [](const Words& r) {
                 return is_command(r, {"HRANDFIELD", "RANDOMKEY"}) ||
                        script_calls(r, {"hrandfield", "randomkey"});
               },
               same_shape},
    Normaliser{"pair order", "a large hash is a hash table with a random seed",
               [](const Words& r) { return is_command(r, {"HGETALL"}); }, same_pairs},
    Normaliser{"member order", "a set of more than integers is a hash table with a random seed",
               [](const Words& r) {
                 return is_command(r, {"SMEMBERS", "SUNION", "SINTER", "SDIFF", "SPOP"});
               },
               same_elements},
    Normaliser{"scan order", "a hash table is walked in the order of its random seed",
               [](const Words& r) {
                 return is_command(r, {"SCAN", "HSCAN", "SSCAN", "ZSCAN"});
               },
               same_elements},
    Normaliser{"random members", "drawn by chance",
               [](const Words& r) {
                 return is_command(r, {"SRANDMEMBER", "ZRANDMEMBER"}) ||
                        script_calls(r, {"srandmember", "zrandmember"});
               },
               same_shape},
    Normaliser{"payload",
               "hash tables have the order of their seeds, streams the times of delivery",
               [](const Words& r) { return is_command(r, {"DUMP"}) || script_calls(r, {"dump"}); },
               same_payload},
    Normaliser{"order in script", "as above, returned by a script",
               [](const Words& r) {
                 return script_calls(
                     r, {"keys", "hgetall", "hkeys", "hvals", "smembers", "sunion", "sinter",
                         "sdiff", "spop", "scan", "hscan", "sscan", "zscan", "pubsub"});
               },
               same_elements},
    Normaliser{"stale errno", "SORT takes the range error of an earlier command for its own",
               [](const Words& r) {
                 return is_command(r, {"SORT", "SORT_RO"}) || script_calls(r, {"sort", "sort_ro"});
               },
               is_refused_sort},
    Normaliser{"sort ties", "elements that compare equal keep the random order of a set",
               [](const Words& r) { return is_sort_with_ties(r) && !has_limit(r); }, same_elements},
    Normaliser{"limited ties", "as above, cut by LIMIT",
               [](const Words& r) { return is_sort_with_ties(r) && has_limit(r); }, same_number},
    Normaliser{"client id", "counts the server's connections since its start",
               [](const Words& r) {
                 return is_subcommand(r, "CLIENT", {"ID", "GETREDIR"});
               },
               both_ids},
    Normaliser{"redirect id", "counts the server's connections since its start",
               [](const Words& r) { return is_subcommand(r, "CLIENT", {"TRACKINGINFO"}); },
               same_but_id},
    Normaliser{"hello id", "counts the server's connections since its start",
               [](const Words& r) { return is_command(r, {"HELLO"}); }, same_but_id},
    Normaliser{"client list", "addresses, descriptors, ages and memory are the process's own",
               [](const Words& r) {
                 return is_subcommand(r, "CLIENT", {"INFO", "LIST"});
               },
               same_shape},
    Normaliser{"channel order", "channels stand in a hash table with a random seed",
               [](const Words& r) {
                 return is_subcommand(r, "PUBSUB", {"CHANNELS", "SHARDCHANNELS"});
               },
               same_elements},
    Normaliser{"idle time", "the servers' clocks are read at different moments",
               [](const Words& r) { return is_subcommand(r, "OBJECT", {"IDLETIME"}); },
               [](const Reply& a, const Reply& b) { return same_time(a, b, 1000); }},
    Normaliser{
        "stream idle time", "the servers' clocks are read at different moments",
        [](const Words& r) {
          return is_command(r, {"XPENDING", "XINFO"}) || script_calls(r, {"xpending", "xinfo"});
        },
        same_but_idle_times},
    Normaliser{"present id", "the servers' clocks are read at different moments",
               [](const Words& r) {
                 return is_command(r, {"XADD"}) && std::ranges::find(r, "*") != r.end();
               },
               same_present_id},
    Normaliser{"category order", "ACL CAT walks a hash table of commands with a random seed",
               [](const Words& r) { return is_subcommand(r, "ACL", {"CAT"}); }, same_elements},
    Normaliser{"rule order", "single commands of a user come in the order of such a table",
               [](const Words& r) {
                 return is_subcommand(r, "ACL", {"GETUSER", "LIST"});
               },
               same_but_word_order},
    Normaliser{"acl log", "ages, addresses and descriptors are the process's own",
               [](const Words& r) { return is_subcommand(r, "ACL", {"LOG"}); },
               same_but_log_details},
    Normaliser{"function order", "libraries and functions stand in hash tables with a random seed",
               [](const Words& r) { return is_subcommand(r, "FUNCTION", {"LIST"}); },
               same_elements},
    Normaliser{"dumped functions", "libraries stand in a hash table with a random seed",
               [](const Words& r) { return is_subcommand(r, "FUNCTION", {"DUMP"}); },
               [](const Reply& a, const Reply& b) {
                 return a.type() == Reply::Type::bulk && b.type() == Reply::Type::bulk &&
                        same_libraries(a.text(), b.text());
               }},
    Normaliser{"payload in exec", "a hash table is dumped in the order of its random seed",
               [](const Words& r) { return is_command(r, {"EXEC"}); }, same_but_payloads},
    Normaliser{"config order", "CONFIG GET of a pattern walks a hash table with a random seed",
               [](const Words& r) { return is_subcommand(r, "CONFIG", {"GET"}); }, same_pairs},
    Normaliser{"average ttl", "INFO's avg_ttl is sampled by the active expiry, and overflows there",
               [](const Words& r) { return is_command(r, {"INFO"}) || script_calls(r, {"info"}); },
               same_but_average_ttl},
};

std::optional<Reply> parse(std::string_view bytes) {
  ReplyParser parser;
  parser.feed(bytes);
  return parser.next();
}

}  // namespace

Normalisers::Normalisers() : hits_(kNormalisers.size()), run_hits_(run_normalisers().size()) {}

bool Normalisers::excuse(const Words& request, std::string_view theirs, std::string_view ours) {
  std::optional<Reply> a;
  std::optional<Reply> b;
  for (std::size_t row = 0; row < kNormalisers.size(); ++row) {
    if (!kNormalisers[row].applies(request)) continue;
    if (!a) {
      a = parse(theirs);
      b = parse(ours);
      if (!a || !b) return false;
    }
    if (!kNormalisers[row].equal(*a, *b)) continue;
    ++hits_[row];
    return true;
  }
  return false;
}

std::size_t Normalisers::excuse_run(const Words* request, Replies theirs, Replies ours) {
  for (std::size_t row = 0; row < run_normalisers().size(); ++row) {
    const std::size_t length = run_normalisers()[row].equal(request, theirs, ours);
    if (length == 0) continue;
    ++run_hits_[row];
    return length;
  }
  return 0;
}

std::string Normalisers::mark_monitored(std::string_view stream) {
  return test::mark_monitored(stream, monitored_);
}

void Normalisers::print(std::ostream& out) const {
  const auto print_row = [&](std::size_t hits, const auto& row) {
    out << std::setw(8) << hits << "  " << std::left << std::setw(16) << row.name << std::right
        << ' ' << row.reason << '\n';
  };
  for (std::size_t row = 0; row < kNormalisers.size(); ++row)
    print_row(hits_[row], kNormalisers[row]);
  for (std::size_t row = 0; row < run_normalisers().size(); ++row)
    print_row(run_hits_[row], run_normalisers()[row]);
  constexpr struct {
    std::string_view name = "monitored", reason = "times, addresses and ids are the server's own";
  } kMonitored;
  print_row(monitored_, kMonitored);
}

}  // namespace picklock::test

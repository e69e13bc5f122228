// picklock-demo: the main job from end to end, told in the terminal. Ends with 0 only if all was as
// claimed.
#include <iostream>
#include <string>
#include <string_view>

#include <picklock/emulator.hpp>
#include <picklock/race.hpp>

#include "fuzz/gallery/gallery.hpp"
#include "lua/scripts.hpp"

namespace {

using namespace picklock;
using namespace picklock::replies;
using namespace std::chrono_literals;

class Story {
 public:
  void chapter(std::string_view title) { std::cout << "\n== " << title << "\n\n"; }
  void say(std::string_view text) { std::cout << text << "\n"; }

  /// Sends a command, shows it with its reply, and compares.
  template <class... Words>
  void expect(Client& client, std::string_view name, const Reply& expected, const Words&... words) {
    std::string shown;
    ((shown += " " + shorten(detail::Word{words}.view())), ...);
    const Reply reply = client.call(words...);
    std::cout << "  " << name << ">" << shown << "\n    " << reply.to_string() << "\n";
    claim(reply == expected, "the reply should be " + expected.to_string());
  }

  void claim(bool holds, std::string_view what) {
    if (holds) return;
    true_ = false;
    std::cout << "  NOT AS CLAIMED: " << what << "\n";
  }

  bool is_true() const { return true_; }

 private:
  static std::string shorten(std::string_view word) {
    if (word.find('\n') != std::string_view::npos) return "<script>";
    return word.size() == 40 ? std::string{word.substr(0, 8)} + "…" : std::string{word};
  }
  bool true_ = true;
};

void lock_without_a_server(Story& story) {
  story.chapter("1. A lock test without a Redis: no port, no thread, no file");
  Emulator redis;
  Client alice = redis.connect();
  Client bob = redis.connect();
  story.expect(alice, "alice", status("OK"), "SET", "lock", "alice", "NX", "PX", 1500);
  story.expect(bob, "bob  ", nil, "SET", "lock", "bob", "NX", "PX", 1500);
  story.expect(bob, "bob  ", bulk("alice"), "GET", "lock");

  story.chapter("2. Expiry to the millisecond: the clock moves only when the test says so");
  redis.advance(1500ms);
  story.say("  (1500 ms later: a key still lives at its deadline)");
  story.expect(bob, "bob  ", nil, "SET", "lock", "bob", "NX", "PX", 1500);
  redis.advance(1ms);
  story.say("  (1 ms later: it is gone)");
  story.expect(bob, "bob  ", status("OK"), "SET", "lock", "bob", "NX", "PX", 1500);
}

void real_scripts(Story& story) {
  story.chapter("3. Real lock scripts, loaded once and called by their SHA-1");
  Emulator redis;
  Client alice = redis.connect();
  Client bob = redis.connect();
  const Reply acquire = alice.call("SCRIPT", "LOAD", scripts::find("simple_setnx_acquire"));
  const Reply release = alice.call("SCRIPT", "LOAD", scripts::find("simple_setnx_release"));
  story.say("  lua/scripts/simple_setnx_acquire.lua is " + acquire.to_string());
  story.say("  lua/scripts/simple_setnx_release.lua is " + release.to_string());
  story.expect(alice, "alice", integer(1), "EVALSHA", acquire.text(), 1, "lock", "alice", 30);
  story.expect(bob, "bob  ", integer(0), "EVALSHA", acquire.text(), 1, "lock", "bob", 30);
  story.expect(bob, "bob  ", integer(0), "EVALSHA", release.text(), 1, "lock", "bob");
  story.expect(alice, "alice", integer(30), "TTL", "lock");
  story.expect(alice, "alice", integer(1), "EVALSHA", release.text(), 1, "lock", "alice");
  story.expect(bob, "bob  ", integer(1), "EVALSHA", acquire.text(), 1, "lock", "bob", 30);
}

race::Verdict search(std::string_view name) {
  const race::GalleryLock& lock = *race::find_lock(name);
  const race::LockSettings settings;
  return race::explore(race::make_options(lock, settings), race::make_scenario(lock, settings));
}

void find_a_race(Story& story) {
  story.chapter("4. A race, found: del-without-check releases its lock with a bare DEL");
  const race::Verdict verdict = search("del-without-check");
  std::cout << verdict;
  story.claim(verdict.verdict == race::Class::violation, "the search should find a violation");

  story.chapter("5. The same race again, from its replay string alone");
  const race::GalleryLock& lock = *race::find_lock("del-without-check");
  const race::Verdict again =
      race::replay(verdict.replay, race::make_scenario(lock, {}), race::make_options(lock, {}));
  const bool identical = again.timeline == verdict.timeline && again.replay == verdict.replay &&
                         again.message == verdict.message;
  story.claim(identical, "the replay should give the same bytes");
  if (identical)
    story.say("Replayed: all " + std::to_string(again.timeline.size()) +
              " bytes of the timeline are identical.");

  story.chapter("6. The same search on a correct lock: set-nx-px with an owner-checked release");
  const race::Verdict good = search("set-nx-px");
  story.claim(static_cast<bool>(good), "a correct lock must not be accused");
  story.say("Searched " + std::to_string(good.schedules) + " schedules: no violation.");
  if (good.limits > 0)
    story.say("Documented limit in " + std::to_string(good.limits) + " of them: " + good.message +
              ".");
}

}  // namespace

int main() {
  try {
    Story story;
    std::cout << "picklock: an in-process Redis that picks schedules until your lock opens.\n";
    lock_without_a_server(story);
    real_scripts(story);
    find_a_race(story);
    std::cout << (story.is_true() ? "\nEverything was as claimed.\n"
                                  : "\nNot everything was as claimed, see above.\n");
    return story.is_true() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "picklock-demo: " << error.what() << "\n";
    return 1;
  }
}

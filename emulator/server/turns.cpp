// When the server's loop serves whom, and when it sleeps.
#include <algorithm>

#include "emulator/base/short_wait.hpp"
#include "emulator/server/loop.hpp"

namespace picklock {

namespace {

using namespace std::chrono_literals;

constexpr auto kLook = 50us;
constexpr auto kMoment = 1ms;
constexpr auto kTick = 4ms;
constexpr std::size_t kManyRequests = 1000;  // Timers do not wait for more: a millisecond or so.

}  // namespace

// Who waits for each answer asks again, on the same machine, before this thread would have woken
// up. A client that sends many requests at once has time, and this one sleeps meanwhile: at first
// for clients alone, which takes less of the system than to sleep for all that may happen.
void Loop::serve() {
  constexpr unsigned kOthersAfter = 16;  // Timers and links have turns, too.
  ShortWait short_wait{kLook};
  const auto look = [this] { return serve_ready() || poll() > 0 || io_.stopped(); };
  unsigned turns = 0;
  bool busy = false;
  while (!io_.stopped()) {
    if (!busy) io_.run_one();
    if (++turns % kOthersAfter == 0) poll();
    if (busy && is_awaited_ && short_wait.succeeds(look)) continue;
    busy = serve_ready(busy ? sleep_among_clients() : 0ms);
  }
}

// As long as a tick of the system (a jiffy; CONFIG_HZ is 250 at Debian), so that it ends with one:
// to end before the next, the system would set the processor's own timer, and that takes as long as
// all the rest of a short sleep. Nobody but clients ends it, so it is short where others are due.
std::chrono::milliseconds Loop::sleep_among_clients() const {
  const bool is_due =
      servers_.is_due_within(kTick) || std::ranges::any_of(places_, [](const auto& entry) {
        return entry.second->is_due_within(kTick);
      });
  return is_due ? kMoment : kTick;
}

// What is asio's. Not all that there is, which may be more of its kind without end: the rest is for
// the next turn.
std::size_t Loop::poll() {
  constexpr std::size_t kMost = 64;
  since_poll_ = 0;
  std::size_t done = 0;
  bool more = true;
  while (more && done < kMost && since_poll_ < kManyRequests) {
    more = io_.poll_one() > 0;
    done += more ? 1 : 0;
  }
  if (more && !io_.stopped()) ready_.interrupt();  // The next look does not sleep.
  return done;
}

// Those that one look has found. A script of one of them lets the others have their turns here,
// too.
bool Loop::serve_ready(std::chrono::milliseconds longest) {
  if (!ready_.look(longest)) return false;
  while (const auto ready = ready_.take()) {
    if (ready->number == kOfAsio) {
      poll();
      continue;
    }
    const auto found = clients_.find(ready->number);
    if (found == clients_.end()) continue;  // It was closed meanwhile.
    const std::shared_ptr<SocketClient> client = found->second;
    client->ready(*ready);
    if (since_poll_ >= kManyRequests) poll();
    if (io_.stopped()) break;
  }
  turn_ended();
  return true;
}

// Called from within a turn of this very loop: what is ready now is served, inside it, and who has
// been served before in that turn gets his answer.
bool Loop::serve_others() {
  flush_all();
  serve_ready();
  poll();
  return !io_.stopped();
}

}  // namespace picklock

#include <algorithm>
#include <utility>

#include "fuzz/report/canvas.hpp"
#include "fuzz/report/markup.hpp"

namespace picklock::race {
namespace {

using EventKind = Event::Kind;

class Bars {
 public:
  explicit Bars(const Canvas& canvas) : canvas_(canvas) {}

  std::string draw() {
    server_bars();
    worker_bars();
    return std::move(out_);
  }

 private:
  /// One hold of a key on a server, from the event that began it.
  struct Hold {
    Event::Key key;
    std::size_t from = 0;
    bool active = false;
  };

  void server_bars() {
    for (std::size_t server = 0; server < canvas_.recorder.servers.size(); ++server) {
      std::vector<Hold> holds(canvas_.lanes.keys(server));
      for (std::size_t i = 0; i < canvas_.recorder.events.size(); ++i) {
        const Event& event = canvas_.recorder.events[i];
        for (std::size_t key = 0; key < holds.size(); ++key) {
          Hold& hold = holds[key];
          if (hold.active && hold.key.until && event.at > *hold.key.until)
            end_hold(server, key, hold, canvas_.y_of(i) - kRowHeight / 2);
          if (event.keys.empty() || event.keys_of != server || key >= event.keys.size()) continue;
          if (hold.active && hold.key == event.keys[key]) continue;
          end_hold(server, key, hold, canvas_.y_of(i));
          hold = {event.keys[key], i, event.keys[key].present};
        }
      }
      for (std::size_t key = 0; key < holds.size(); ++key)
        end_hold(server, key, holds[key], canvas_.bottom());
    }
  }

  /// A bar that grows thin as its ttl drains away, by the node's clock.
  void end_hold(std::size_t server, std::size_t key, Hold& hold, int y_end) {
    if (!hold.active) return;
    hold.active = false;
    const int x = canvas_.lanes.server(server) + static_cast<int>(key) * Lanes::kBarPitch;
    const int y_start = canvas_.y_of(hold.from);
    if (!hold.key.until) {
      out_ += svg_rectangle(x, y_start, Lanes::kBarWidth, std::max(y_end - y_start, 4),
                            "bar " + canvas_.colour(hold.key.token));
      return;
    }
    std::string right;
    for (std::size_t i = hold.from; i < canvas_.recorder.events.size() && canvas_.y_of(i) < y_end;
         ++i)
      right += "L" + number(x + width_left(hold, canvas_.recorder.events[i].at)) + " " +
               number(canvas_.y_of(i));
    const int last = width_left(hold, at_end(y_end));
    right += "L" + number(x + last) + " " + number(y_end);
    out_ +=
        "<path" + attribute("class", "bar " + canvas_.colour(hold.key.token)) +
        attribute("d", "M" + number(x) + " " + number(y_start) + right + "L" + number(x) + " " +
                           number(y_end) + "Z") +
        "><title>" +
        markup(hold.key.name + " = " + hold.key.token + " until " + canvas_.time(*hold.key.until)) +
        "</title></path>\n";
  }

  /// When the run comes to this height.
  Instant at_end(int y) const {
    Instant at = canvas_.recorder.events.back().at;
    for (std::size_t i = canvas_.recorder.events.size(); i-- > 0;) {
      if (canvas_.y_of(i) >= y) at = canvas_.recorder.events[i].at;
    }
    return at;
  }

  int width_left(const Hold& hold, Instant now) const {
    const Duration whole =
        std::max(*hold.key.until - canvas_.recorder.events[hold.from].at, Duration{1});
    const Duration left = std::clamp(*hold.key.until - now, Duration{}, whole);
    return std::max<int>(static_cast<int>(left * Lanes::kBarWidth / whole), 1);
  }

  /// What the workers believe and when they stand still.
  void worker_bars() {
    struct Since {
      std::size_t inside = 0;  ///< Where the bar of the last of these stays begins.
      std::vector<std::string> stays;
      std::vector<std::string> tokens;
      std::size_t paused = 0;
      bool is_paused = false;
    };
    std::vector<Since> since(canvas_.recorder.workers.size());
    const auto end_stay = [&](std::size_t worker, int y_end) {
      Since& own = since[worker];
      if (own.stays.empty()) return;
      const int y = canvas_.y_of(own.inside);
      out_ += svg_rectangle(canvas_.lanes.worker(worker), y, Lanes::kBarWidth,
                            std::max(y_end - y, 4), "bar " + canvas_.colour(own.tokens.back()));
    };
    const auto end_pause = [&](std::size_t worker, int y_end) {
      Since& own = since[worker];
      if (!std::exchange(own.is_paused, false)) return;
      out_ += "<rect fill=\"url(#" + canvas_.id + "p)\"" +
              attribute("x", canvas_.lanes.worker(worker) - 3) +
              attribute("y", canvas_.y_of(own.paused)) + attribute("width", Lanes::kBarWidth + 6) +
              attribute("height", std::max(y_end - canvas_.y_of(own.paused), 4)) + "/>\n";
    };
    for (std::size_t i = 0; i < canvas_.recorder.events.size(); ++i) {
      const Event& event = canvas_.recorder.events[i];
      if (event.on_server || event.actor >= since.size()) continue;
      Since& own = since[event.actor];
      if (event.kind == EventKind::enter) {
        end_stay(event.actor, canvas_.y_of(i));
        own.inside = i;
        own.stays.push_back(event.text);
        own.tokens.push_back(event.token);
      } else if (event.kind == EventKind::pause) {
        end_pause(event.actor, canvas_.y_of(i));
        own.paused = i;
        own.is_paused = true;
      } else if (event.kind == EventKind::leave) {
        end_stay(event.actor, canvas_.y_of(i));
        own.inside = i;
        const std::size_t stay = find_stay(own.stays, event.text);
        if (stay == own.stays.size()) continue;
        own.stays.erase(own.stays.begin() + static_cast<std::ptrdiff_t>(stay));
        own.tokens.erase(own.tokens.begin() + static_cast<std::ptrdiff_t>(stay));
      } else if (event.kind == EventKind::resume) {
        end_pause(event.actor, canvas_.y_of(i));
      } else if (event.kind == EventKind::crash || event.kind == EventKind::finish) {
        end_stay(event.actor, canvas_.y_of(i));
        end_pause(event.actor, canvas_.y_of(i));
        own.stays.clear();
      }
    }
    for (std::size_t worker = 0; worker < since.size(); ++worker) {
      end_stay(worker, canvas_.bottom());
      end_pause(worker, canvas_.bottom());
    }
  }

  const Canvas& canvas_;
  std::string out_;
};

}  // namespace

std::string draw_bars(const Canvas& canvas) { return Bars{canvas}.draw(); }

}  // namespace picklock::race

#include "fuzz/report/drawing.hpp"

#include <algorithm>

#include "fuzz/report/canvas.hpp"
#include "fuzz/report/markup.hpp"

namespace picklock::race {
namespace {

using EventKind = Event::Kind;
constexpr std::size_t kServerLetters = 50;
constexpr std::size_t kWorkerLetters = 34;
constexpr std::size_t kFaultLetters = 29;

class Painter {
 public:
  Painter(const Canvas& canvas, std::size_t same_events)
      : canvas_(canvas), same_events_(same_events) {}

  std::string paint() {
    frame();
    out_ += draw_bars(canvas_);
    out_ += draw_messages(canvas_);
    texts();
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"" +
           attribute("width", canvas_.lanes.width()) + attribute("height", canvas_.height) +
           attribute("id", canvas_.id) + ">\n" + out_ + "</svg>\n";
  }

 private:
  void head(int x, std::string_view name) { out_ += svg_text(x, 18, name, kWorkerLetters, "h"); }

  void lane(int x) {
    out_ += "<path" + attribute("class", "lane") +
            attribute(
                "d", "M" + number(x) + " " + number(kHeadHeight) + "V" + number(canvas_.bottom())) +
            "/>\n";
  }

  /// The pattern of pauses, the slider's row, the lanes and their names.
  void frame() {
    out_ += "<defs><pattern" + attribute("id", canvas_.id + "p") +
            " width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
            "patternTransform=\"rotate(45)\"><rect width=\"3\" height=\"6\" class=\"hatch\"/>"
            "</pattern></defs>\n";
    if (same_events_ > 0 && same_events_ < canvas_.recorder.events.size()) {
      const int y = canvas_.y_of(same_events_) - kRowHeight / 2;
      out_ += "<path" + attribute("class", "parts") +
              attribute("d", "M0 " + number(y) + "H" + number(canvas_.lanes.width())) + "/>\n";
    }
    out_ += "<rect" + attribute("id", canvas_.id + "r") + attribute("class", "now") +
            attribute("x", 0) + attribute("y", kHeadHeight) +
            attribute("width", canvas_.lanes.width()) + attribute("height", kRowHeight) + "/>\n";
    head(4, "ms");
    for (std::size_t i = 0; i < canvas_.recorder.servers.size(); ++i) {
      head(canvas_.lanes.server_text(i), canvas_.recorder.servers[i]);
      for (std::size_t key = 0; key < canvas_.lanes.keys(i); ++key)
        lane(canvas_.lanes.server(i) + static_cast<int>(key) * Lanes::kBarPitch +
             Lanes::kBarWidth / 2);
    }
    for (std::size_t i = 0; i < canvas_.recorder.workers.size(); ++i) {
      head(canvas_.lanes.worker_text(i), canvas_.recorder.workers[i]);
      lane(canvas_.lanes.worker(i) + Lanes::kBarWidth / 2);
      for (std::size_t server = 0; server < canvas_.recorder.servers.size(); ++server)
        lane(canvas_.lanes.link(i, server));
    }
    if (!canvas_.recorder.workers.empty() &&
        canvas_.lanes.link(0, 0) - canvas_.lanes.faults() > Lanes::kLinkWidth)
      head(canvas_.lanes.faults() + 6, "faults");
  }

  void texts() {
    std::string last;
    for (std::size_t i = 0; i < canvas_.recorder.events.size(); ++i) {
      const Event& event = canvas_.recorder.events[i];
      if (!has_row(event)) continue;
      const int y = canvas_.y_of(i) + 4;
      if (const std::string now = canvas_.time(event.at); now != last) {
        out_ += svg_text(4, y, now, 9, "ms");
        last = now;
      }
      if (event.kind == EventKind::finding) {
        out_ += svg_text(Lanes::kTimeWidth, y, "✗ " + event.text, 160, "bad");
      } else if (event.kind == EventKind::fault) {
        const std::string until =
            event.until > event.at ? " until " + canvas_.time(event.until) : "";
        out_ += svg_text(canvas_.lanes.faults() + 6, y, "⚡ " + who(event) + event.text + until,
                         kFaultLetters, "fault");
      } else if (event.kind == EventKind::pause || event.kind == EventKind::crash) {
        out_ += svg_text(canvas_.lanes.faults() + 6, y, "⚡ " + who(event) + phrase(event),
                         kFaultLetters, "fault");
      } else if (event.on_server) {
        out_ += svg_text(canvas_.lanes.server_text(event.actor), y,
                         event.more.empty() ? event.text : event.text + " · " + event.more,
                         kServerLetters);
      } else {
        out_ += svg_text(canvas_.lanes.worker_text(event.actor), y, phrase(event), kWorkerLetters);
      }
      if (event.kind == EventKind::crash)
        out_ += svg_cross(canvas_.lanes.worker(event.actor) + 7, canvas_.y_of(i));
    }
  }

  std::string who(const Event& event) const {
    const auto& names = event.on_server ? canvas_.recorder.servers : canvas_.recorder.workers;
    return event.actor < names.size() ? names[event.actor] + ": " : "";
  }

  std::string phrase(const Event& event) const {
    switch (event.kind) {
      case EventKind::send:
        return "→ " + event.text;
      case EventKind::reply:
        return "← " + event.text;
      case EventKind::enter:
        return "enters " + event.text;
      case EventKind::leave:
        return "leaves " + event.text;
      case EventKind::pause:
        return "paused until " + canvas_.time(event.until);
      case EventKind::resume:
        return "goes on";
      case EventKind::crash:
        return "crashes";
      case EventKind::finish:
        return "is done";
      case EventKind::wait:
        return "waits until " + canvas_.time(event.until);
      default:
        return event.text;
    }
  }

  const Canvas& canvas_;
  std::size_t same_events_;
  std::string out_;
};

}  // namespace

std::vector<std::string> tokens_of(const std::vector<const Recorder*>& runs) {
  std::vector<std::string> tokens;
  const auto add = [&tokens](const std::string& token) {
    if (!token.empty() && std::find(tokens.begin(), tokens.end(), token) == tokens.end())
      tokens.push_back(token);
  };
  for (const Recorder* run : runs) {
    for (const Event& event : run->events) {
      add(event.token);
      for (const Event::Key& key : event.keys) {
        if (key.present) add(key.token);
      }
    }
  }
  return tokens;
}

Drawing draw_run(const Recorder& recorder, const std::vector<std::string>& tokens,
                 std::size_t same_events, const std::string& id) {
  const Canvas canvas{recorder, tokens, id};
  return {Painter{canvas, same_events}.paint(), canvas.rows};
}

Canvas::Canvas(const Recorder& run, const std::vector<std::string>& all_tokens, std::string name)
    : recorder(run), tokens(all_tokens), id(std::move(name)), lanes(run) {
  for (const Event& event : recorder.events) {
    if (has_row(event)) ++row_count;
    rows.push_back(std::max<std::size_t>(row_count, 1) - 1);
  }
  height = kHeadHeight + static_cast<int>(row_count) * kRowHeight + 8;
}

std::string Canvas::colour(std::string_view token) const {
  const auto at = std::find(tokens.begin(), tokens.end(), token);
  return "t" + number((at - tokens.begin()) % static_cast<std::ptrdiff_t>(kColours));
}

std::string svg_cross(int x, int y) {
  return "<path" + attribute("class", "cross") +
         attribute("d", "M" + number(x - 5) + " " + number(y - 5) + "l10 10m0 -10l-10 10") + "/>\n";
}

}  // namespace picklock::race

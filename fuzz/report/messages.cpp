#include <map>
#include <utility>

#include "fuzz/report/canvas.hpp"

namespace picklock::race {
namespace {

using EventKind = Event::Kind;

class Messages {
 public:
  explicit Messages(const Canvas& canvas) : canvas_(canvas) {}

  std::string draw() {
    messages();
    return std::move(out_);
  }

 private:
  /// A line with a head where it arrives.
  void arrow(const std::string& path, int x, int y, bool to_left, std::string_view style) {
    out_ += "<path" + attribute("class", style) + attribute("d", path) + "/>\n";
    const int back = to_left ? 6 : -6;
    out_ += "<path" + attribute("class", std::string{style} + " tip") +
            attribute("d", "M" + number(x) + " " + number(y) + "l" + number(back) + " -3v6Z") +
            "/>\n";
  }
  /// Requests go from the worker along its link to the server, replies back.
  void messages() {
    std::map<std::uint64_t, std::size_t> requests;  // Where they were sent.
    std::map<std::uint64_t, std::size_t> replies;   // Where they were carried out.
    for (std::size_t i = 0; i < canvas_.recorder.events.size(); ++i) {
      const Event& event = canvas_.recorder.events[i];
      if (event.kind == EventKind::send) {
        requests[event.message] = i;
      } else if (event.kind == EventKind::execute) {
        if (const auto sent = requests.find(event.message); sent != requests.end()) {
          draw_request(canvas_.recorder.events[sent->second], canvas_.y_of(sent->second), event,
                       canvas_.y_of(i));
          requests.erase(sent);
        }
        replies[event.message] = i;
      } else if (event.kind == EventKind::reply) {
        if (const auto answered = replies.find(event.message); answered != replies.end()) {
          draw_reply(canvas_.recorder.events[answered->second], canvas_.y_of(answered->second),
                     event, canvas_.y_of(i));
          replies.erase(answered);
        }
      } else if (event.kind == EventKind::cut) {
        lose(requests, event, i, true);
        lose(replies, event, i, false);
      }
    }
    for (const auto& [id, i] : requests)
      draw_open(canvas_.recorder.events[i], canvas_.y_of(i), canvas_.bottom());
  }

  static bool is_on(std::uint64_t message, const Event& cut) {
    return (message & 0xff) == cut.actor && (message >> 8 & 0xff) == cut.node;
  }

  void lose(std::map<std::uint64_t, std::size_t>& open, const Event& cut, std::size_t at,
            bool requests) {
    for (auto it = open.begin(); it != open.end();) {
      if (!is_on(it->first, cut)) {
        ++it;
        continue;
      }
      const int x = canvas_.lanes.link(cut.actor, cut.node) + (requests ? -3 : 3);
      const Event& event = canvas_.recorder.events[it->second];
      const int y = canvas_.y_of(it->second);
      if (requests) {
        draw_open(event, y, canvas_.y_of(at));
      } else {
        out_ +=
            "<path" + attribute("class", "reply") +
            attribute("d", "M" + number(canvas_.lanes.server_text(event.actor) - 6) + " " +
                               number(y + 3) + "H" + number(x) + "V" + number(canvas_.y_of(at))) +
            "/>\n";
      }
      out_ += svg_cross(x, canvas_.y_of(at));
      it = open.erase(it);
    }
  }

  void draw_open(const Event& sent, int y, int y_end) {
    const int link = canvas_.lanes.link(sent.actor, sent.node) - 3;
    out_ += "<path" + attribute("class", "request") +
            attribute("d", "M" + number(canvas_.lanes.worker(sent.actor)) + " " + number(y) + "H" +
                               number(link) + "V" + number(y_end)) +
            "/>\n";
  }

  void draw_request(const Event& sent, int y_sent, const Event& carried_out, int y) {
    const int link = canvas_.lanes.link(sent.actor, sent.node) - 3;
    const int end = canvas_.lanes.server_text(carried_out.actor) - 6;
    arrow("M" + number(canvas_.lanes.worker(sent.actor)) + " " + number(y_sent) + "H" +
              number(link) + "V" + number(y - 4) + "H" + number(end),
          end, y - 4, true, "request");
  }

  void draw_reply(const Event& carried_out, int y_sent, const Event& reply, int y) {
    const int link = canvas_.lanes.link(reply.actor, reply.node) + 3;
    const int end = canvas_.lanes.worker(reply.actor);
    arrow("M" + number(canvas_.lanes.server_text(carried_out.actor) - 6) + " " +
              number(y_sent + 7) + "H" + number(link) + "V" + number(y) + "H" + number(end),
          end, y, false, "reply");
  }

  const Canvas& canvas_;
  std::string out_;
};

}  // namespace

std::string draw_messages(const Canvas& canvas) { return Messages{canvas}.draw(); }

}  // namespace picklock::race

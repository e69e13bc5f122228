#include "fuzz/program/export.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "fuzz/report/markup.hpp"

namespace picklock::race {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::send:
      return "send";
    case Event::Kind::execute:
      return "execute";
    case Event::Kind::reply:
      return "reply";
    case Event::Kind::enter:
      return "enter";
    case Event::Kind::leave:
      return "leave";
    case Event::Kind::pause:
      return "pause";
    case Event::Kind::resume:
      return "resume";
    case Event::Kind::crash:
      return "crash";
    case Event::Kind::finish:
      return "finish";
    case Event::Kind::wait:
      return "wait";
    case Event::Kind::fault:
      return "fault";
    case Event::Kind::finding:
      return "finding";
    case Event::Kind::cut:
      return "cut";
  }
  return "";
}

std::int64_t microseconds(Instant instant, const Recorder& recorder) {
  return (instant - recorder.start).count();
}

bool has_until(const Event& event) {
  return event.kind == Event::Kind::pause || event.kind == Event::Kind::wait ||
         (event.kind == Event::Kind::fault && event.until > event.at);
}

Json keys_as_json(const Event& event, const Recorder& recorder) {
  Json keys = Json::array();
  for (const Event::Key& key : event.keys) {
    Json json{{"name", printable(key.name)}, {"present", key.present}};
    if (key.present) {
      json["owner"] = printable(key.owner);
      json["token"] = printable(key.token);
      json["until_us"] = key.until ? Json(microseconds(*key.until, recorder)) : Json();
    }
    keys.push_back(std::move(json));
  }
  return keys;
}

/// Perfetto wants time to go on within a thread: events of one instant are a nanosecond apart.
class TraceWriter {
 public:
  explicit TraceWriter(const Recorder& recorder) : recorder_(recorder) {}

  Json write() {
    name_lanes();
    for (std::size_t i = 0; i < recorder_.events.size(); ++i) add(recorder_.events[i], i);
    const double end = time(recorder_.events.empty() ? recorder_.start : recorder_.events.back().at,
                            recorder_.events.size());
    for (auto& [lane, open] : open_) close(lane, end, open.size());
    return Json{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events_)}};
  }

 private:
  double time(Instant at, std::size_t place) const {
    return static_cast<double>(microseconds(at, recorder_)) + static_cast<double>(place) / 1000;
  }
  std::size_t lane_of(const Event& event) const {
    return event.on_server ? event.actor + 1 : recorder_.servers.size() + event.actor + 1;
  }

  void name_lanes() {
    const auto name = [this](std::size_t lane, const std::string& text) {
      events_.push_back({{"ph", "M"},
                         {"pid", 1},
                         {"tid", lane},
                         {"name", "thread_name"},
                         {"args", {{"name", printable(text)}}}});
    };
    for (std::size_t i = 0; i < recorder_.servers.size(); ++i) name(i + 1, recorder_.servers[i]);
    for (std::size_t i = 0; i < recorder_.workers.size(); ++i)
      name(recorder_.servers.size() + i + 1, recorder_.workers[i]);
  }

  void put(const char* phase, std::size_t lane, double at, const std::string& name,
           Json more = {}) {
    Json event{{"ph", phase}, {"pid", 1}, {"tid", lane}, {"ts", at}, {"name", printable(name)}};
    for (auto& [key, value] : more.items()) event[key] = value;
    events_.push_back(std::move(event));
  }

  void begin(std::size_t lane, double at, const std::string& name) {
    put("B", lane, at, name);
    open_[lane].push_back(name);
  }
  /// Ends the last `count` slices of a lane.
  void close(std::size_t lane, double at, std::size_t count) {
    std::vector<std::string>& open = open_[lane];
    for (; count > 0 && !open.empty(); --count) {
      put("E", lane, at, open.back());
      open.pop_back();
    }
  }
  /// Ends the slice of this name with those that began within it, which begin anew.
  void end(std::size_t lane, double at, std::string_view prefix) {
    const std::vector<std::string>& open = open_[lane];
    std::size_t place = open.size();
    while (place > 0 && !open[place - 1].starts_with(prefix)) --place;
    if (place > 0) end_at(lane, at, place - 1);
  }
  void end_at(std::size_t lane, double at, std::size_t place) {
    const std::vector<std::string>& open = open_[lane];
    const std::vector<std::string> inner(open.begin() + static_cast<std::ptrdiff_t>(place + 1),
                                         open.end());
    close(lane, at, open.size() - place);
    for (const std::string& name : inner) begin(lane, at, name);
  }

  void leave(std::size_t lane, double at, const std::string& section) {
    const std::vector<std::string>& open = open_[lane];
    const std::size_t stay = find_stay(open, "inside " + section);
    if (stay < open.size()) end_at(lane, at, stay);
  }

  void flow(const char* phase, const Event& event, double at, std::size_t lane) {
    if (event.message == 0) return;
    Json more{{"cat", "message"}, {"id", event.message}};
    if (*phase == 'f') more["bp"] = "e";
    put(phase, lane, at, "message", std::move(more));
  }

  /// A short slice for a flow to hold on to.
  void point(std::size_t lane, double at, const std::string& name) {
    put("X", lane, at, name, {{"dur", 0.001}});
  }

  void add(const Event& event, std::size_t place) {
    const double at = time(event.at, place);
    const std::size_t lane = lane_of(event);
    holds(event, at);
    switch (event.kind) {
      case Event::Kind::send:
        point(lane, at, event.text);
        return flow("s", event, at, lane);
      case Event::Kind::execute:
        point(lane, at, event.text);
        return flow("t", event, at, lane);
      case Event::Kind::reply:
        point(lane, at, event.text);
        return flow("f", event, at, lane);
      case Event::Kind::enter:
        return begin(lane, at, "inside " + event.text);
      case Event::Kind::leave:
        return leave(lane, at, event.text);
      case Event::Kind::pause:
        return begin(lane, at, "paused");
      case Event::Kind::resume:
        return end(lane, at, "paused");
      case Event::Kind::crash:
      case Event::Kind::finish:
        close(lane, at, open_[lane].size());
        return put("i", lane, at, event.kind == Event::Kind::crash ? "crashes" : "is done",
                   {{"s", "t"}});
      case Event::Kind::fault:
        return put("i", lane, at, event.text, {{"s", "t"}});
      case Event::Kind::finding:
        return put("i", lane, at, event.text, {{"s", "g"}});
      case Event::Kind::wait:
      case Event::Kind::cut:
        return;
    }
  }

  /// The server's truth: a slice a hold, nested by key.
  void holds(const Event& event, double at) {
    for (const Event::Key& key : event.keys) {
      const std::size_t lane = event.keys_of + 1;
      const std::string prefix = key.name + " = ";
      const std::string name = prefix + key.token;
      std::string& shown = shown_[{event.keys_of, key.name}];
      if (key.present && shown == name) continue;
      if (!shown.empty()) end(lane, at, prefix);
      shown = key.present ? name : "";
      if (key.present) begin(lane, at, name);
    }
  }

  const Recorder& recorder_;
  Json events_ = Json::array();
  std::map<std::size_t, std::vector<std::string>> open_;
  std::map<std::pair<std::size_t, std::string>, std::string> shown_;
};

}  // namespace

Json events_as_json(const Recorder& recorder) {
  Json events = Json::array();
  for (const Event& event : recorder.events) {
    const std::vector<std::string>& names = event.on_server ? recorder.servers : recorder.workers;
    Json json{{"event", name_of(event.kind)}, {"at_us", microseconds(event.at, recorder)}};
    if (event.kind != Event::Kind::finding && event.actor < names.size())
      json[event.on_server ? "server" : "worker"] = printable(names[event.actor]);
    if (!event.text.empty()) json["text"] = printable(event.text);
    if (has_until(event)) json["until_us"] = microseconds(event.until, recorder);
    if (event.message != 0) json["message"] = event.message;
    if (!event.token.empty()) json["token"] = printable(event.token);
    if (!event.keys.empty()) json["keys"] = keys_as_json(event, recorder);
    events.push_back(std::move(json));
  }
  return events;
}

Json trace_as_json(const Recorder& recorder) { return TraceWriter{recorder}.write(); }

}  // namespace picklock::race

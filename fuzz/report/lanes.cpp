#include "fuzz/report/lanes.hpp"

#include <algorithm>

#include "emulator/base/numbers.hpp"
#include "fuzz/report/markup.hpp"

namespace picklock::race {
namespace {

bool is_fault(const Event& event) {
  return event.kind == Event::Kind::fault || event.kind == Event::Kind::pause ||
         event.kind == Event::Kind::crash;
}

}  // namespace

Lanes::Lanes(const Recorder& recorder) {
  int x = kTimeWidth;
  key_counts_.assign(recorder.servers.size(), 1);
  for (const Event& event : recorder.events) {
    if (!event.keys.empty())
      key_counts_[event.keys_of] = std::clamp<std::size_t>(event.keys.size(), 1, 4);
  }
  for (std::size_t i = 0; i < recorder.servers.size(); ++i) {
    servers_.push_back(x);
    x += static_cast<int>(key_counts_[i]) * kBarPitch + kServerText;
  }
  faults_ = x;
  if (std::any_of(recorder.events.begin(), recorder.events.end(), is_fault)) x += kFaultWidth;
  for (std::size_t i = 0; i < recorder.workers.size(); ++i) {
    links_.push_back(x);
    x += static_cast<int>(recorder.servers.size()) * kLinkWidth;
    workers_.push_back(x);
    x += kWorkerWidth;
  }
  width_ = x;
}

std::string number(std::int64_t value) { return to_text(value); }

std::string attribute(std::string_view name, std::int64_t value) {
  return attribute(name, number(value));
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string{name} + "=\"" + std::string{value} + "\"";
}

std::string svg_text(int x, int y, std::string_view text, std::size_t most,
                     std::string_view style) {
  const std::string shown = printable(text);
  const std::string cut = shorten(shown, most);
  std::string element = "<text" + attribute("x", x) + attribute("y", y);
  if (!style.empty()) element += attribute("class", style);
  element += ">" + markup(cut);
  if (cut != shown) element += "<title>" + markup(shown) + "</title>";
  return element + "</text>\n";
}

std::string svg_rectangle(int x, int y, int width, int height, std::string_view style) {
  return "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
         attribute("height", height) + attribute("class", style) + "/>\n";
}

}  // namespace picklock::race

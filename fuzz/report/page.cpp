#include "fuzz/report/page.hpp"

#include "fuzz/report/drawing.hpp"
#include "fuzz/report/lanes.hpp"
#include "fuzz/report/markup.hpp"
#include "fuzz/report/page_parts.hpp"
#include "fuzz/report/phrases.hpp"
#include "fuzz/report/states.hpp"

namespace picklock::race {
namespace {

std::string paragraph(std::string_view text, std::string_view style = "") {
  return "<p" + (style.empty() ? "" : attribute("class", style)) + ">" + markup(text) + "</p>\n";
}

template <class Range, class Show>
std::string json_list(const Range& range, const Show& show) {
  std::string list = "[";
  for (const auto& element : range) {
    if (list.size() > 1) list += ",";
    list += show(element);
  }
  return list + "]";
}

/// What the page's script needs to know of a run.
std::string run_data(const Recorder& recorder, const Drawing& drawing, const std::string& id) {
  const States states = tell_states(recorder);
  const auto change = [](const std::pair<std::size_t, std::string>& cell) {
    return "[" + number(static_cast<std::int64_t>(cell.first)) + "," + json_text(cell.second) + "]";
  };
  return "{\"id\":" + json_text(id) + ",\"head\":" + number(kHeadHeight) +
         ",\"height\":" + number(kRowHeight) + ",\"cells\":" + json_list(states.cells, json_text) +
         ",\"rows\":" +
         json_list(drawing.rows,
                   [](std::size_t row) { return number(static_cast<std::int64_t>(row)); }) +
         ",\"times\":" +
         json_list(
             recorder.events,
             [&](const Event& event) { return json_text(phrase_time(event.at, recorder.start)); }) +
         ",\"changes\":" +
         json_list(states.changes,
                   [&](const auto& changes) { return json_list(changes, change); }) +
         "}";
}

/// The drawing, and beside it the state that the slider shows.
std::string run_section(const Recorder& recorder, const Drawing& drawing, const std::string& id) {
  const auto last = static_cast<std::int64_t>(recorder.events.size()) - 1;
  return "<div class=\"run\"><div class=\"scroll\">" + drawing.svg +
         "</div><div class=\"state\"><b" + attribute("id", id + "n") + "></b>\n" +
         "<input type=\"range\" min=\"0\" aria-label=\"step\"" + attribute("id", id + "s") +
         attribute("max", last) + attribute("value", last) + "><table><tbody" +
         attribute("id", id + "b") + "></tbody></table></div></div>\n";
}

/// What the signs mean, and which colour is whose.
std::string legend(const std::vector<std::string>& tokens) {
  std::string text =
      "<p class=\"key dim\"><span>Time goes down. A bar at a server: the lock is held, and its ttl "
      "drains away. A bar at a worker: it believes to hold it.</span>"
      "<span><svg width=\"34\" height=\"12\"><path class=\"request\" d=\"M0 6H34\"/></svg> "
      "request</span><span><svg width=\"34\" height=\"12\"><path class=\"reply\" d=\"M0 6H34\"/>"
      "</svg> reply</span><span><svg width=\"14\" height=\"14\"><path class=\"cross\" "
      "d=\"M2 2l10 10m0 -10l-10 10\"/></svg> lost, or crashed</span><span><svg width=\"14\" "
      "height=\"14\"><path class=\"cross\" style=\"stroke:var(--warn)\" d=\"M0 14L14 0M0 7L7 "
      "0M7 14L14 7\"/></svg> paused</span>";
  for (std::size_t i = 0; i < tokens.size(); ++i)
    text += "<span><svg width=\"14\" height=\"14\"><rect width=\"14\" height=\"14\"" +
            attribute("class", "t" + number(static_cast<std::int64_t>(i % kColours))) +
            "/></svg> " + markup(tokens[i]) + "</span>";
  return text + "</p>\n";
}

std::string head(const Verdict& verdict) {
  const std::string_view style = verdict.verdict == Class::documented_limit ? "limit"
                                 : verdict.verdict == Class::holds          ? "holds"
                                                                            : "violation";
  const std::string title =
      verdict.scenario + ": " + std::string{to_string(verdict.verdict)} +
      (verdict.oracle == Oracle::none ? "" : " (" + std::string{to_string(verdict.oracle)} + ")");
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta name=\"viewport\" content=\"width=device-width\"><title>" +
         markup(title) + "</title>\n<style>" + std::string{kPageStyle} + "</style></head><body>\n" +
         "<h1" + attribute("class", style) + ">" + markup(title) + "</h1>\n" +
         paragraph(verdict.message) +
         (verdict.decides.empty() ? "" : paragraph("What decides: " + verdict.decides)) +
         paragraph(verdict.bound, "dim");
}

std::string replay_box(const Verdict& verdict) {
  if (verdict.replay_line.empty()) return "";
  const std::string_view line = verdict.replay_line;
  const std::size_t colon = line.find(": ");
  return "<div class=\"replay\"><button id=\"copy\">copy</button><code id=\"string\">" +
         markup(colon == std::string_view::npos ? line : line.substr(colon + 2)) +
         "</code></div>\n";
}

}  // namespace

std::string draw_page(const Verdict& verdict, const Story& story) {
  if (story.broken.events.empty()) return head(verdict) + "</body></html>\n";
  std::vector<const Recorder*> runs{&story.broken};
  if (story.holds) runs.push_back(&*story.holds);
  const std::vector<std::string> tokens = tokens_of(runs);
  const std::size_t same = story.holds ? common_events(story.broken, *story.holds) : 0;
  const Drawing broken = draw_run(story.broken, tokens, same, "a");
  std::string data = run_data(story.broken, broken, "a");
  std::string page = head(verdict) + replay_box(verdict) + legend(tokens) +
                     "<h2>The shortest schedule found that breaks it</h2>\n" +
                     run_section(story.broken, broken, "a");
  if (story.holds) {
    const Drawing holds = draw_run(*story.holds, tokens, same, "b");
    page += "<h2>The nearest schedule that holds</h2>\n" +
            paragraph("The same up to the dashed line.", "dim") +
            run_section(*story.holds, holds, "b");
    data += "," + run_data(*story.holds, holds, "b");
  }
  return page + "<script type=\"application/json\" id=\"runs\">[" + data + "]</script>\n<script>" +
         std::string{kPageScript} + "</script>\n</body></html>\n";
}

std::size_t common_events(const Recorder& a, const Recorder& b) {
  std::size_t same = 0;
  while (same < a.events.size() && same < b.events.size() && a.events[same] == b.events[same])
    ++same;
  return same;
}

}  // namespace picklock::race

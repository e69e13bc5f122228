#include "fuzz/report/timeline.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "fuzz/report/markup.hpp"
#include "fuzz/report/phrases.hpp"

namespace picklock::race {
namespace {

constexpr std::size_t kTimeColumns = 7;

bool starts_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

/// Columns of a UTF-8 text: everything that is drawn here is one column a code point.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

/// `text` in exactly `width` columns.
std::string fit(std::string_view text, std::size_t width) {
  const std::size_t size = columns(text);
  if (size <= width) return std::string{text} + std::string(width - size, ' ');
  if (width == 0) return "";
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    if (starts_code_point(text[end]) && seen++ == width - 1) break;
  }
  return std::string{text.substr(0, end)} + "…";
}

/// How a lane looks beside its text.
enum class Bar : std::uint8_t { idle, inside, paused, crashed, gone };

std::string_view glyph(Bar bar) {
  switch (bar) {
    case Bar::idle:
      return "│";
    case Bar::inside:
      return "█";
    case Bar::paused:
      return "▒";
    case Bar::crashed:
      return "×";
    case Bar::gone:
      break;
  }
  return " ";
}

/// One line of the drawing, before it is known how wide the lanes are.
struct Row {
  std::string time;
  std::vector<Bar> bars;
  std::size_t lane = 0;
  std::string text;
  bool across = false;  ///< The text goes over all lanes.
};

/// Turns the events of a run into rows.
class Rows {
 public:
  explicit Rows(const Recorder& recorder)
      : recorder_(recorder),
        bars_(recorder.workers.size() + recorder.servers.size(), Bar::idle),
        before_pause_(bars_),
        stays_(bars_.size()) {
    for (const Event& event : recorder.events) add(event);
  }
  std::vector<Row> take() { return std::move(rows_); }

 private:
  void add(const Event& event) {
    const std::size_t lane = event.on_server ? recorder_.workers.size() + event.actor : event.actor;
    switch (event.kind) {
      case Event::Kind::send:
        return row(event, lane, "→ " + event.text);
      case Event::Kind::execute:
        return execute(event, lane);
      case Event::Kind::reply:
        return row(event, lane, "← " + event.text);
      case Event::Kind::enter:
        bars_[lane] = Bar::inside;
        ++stays_[lane];
        return row(event, lane, "enters " + event.text);
      case Event::Kind::leave:
        row(event, lane, "leaves " + event.text);
        if (stays_[lane] > 0 && --stays_[lane] > 0) return;
        bars_[lane] = Bar::idle;
        return;
      case Event::Kind::pause:
        before_pause_[lane] = std::exchange(bars_[lane], Bar::paused);
        return row(event, lane, "is paused until " + time(event.until));
      case Event::Kind::resume:
        bars_[lane] = before_pause_[lane];
        return row(event, lane, "goes on");
      case Event::Kind::crash:
        return end(event, lane, Bar::crashed, "crashes");
      case Event::Kind::finish:
        return end(event, lane, bars_[lane], "is done");
      case Event::Kind::wait:
        return row(event, lane, "waits until " + time(event.until));
      case Event::Kind::fault:
        return row(
            event, lane,
            "⚡ " + event.text + (event.until > event.at ? " until " + time(event.until) : ""));
      case Event::Kind::finding:
        return finding(event);
      case Event::Kind::cut:
        return;  // The fault that broke the connection has its line.
    }
  }

  /// What a server did, and on a line of its own what became of the lock.
  void execute(const Event& event, std::size_t lane) {
    row(event, lane, event.text);
    if (!event.more.empty()) row(event, lane, "  " + event.more);
  }

  void end(const Event& event, std::size_t lane, Bar bar, std::string_view text) {
    bars_[lane] = bar;
    row(event, lane, text);
    bars_[lane] = Bar::gone;
  }

  /// Over as many lines as it takes, broken between words.
  void finding(const Event& event) {
    constexpr std::size_t kWidth = kTimelineColumns - kTimeColumns - 2;
    std::string_view rest = event.text;
    std::string mark = "✗ ";
    while (!rest.empty()) {
      std::size_t end = rest.size() <= kWidth ? rest.size() : rest.rfind(' ', kWidth);
      const bool breaks_word = end == std::string_view::npos || end == 0;
      if (breaks_word) end = kWidth;
      while (breaks_word && end > 1 && !starts_code_point(rest[end])) --end;
      row(event, 0, mark + std::string{rest.substr(0, end)});
      rows_.back().across = true;
      rest.remove_prefix(std::min(rest.size(), breaks_word ? end : end + 1));
      mark = "  ";
    }
  }

  void row(const Event& event, std::size_t lane, std::string_view text) {
    const std::string now = time(event.at);
    rows_.push_back({now == last_ ? "" : now, bars_, lane, printable(text)});
    last_ = now;
  }

  std::string time(Instant instant) const { return phrase_time(instant, recorder_.start); }

  const Recorder& recorder_;
  std::vector<Bar> bars_;
  std::vector<Bar> before_pause_;
  std::vector<std::size_t> stays_;  ///< In how many sections each is.
  std::vector<Row> rows_;
  std::string last_;
};

/// Keeps the beginning and the end of a long run.
void leave_out_the_middle(std::vector<Row>& rows) {
  constexpr std::size_t kRoom = kTimelineLines - 1;  // For the names.
  if (rows.size() <= kRoom) return;
  const std::size_t left_out = rows.size() - kRoom + 1;
  const auto from = rows.begin() + kRoom / 3;
  Row gap = *from;
  gap.time.clear();
  gap.text = "… " + to_text(static_cast<std::int64_t>(left_out)) + " lines left out …";
  gap.across = true;
  rows.insert(rows.erase(from, from + static_cast<std::ptrdiff_t>(left_out)), std::move(gap));
}

/// As wide as the texts want, and where that is too much, the widest give way first.
std::vector<std::size_t> lane_widths(const std::vector<std::string>& names,
                                     const std::vector<Row>& rows) {
  constexpr std::size_t kFrame = 3;  // The bar and a space on both sides.
  std::vector<std::size_t> widths;
  std::size_t total = 0;
  for (const std::string& name : names) widths.push_back(columns(name) + kFrame);
  for (const Row& row : rows) {
    if (!row.across) widths[row.lane] = std::max(widths[row.lane], columns(row.text) + kFrame);
  }
  for (const std::size_t width : widths) total += width;
  while (total > kTimelineColumns - kTimeColumns) {
    std::size_t& widest = *std::max_element(widths.begin(), widths.end());
    if (widest == kFrame) break;  // So many that they do not fit in whatever way.
    --widest;
    --total;
  }
  return widths;
}

/// Where there are many lanes, those in which nothing happens are left out.
void leave_out_silent_lanes(std::vector<std::string>& names, std::vector<Row>& rows) {
  constexpr std::size_t kFew = 4;
  if (names.size() <= kFew) return;
  for (std::size_t lane = names.size(); lane-- > 0;) {
    const auto shows = [lane](const Row& row) { return !row.across && row.lane == lane; };
    if (std::any_of(rows.begin(), rows.end(), shows)) continue;
    const auto at = static_cast<std::ptrdiff_t>(lane);
    names.erase(names.begin() + at);
    for (Row& row : rows) {
      row.bars.erase(row.bars.begin() + at);
      if (row.lane > lane) --row.lane;
    }
  }
}

std::string draw(const std::vector<std::string>& names, const std::vector<Row>& rows) {
  const std::vector<std::size_t> widths = lane_widths(names, rows);
  std::string text;
  const auto finish = [&text](std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  std::string head = "    ms ";
  for (std::size_t i = 0; i < names.size(); ++i) head += fit(names[i], widths[i]);
  finish(std::move(head));
  for (const Row& row : rows) {
    const std::size_t size = std::min(columns(row.time), kTimeColumns - 1);
    std::string line = std::string(kTimeColumns - 1 - size, ' ') + fit(row.time, size) + " ";
    for (std::size_t i = 0; i < names.size() && !row.across; ++i) {
      line += glyph(row.bars[i]);
      line += ' ';
      line += fit(i == row.lane ? row.text : "", widths[i] - 3);
      line += ' ';
    }
    finish(row.across ? line + row.text : std::move(line));
  }
  return text;
}

}  // namespace

std::string draw_timeline(const Recorder& recorder) {
  std::vector<std::string> names = recorder.workers;
  names.insert(names.end(), recorder.servers.begin(), recorder.servers.end());
  for (std::string& name : names) name = printable(name);
  std::vector<Row> rows = Rows{recorder}.take();
  leave_out_silent_lanes(names, rows);
  leave_out_the_middle(rows);
  return draw(names, rows);
}

}  // namespace picklock::race

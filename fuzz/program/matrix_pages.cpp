#include "fuzz/program/matrix_pages.hpp"

#include "fuzz/report/markup.hpp"

namespace picklock::race {
namespace {

constexpr std::size_t kLineWidth = 100;

bool is_broken(const Cell& cell) { return cell.applies && cell.verdict.verdict != Class::holds; }

std::string count_of(const Cell& cell) {
  return std::to_string(cell.is_proved() ? cell.verdict.states : cell.verdict.schedules);
}

/// "mutual exclusion: alice was paused ..."
std::string why(const Cell& cell) {
  return std::string{to_string(cell.verdict.oracle)} + ": " + printable(cell.verdict.message);
}

std::string replay_of(const Cell& cell) { return "picklock-fuzz replay " + cell.verdict.replay; }

/// "  holds, every state: none (237), crash (1133)" in lines that are not too long.
std::string list_holding(std::span<const Cell> row, bool proved) {
  std::string text;
  std::string line;
  for (const Cell& cell : row) {
    if (!cell.applies || is_broken(cell) || cell.is_proved() != proved) continue;
    const std::string word = std::string{cell.condition->name} + " (" + count_of(cell) + ")";
    if (line.size() + word.size() + 2 > kLineWidth) {
      text += line + ",\n";
      line.clear();
    }
    if (line.empty())
      line = (text.empty() ? proved ? "  holds, all states:  " : "  holds, schedules:   "
                           : std::string(22, ' ')) +
             word;
    else
      line += ", " + word;
  }
  return line.empty() ? "" : text + line + "\n";
}

/// A broken cell's number leads to its note.
struct Notes {
  std::vector<const Cell*> cells;
  std::size_t add(const Cell& cell) {
    cells.push_back(&cell);
    return cells.size();
  }
};

std::string short_word(const Cell& cell) {
  switch (cell.verdict.verdict) {
    case Class::documented_limit:
      return "limit";
    case Class::violation:
      return "broken";
    case Class::unusable:
      return "unusable";
    case Class::holds:
      break;
  }
  return (cell.is_proved() ? "all " : "") + count_of(cell);
}

std::string markdown_cell(const Cell& cell, Notes& notes) {
  if (!cell.applies) return "";
  if (!is_broken(cell)) return short_word(cell);
  const std::string note = " [" + std::to_string(notes.add(cell)) + "]";
  return cell.verdict.verdict == Class::violation ? "**" + short_word(cell) + "**" + note
                                                  : short_word(cell) + note;
}

/// As Markdown, where these would mean something.
std::string plain(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    if (std::string_view{"\\`*_[]<>|"}.find(byte) != std::string_view::npos) out += '\\';
    out += byte;
  }
  return out;
}

std::string legend(const Matrix& matrix) {
  return "Two workers, or three where it takes three, take turns at each lock once, under one kind "
         "of fault at a time. A number says that the lock holds: with \"all\", over so many "
         "states, "
         "which are all that there are; without, in so many schedules (seed " +
         std::to_string(matrix.bounds.seed) + "). A limit is what no lock of its kind survives.";
}

std::string html_cell(const Cell& cell, Notes& notes) {
  if (!cell.applies) return "<td class=\"none\"></td>";
  if (!is_broken(cell))
    return std::string{"<td class=\"holds"} + (cell.is_proved() ? " all" : "") + "\">" +
           short_word(cell) + "</td>";
  const std::string number = std::to_string(notes.add(cell));
  return "<td class=\"" + short_word(cell) + "\" title=\"" + markup(why(cell)) + "\"><a href=\"#n" +
         number + "\">" + short_word(cell) + "</a></td>";
}

constexpr std::string_view kStyle =
    "body{font:14px/1.4 system-ui,sans-serif;margin:2em;color:#222}"
    "table{border-collapse:collapse;font-size:12px}"
    "th,td{border:1px solid #ccc;padding:3px 6px;text-align:right;white-space:nowrap}"
    "th{text-align:left;background:#f4f4f4}thead th{writing-mode:vertical-rl}"
    ".holds{background:#e9f7ec}.all{background:#cdeed5}.limit{background:#fff3cd}"
    ".broken{background:#f8d0d0}.unusable{background:#ddd}"
    "code{font-size:12px;overflow-wrap:anywhere}li{margin:.5em 0}";

}  // namespace

std::string matrix_text(std::span<const Cell> row) {
  const GalleryLock& lock = *row.front().lock;
  std::string text = std::string{lock.name} + "\n";
  text += list_holding(row, true) + list_holding(row, false);
  for (const Cell& cell : row) {
    if (!is_broken(cell)) continue;
    text += "  " + std::string{cell.condition->name} + ": " +
            std::string{to_string(cell.verdict.verdict)} + " (" + why(cell) + ")\n      " +
            replay_of(cell) + "\n";
  }
  return text;
}

std::string matrix_summary(const Matrix& matrix) {
  std::size_t proved = 0;
  std::size_t holding = 0;
  std::size_t limits = 0;
  std::size_t broken = 0;
  std::size_t unusable = 0;
  std::uint64_t repeated = 0;
  for (const std::vector<Cell>& row : matrix.rows) {
    for (const Cell& cell : row) {
      if (!cell.applies) continue;
      const Class verdict = cell.verdict.verdict;
      proved += verdict == Class::holds && cell.is_proved() ? 1 : 0;
      holding += verdict == Class::holds && !cell.is_proved() ? 1 : 0;
      limits += verdict == Class::documented_limit ? 1 : 0;
      broken += verdict == Class::violation ? 1 : 0;
      unusable += verdict == Class::unusable ? 1 : 0;
      repeated += cell.verdict.repeated;
    }
  }
  return std::to_string(matrix.rows.size()) + " locks; cells: " + std::to_string(proved) +
         " hold in every state, " + std::to_string(holding) + " hold in " +
         std::to_string(matrix.bounds.schedules) + " schedules, " + std::to_string(limits) +
         " documented limits, " + std::to_string(broken) + " broken, " + std::to_string(unusable) +
         " unusable" +
         (matrix.bounds.twice
              ? "; " + std::to_string(repeated) + " schedules run twice, without a difference\n"
              : "\n");
}

std::string matrix_markdown(const Matrix& matrix) {
  std::string text = "# Verdicts\n\n" + legend(matrix) + "\n\n";
  for (const Condition* column : matrix.columns)
    text += "- `" + std::string{column->name} + "`: " + std::string{column->meaning} + ".\n";
  text += "\n| lock |";
  std::string rule = "\n|---|";
  for (const Condition* column : matrix.columns) {
    text += " " + std::string{column->name} + " |";
    rule += "---|";
  }
  text += rule + "\n";
  Notes notes;
  for (const std::vector<Cell>& row : matrix.rows) {
    text += "| `" + std::string{row.front().lock->name} + "` |";
    for (const Cell& cell : row) text += " " + markdown_cell(cell, notes) + " |";
    text += "\n";
  }
  text += "\n" + matrix_summary(matrix) + "\n## What breaks them\n\n";
  for (std::size_t i = 0; i < notes.cells.size(); ++i) {
    const Cell& cell = *notes.cells[i];
    text += std::to_string(i + 1) + ". `" + std::string{cell.lock->name} + "`, " +
            std::string{cell.condition->name} + ": " + plain(why(cell)) + ".  \n   `" +
            replay_of(cell) + "`\n";
  }
  return text;
}

std::string matrix_html(const Matrix& matrix) {
  std::string text =
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>picklock: "
      "verdicts</title>\n<style>" +
      std::string{kStyle} + "</style>\n<h1>Verdicts</h1>\n<p>" + markup(legend(matrix)) +
      "</p>\n<table>\n<thead><tr><th>lock</th>";
  for (const Condition* column : matrix.columns)
    text += "<th title=\"" + markup(column->meaning) + "\">" + markup(column->name) + "</th>";
  text += "</tr></thead>\n";
  Notes notes;
  for (const std::vector<Cell>& row : matrix.rows) {
    const GalleryLock& lock = *row.front().lock;
    text += "<tr><th title=\"" + markup(lock.summary) + "\">" + markup(lock.name) + "</th>";
    for (const Cell& cell : row) text += html_cell(cell, notes);
    text += "</tr>\n";
  }
  text +=
      "</table>\n<p>" + markup(matrix_summary(matrix)) + "</p>\n<h2>What breaks them</h2>\n<ol>\n";
  for (std::size_t i = 0; i < notes.cells.size(); ++i) {
    const Cell& cell = *notes.cells[i];
    text += "<li id=\"n" + std::to_string(i + 1) + "\"><b>" + markup(cell.lock->name) + "</b>, " +
            markup(cell.condition->name) + ": " + markup(why(cell)) + "<br><code>" +
            markup(replay_of(cell)) + "</code></li>\n";
  }
  return text + "</ol>\n</html>\n";
}

}  // namespace picklock::race

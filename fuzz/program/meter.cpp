#include "fuzz/program/meter.hpp"

#include <algorithm>
#include <ostream>

#include "emulator/base/numbers.hpp"

namespace picklock::race {
namespace {

std::string whole(double value) { return to_text(static_cast<std::int64_t>(value)); }

/// Four decimals, whatever the locale.
std::string fraction(double value) {
  std::string digits = whole(value * 10'000 + 0.5);
  if (digits.size() < 5) digits.insert(0, 5 - digits.size(), '0');
  return digits.insert(digits.size() - 4, ".");
}

std::string span(double seconds) {
  if (seconds < 120) return whole(seconds) + " s";
  if (seconds < 7200) return whole(seconds / 60) + " min";
  return whole(seconds / 3600) + " h";
}

/// What part is done, as far as that is known. Of an exhaustive search the smaller bound counts.
double part_done(const Progress& progress) {
  const double run =
      static_cast<double>(progress.schedules_done) / static_cast<double>(progress.schedules);
  return progress.states > 0 ? std::max(run, progress.done) : run;
}

}  // namespace

std::string describe(const Progress& progress, const Progress& since,
                     std::chrono::duration<double> elapsed) {
  const double seconds = elapsed.count();
  const auto done = static_cast<double>(progress.schedules_done);
  std::string text = progress.title.empty() ? "" : progress.title + ": ";
  text += whole(done) + " of " + whole(static_cast<double>(progress.schedules)) + " schedules, " +
          whole(done / seconds) + " a second, ";
  if (progress.states > 0) {
    text += whole(static_cast<double>(progress.states)) + " states";
  } else {
    text += whole(static_cast<double>(progress.coverage)) + " edges (" +
            whole(static_cast<double>(progress.coverage - since.coverage)) + " new), unseen " +
            fraction(static_cast<double>(progress.singletons) / done);
  }
  const double part = part_done(progress);
  if (part > 0) text += ", " + span(seconds * (1 - part) / part) + " left";
  return text;
}

Meter::Meter(std::ostream& out, bool rewrites)
    : out_(out), rewrites_(rewrites), start_(std::chrono::steady_clock::now()), shown_(start_) {}

void Meter::show(const Progress& progress) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (progress.over) {
    start_ = now;  // Of the next search, if one follows.
    last_ = {};
    return clear();
  }
  if (now - shown_ < (rewrites_ ? 200ms : 1000ms)) return;
  shown_ = now;
  const std::string text = describe(progress, last_, now - start_);
  last_ = progress;
  if (rewrites_)
    out_ << "\r\x1b[K" << text << std::flush;
  else
    out_ << text << "\n" << std::flush;
  dirty_ = rewrites_;
}

void Meter::clear() {
  if (dirty_) out_ << "\r\x1b[K" << std::flush;
  dirty_ = false;
}

}  // namespace picklock::race

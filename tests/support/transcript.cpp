#include "tests/support/transcript.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

constexpr std::string_view kResp3 = "[resp3]";
constexpr std::string_view kResp2Only = "@resp2-only";
constexpr std::string_view kOptions = "@options ";

// The length of a client's name that `mark` follows at once, or npos: "alice>" with mark '>'
// gives 5.
std::size_t name_before(std::string_view line, char mark) {
  const auto end = std::ranges::find_if_not(
      line, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
  const auto length = static_cast<std::size_t>(end - line.begin());
  return length < line.size() && line[length] == mark ? length : std::string_view::npos;
}

[[noreturn]] void refuse(const std::string& path, int line, std::string_view reason) {
  throw std::runtime_error(path + ":" + std::to_string(line) + ": " + std::string{reason});
}

std::chrono::milliseconds parse_duration(std::string_view text) {
  int count = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit{end, static_cast<std::size_t>(text.data() + text.size() - end)};
  if (error != std::errc{} || unit != "ms") return std::chrono::milliseconds{-1};
  return std::chrono::milliseconds{count};
}

// Reads one line after another; holds where the reply lines of the last step go.
class Parser {
 public:
  explicit Parser(std::string path) { transcript_.path = std::move(path); }

  void line(std::string_view line) {
    ++number_;
    if (line.empty() || line[0] == '#' || line[0] == '@') {
      open(Step::Kind::text, line);
      replies_ = nullptr;
      if (line == kResp2Only) transcript_.resp3 = false;
      if (line.starts_with(kOptions)) transcript_.options = options(line.substr(kOptions.size()));
    } else if (line.starts_with("~ ")) {
      wait(line);
    } else if (line[0] == '|') {
      script_line(line);
    } else if (line == kResp3) {
      if (replies_ == nullptr) refuse(transcript_.path, number_, "[resp3] without a command");
      replies_ = &transcript_.steps.back().expected3.emplace();
    } else if (const auto end = name_before(line, '>');
               end != std::string_view::npos && line.substr(end + 1).starts_with(' ')) {
      command(line, end);
    } else if (const auto last = name_before(line, '<');
               last != std::string_view::npos && last + 1 == line.size()) {
      open(Step::Kind::read, line).client = line.substr(0, last);
      replies_ = &transcript_.steps.back().expected;
    } else {
      if (replies_ == nullptr) refuse(transcript_.path, number_, "a reply without a command");
      replies_->emplace_back(line);
    }
  }

  Transcript take() { return std::move(transcript_); }

 private:
  std::vector<std::string> options(std::string_view text) const {
    auto words = split_words(std::string{text});
    if (!words || words->size() % 2 != 0)
      refuse(transcript_.path, number_, "expected '@options name value ...'");
    return *std::move(words);
  }

  Step& open(Step::Kind kind, std::string_view source) {
    Step& step = transcript_.steps.emplace_back();
    step.kind = kind;
    step.line = number_;
    step.source = source;
    return step;
  }

  void wait(std::string_view line) {
    Step& step = open(Step::Kind::wait, line);
    step.duration = parse_duration(line.substr(2));
    replies_ = nullptr;
    if (step.duration.count() < 0) refuse(transcript_.path, number_, "expected '~ Nms'");
  }

  void command(std::string_view line, std::size_t name_length) {
    const std::string_view name = line.substr(0, name_length);
    Step& step = open(name.starts_with("raw") ? Step::Kind::raw : Step::Kind::command, line);
    step.client = name;
    step.words = line.substr(name_length + 2);
    replies_ = &step.expected;
  }

  void script_line(std::string_view line) {
    if (replies_ == nullptr) refuse(transcript_.path, number_, "a script line without a command");
    const bool blank_follows = line.size() > 1 && line[1] == ' ';
    transcript_.steps.back().script.emplace_back(line.substr(blank_follows ? 2 : 1));
  }

  Transcript transcript_;
  int number_ = 0;
  std::vector<std::string>* replies_ = nullptr;
};

}  // namespace

bool Transcript::lets_time_pass() const {
  return std::ranges::any_of(steps, [](const Step& step) { return step.kind == Step::Kind::wait; });
}

bool looks_like_markup(std::string_view line) {
  return line.empty() || line[0] == '#' || line[0] == '@' || line[0] == '|' || line[0] == '[' ||
         line.starts_with("~ ") || line.find('\n') != std::string_view::npos ||
         name_before(line, '>') != std::string_view::npos ||
         name_before(line, '<') != std::string_view::npos;
}

Transcript parse_transcript(std::string_view text, std::string path) {
  Parser parser{std::move(path)};
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    parser.line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parser.take();
}

Transcript read_transcript(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return parse_transcript(text.str(), path);
}

std::string print_transcript(const Transcript& transcript) {
  std::string text;
  const auto add = [&text](std::string_view mark, std::string_view line) {
    text.append(mark).append(line) += '\n';
  };
  for (const Step& step : transcript.steps) {
    add("", step.source);
    for (const auto& line : step.script) add(line.empty() ? "|" : "| ", line);
    for (const auto& line : step.expected) add("", line);
    if (!step.expected3) continue;
    add("", kResp3);
    for (const auto& line : *step.expected3) add("", line);
  }
  return text;
}

}  // namespace picklock::test

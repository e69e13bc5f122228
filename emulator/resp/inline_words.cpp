#include "emulator/resp/inline_words.hpp"

namespace picklock {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Redis ends an unquoted word at fewer bytes than it skips between words.
bool ends_word(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char unescape(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'b':
      return '\b';
    case 'a':
      return '\a';
    default:
      return c;
  }
}

/// Reads one line from left to right; each function leaves `at_` behind what it took.
class Splitter {
 public:
  Splitter(std::string_view line, std::string& text) : line_(line), text_(text) {}

  bool skip_spaces() {
    while (at_ < line_.size() && is_space(line_[at_])) ++at_;
    return at_ < line_.size();
  }

  bool word() {
    while (at_ < line_.size() && !ends_word(line_[at_])) {
      const char c = line_[at_++];
      if (c == '"') return quoted() && at_word_end();
      if (c == '\'') return single_quoted() && at_word_end();
      text_ += c;
    }
    return true;
  }

 private:
  bool at_word_end() const { return at_ == line_.size() || is_space(line_[at_]); }

  bool quoted() {
    while (at_ < line_.size()) {
      const char c = line_[at_++];
      if (c == '"') return true;
      if (c == '\\' && at_ < line_.size()) {
        escape();
      } else {
        text_ += c;
      }
    }
    return false;
  }

  void escape() {
    if (line_[at_] == 'x' && at_ + 2 < line_.size()) {
      const int high = hex_digit(line_[at_ + 1]);
      const int low = hex_digit(line_[at_ + 2]);
      if (high >= 0 && low >= 0) {
        text_ += static_cast<char>(high * 16 + low);
        at_ += 3;
        return;
      }
    }
    text_ += unescape(line_[at_++]);
  }

  bool single_quoted() {
    while (at_ < line_.size()) {
      const char c = line_[at_++];
      if (c == '\'') return true;
      if (c == '\\' && at_ < line_.size() && line_[at_] == '\'') {
        text_ += line_[at_++];
      } else {
        text_ += c;
      }
    }
    return false;
  }

  std::string_view line_;
  std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

bool split_inline_words(std::string_view line, std::string& text, std::vector<std::size_t>& ends) {
  Splitter splitter{line, text};
  while (splitter.skip_spaces()) {
    if (!splitter.word()) return false;
    ends.push_back(text.size());
  }
  return true;
}

}  // namespace picklock

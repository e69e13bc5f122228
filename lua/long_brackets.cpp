#include "lua/long_brackets.hpp"

#include <algorithm>
#include <cstring>

namespace picklock::lua {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

/// Walks over code as Lua's lexer does, and tells of what it passes. Owns nothing, since what it
/// tells may raise.
template <class Emit>
class Walk {
 public:
  Walk(std::string_view text, Emit& emit) : text_(text), emit_(emit) {}

  void run() {
    while (at_ < text_.size()) step();
    emit_.piece(text_.substr(written_));
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '-' && peek(1) == '-') {
      at_ += 2;
      if (at_ < text_.size() && text_[at_] == '[' && level_of(at_) != kNone)
        bracket();
      else
        at_ = std::min(text_.find_first_of("\n\r", at_), text_.size());
    } else if (c == '"' || c == '\'') {
      quoted(c);
    } else if (c == '[' && level_of(at_) != kNone) {
      bracket();
    } else {
      ++at_;
    }
  }

  char peek(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void quoted(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_)
      if (text_[at_] == '\\') ++at_;
    ++at_;
  }

  /// How many '=' the bracket at `at` has; kNone if it is none.
  std::size_t level_of(std::size_t at) const {
    const std::size_t end = text_.find_first_not_of('=', at + 1);
    return end != kNone && text_[end] == '[' ? end - at - 1 : kNone;
  }

  /// Where a closing bracket of `level` stands in `text` from `at` on.
  static std::size_t find_end(std::string_view text, std::size_t level, std::size_t at) {
    for (; (at = text.find(']', at)) != kNone; ++at) {
      const std::size_t end = text.find_first_not_of('=', at + 1);
      if (end != kNone && text[end] == ']' && end - at - 1 == level) return at;
    }
    return kNone;
  }

  void bracket() {
    const std::size_t level = level_of(at_);
    const std::size_t inside = at_ + level + 2;
    const std::size_t end = std::min(find_end(text_, level, inside), text_.size());
    const std::string_view content = text_.substr(inside, end - inside);
    const std::size_t after = std::min(end + level + 2, text_.size());
    if (level == 0 && content.find("[[") != kNone) {
      // The content, and the first letter of what closes it, must not close it before.
      std::size_t longer = 1;
      while (find_end(text_.substr(inside, end + 1 - inside), longer, 0) != kNone) ++longer;
      emit_.piece(text_.substr(written_, at_ - written_));
      emit_.bracket('[', longer);
      emit_.piece(content);
      if (end < text_.size()) emit_.bracket(']', longer);
      written_ = after;
    }
    at_ = after;
  }

  std::string_view text_;
  Emit& emit_;
  std::size_t at_ = 0;
  std::size_t written_ = 0;  // What comes before has been told.
};

struct Count {
  std::size_t size = 0;
  bool nested = false;
  void piece(std::string_view text) { size += text.size(); }
  void bracket(char, std::size_t level) {
    size += level + 2;
    nested = true;
  }
};

struct Write {
  char* to;
  void piece(std::string_view text) {
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    to += text.size();
  }
  void bracket(char letter, std::size_t level) {
    *to++ = letter;
    std::memset(to, '=', level);
    to += level;
    *to++ = letter;
  }
};

}  // namespace

bool push_without_nesting(lua_State* L, std::string_view text) {
  const std::size_t first = text.find("[[");
  if (first == kNone || text.find("[[", first + 2) == kNone) return false;
  Count count;
  Walk{text, count}.run();
  if (!count.nested) return false;
  auto* buffer = static_cast<char*>(lua_newuserdata(L, count.size));
  Write write{buffer};
  Walk{text, write}.run();
  lua_pushlstring(L, buffer, count.size);
  lua_remove(L, -2);
  return true;
}

bool refuses_nesting(std::string_view message) {
  return message.find("nesting of [[...]] is deprecated") != kNone;
}

}  // namespace picklock::lua

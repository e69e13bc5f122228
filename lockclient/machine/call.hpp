// One request as a lock protocol words it: a script with keys and arguments, or a plain command.
//
// A value without I/O. How a script travels (EVALSHA, or EVAL where the server does not know it
// yet) is the Core's business.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace picklock::lock {

/// A script and the digest by which servers know it. Immutable; shared by the calls that carry it.
struct ScriptText {
  std::string source;
  std::string sha;

  explicit ScriptText(std::string text);
};
using ScriptRef = std::shared_ptr<const ScriptText>;

/// The embedded script called `name`; throws std::logic_error if there is none.
ScriptRef embedded_script(std::string_view name);

/// Texts one behind the other in one piece of memory.
class Words {
 public:
  Words() = default;
  Words(std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) add(word);
  }

  /// For `words` more of `bytes` in all.
  void reserve(std::size_t words, std::size_t bytes) {
    if (size_ + words > kFew) more_ends_.reserve(size_ + words - kFew);
    text_.reserve(text_.size() + bytes);
  }
  void add(std::string_view word) {
    text_.append(word);
    end_word();
  }
  /// One word of two parts.
  void add(std::string_view first, std::string_view rest) {
    text_.append(first);
    add(rest);
  }

  std::size_t size() const { return size_; }
  /// A view of this object.
  std::string_view operator[](std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : end(index - 1);
    return std::string_view{text_}.substr(begin, end(index) - begin);
  }
  std::string_view back() const { return (*this)[size() - 1]; }

 private:
  static constexpr std::size_t kFew = 8;
  void end_word() {
    if (size_ < kFew)
      ends_[size_] = text_.size();
    else
      more_ends_.push_back(text_.size());
    ++size_;
  }
  std::size_t end(std::size_t index) const {
    return index < kFew ? ends_[index] : more_ends_[index - kFew];
  }

  std::string text_;
  std::size_t size_ = 0;
  std::array<std::size_t, kFew> ends_{};  ///< Of the first ones: most requests have no more.
  std::vector<std::size_t> more_ends_;
};

struct Call {
  ScriptRef script;      ///< Null: `words` is a whole command.
  std::size_t keys = 0;  ///< With a script: how many of `words` are keys.
  Words words;           ///< Keys, then arguments.

  static Call command(Words words) { return {nullptr, 0, std::move(words)}; }
};
/// Shared by the request on its way and by what remembers it, to send it once more.
using CallRef = std::shared_ptr<const Call>;

}  // namespace picklock::lock

// One request as a lock protocol words it: a script with keys and arguments, or a plain command.
//
// A value without I/O. How a script travels (EVALSHA, or EVAL where the server does not know it
// yet) is the Core's business.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
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

/// The text of a number.
class Digits {
 public:
  Digits() = default;
  explicit Digits(std::int64_t number)
      : size_(static_cast<std::size_t>(
            std::to_chars(digits_.data(), digits_.data() + digits_.size(), number).ptr -
            digits_.data())) {}
  /// A view of this object.
  std::string_view text() const { return {digits_.data(), size_}; }

 private:
  std::array<char, 20> digits_;
  std::size_t size_ = 0;
};

/// A count whose digits are at hand: there are so many that as texts they compare as numbers do.
class Ordinal {
 public:
  static constexpr std::int64_t kEnd = 1'000'000'000'000'000;  ///< The first that is too large.

  Ordinal() { digits_.fill('0'); }
  /// From 0 to below kEnd.
  explicit Ordinal(std::int64_t value) : Ordinal() {
    value_ = value;
    for (std::size_t i = digits_.size(); i-- > 0; value /= 10)
      digits_[i] = static_cast<char>('0' + value % 10);
  }
  void operator++() {
    ++value_;
    std::size_t i = digits_.size() - 1;
    for (; digits_[i] == '9' && i > 0; --i) digits_[i] = '0';
    ++digits_[i];
  }
  std::int64_t value() const { return value_; }
  /// A view of this object.
  std::string_view digits() const { return {digits_.data(), digits_.size()}; }

 private:
  std::int64_t value_ = 0;
  std::array<char, 15> digits_;
};

/// Texts one behind the other: those of most requests take no memory of their own. What was moved
/// from may only be assigned to.
class Words {
 public:
  Words() = default;
  Words(std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) add(word);
  }

  void add(std::string_view word) { add(word, {}); }
  /// One word of two parts.
  void add(std::string_view first, std::string_view rest) {
    char* const place = lengthen(first.size() + rest.size());
    std::copy(rest.begin(), rest.end(), std::copy(first.begin(), first.end(), place));
    if (size_ < kFew)
      ends_[size_] = bytes_;
    else
      more_ends_.push_back(bytes_);
    ++size_;
  }

  std::size_t size() const { return size_; }
  /// A view of this object.
  std::string_view operator[](std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : end(index - 1);
    return {text() + begin, end(index) - begin};
  }
  std::string_view back() const { return (*this)[size() - 1]; }
  void append_to(std::vector<std::string_view>& words) const {
    const char* word = text();
    for (std::size_t i = 0; i < size_; ++i) {
      const char* const after = text() + end(i);
      words.emplace_back(word, static_cast<std::size_t>(after - word));
      word = after;
    }
  }

 private:
  static constexpr std::size_t kFew = 8;
  static constexpr std::size_t kFewBytes = 216;

  /// Where the text goes on.
  char* lengthen(std::size_t bytes) {
    const std::size_t before = bytes_;
    bytes_ += bytes;
    if (bytes_ <= kFewBytes) return few_bytes_.data() + before;
    if (before <= kFewBytes) more_bytes_.assign(few_bytes_.data(), before);
    more_bytes_.resize(bytes_);
    return more_bytes_.data() + before;
  }
  const char* text() const { return bytes_ <= kFewBytes ? few_bytes_.data() : more_bytes_.data(); }
  std::size_t end(std::size_t index) const {
    return index < kFew ? ends_[index] : more_ends_[index - kFew];
  }

  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
  std::array<std::size_t, kFew> ends_{};
  std::vector<std::size_t> more_ends_;       ///< Of those behind the first ones.
  std::array<char, kFewBytes> few_bytes_{};  ///< All of them, or see the next.
  std::string more_bytes_;
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

// One request as a lock protocol words it: a script with keys and arguments, or a plain command.
//
// Without I/O; stays where it is made. Whether a script travels as EVALSHA, or as EVAL to a server
// that does not know it yet, the Core decides.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockclient/machine/make_recycled.hpp"

namespace picklock::lock {

/// A script and the digest by which servers know it. Immutable; shared by the calls that carry it.
struct ScriptText {
  std::string source;
  std::string sha;

  explicit ScriptText(std::string text);
};
using ScriptRef = Shared<const ScriptText>;

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

/// Texts in order, and views of them: those of most requests take no memory of their own. Stays
/// where it is made.
class Words {
 public:
  Words() = default;
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  void add(std::string_view word) { add(word, {}); }
  /// One word of two parts.
  void add(std::string_view first, std::string_view rest) {
    char* const place = room_for(first.size() + rest.size());
    std::copy(rest.begin(), rest.end(), std::copy(first.begin(), first.end(), place));
    refer({place, first.size() + rest.size()});
  }
  /// A number of things: mostly one digit.
  void add_count(std::size_t count) {
    constexpr std::string_view kDigits = "0123456789";
    if (count < kDigits.size()) return refer(kDigits.substr(count, 1));
    add(Digits{static_cast<std::int64_t>(count)}.text());
  }
  /// A word that lives longer than this object.
  void refer(std::string_view word) {
    if (count_ < kFew)
      few_[count_] = word;
    else
      add_to_many(word);
    ++count_;
  }

  /// Views of this object.
  std::span<const std::string_view> all() const {
    return {count_ <= kFew ? few_.data() : many_.data(), count_};
  }

 private:
  static constexpr std::size_t kFew = 12;
  static constexpr std::size_t kFewBytes = 240;

  char* room_for(std::size_t bytes) {
    if (bytes > kFewBytes - bytes_here_) return long_words_.emplace_front(bytes, '\0').data();
    return here_.data() + std::exchange(bytes_here_, bytes_here_ + bytes);
  }
  void add_to_many(std::string_view word) {
    if (count_ == kFew) many_.assign(few_.begin(), few_.end());
    many_.push_back(word);
  }

  std::size_t count_ = 0;
  std::array<std::string_view, kFew> few_;  ///< All words, or see the next.
  std::vector<std::string_view> many_;
  std::size_t bytes_here_ = 0;
  std::array<char, kFewBytes> here_;           ///< Where words lie, one behind the other...
  std::forward_list<std::string> long_words_;  ///< ...and those for which there was no room.
};

/// Shared by the request on its way and by what remembers it, to send it once more.
using CallRef = Shared<const struct Call>;

/// Immutable once it is worded.
struct Call {
  using Texts = std::initializer_list<std::string_view>;
  static constexpr std::size_t kHead =
      3;  ///< With a script: EVALSHA, its digest, the keys' number.

  /// `whole`: as EVAL, for a server that does not know the script yet; otherwise as EVALSHA.
  Call(ScriptRef the_script, std::size_t the_keys, Texts words = {}, bool whole = false)
      : script(std::move(the_script)), keys(the_keys), is_whole(whole) {
    request.refer(whole ? "EVAL" : "EVALSHA");
    request.refer(whole ? script->source : script->sha);
    request.add_count(keys);
    for (const std::string_view word : words) request.add(word);
  }
  /// A command without a script.
  explicit Call(Texts command) {
    for (const std::string_view word : command) request.add(word);
  }

  static CallRef of(ScriptRef script, std::size_t keys, Texts words) {
    return make_recycled<Call>(std::move(script), keys, words);
  }
  static CallRef command(Texts words) { return make_recycled<Call>(words); }
  /// `call`, which has a script, as EVAL.
  static CallRef whole(const Call& call) {
    auto made = make_recycled<Call>(call.script, call.keys, Texts{}, true);
    for (const std::string_view word : call.words()) made->request.add(word);
    return made;
  }

  /// Keys, then arguments; without a script the whole command.
  std::span<const std::string_view> words() const {
    return request.all().subspan(script == nullptr ? 0 : kHead);
  }

  const ScriptRef script{};
  const std::size_t keys = 0;  ///< With a script: how many of `words()` are keys.
  const bool is_whole = false;
  Words request;  ///< All that is sent.
};

}  // namespace picklock::lock

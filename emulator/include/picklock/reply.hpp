// A reply of the server as a C++ value.
//
// Compared exactly: `reply == "2"` holds for a bulk string only, `reply == 2` for an integer only.
// Printed in redis-cli's notation. Part of the resp layer. A regular value type; distinct values
// may be used from different threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace picklock {

/// What a server answers: null, a text, a number, or an aggregate of replies. A value.
class Reply {
 public:
  /// The types of RESP2 and, after `array`, those that RESP3 adds.
  enum class Type : std::uint8_t {
    null,
    status,
    error,
    integer,
    bulk,
    array,  // RESP2 and RESP3
    map,
    set,
    push,
    boolean,
    real,
    big_number,
    verbatim,  // RESP3 only
  };

  Reply() = default;  // null
  /// Copies the texts and all elements.
  Reply(const Reply& other);
  /// Of an element of its own, too: `reply = reply[0]`.
  Reply& operator=(const Reply& other) { return *this = Reply{other}; }
  ~Reply() = default;
  // Replies go through many hands, and most carry neither a text nor elements.
  /// Leaves `other` a reply that may be assigned to or destroyed.
  Reply(Reply&& other) noexcept : type_(other.type_), integer_(other.integer_), real_(other.real_) {
    if (other.is_large()) take_contents(other);
  }
  Reply& operator=(Reply&& other) noexcept {
    type_ = other.type_;
    integer_ = other.integer_;
    real_ = other.real_;
    if (is_large() || other.is_large()) take_contents(other);
    return *this;
  }
  /// `:value`, which `reply == value` compares with.
  static Reply make_integer(std::int64_t value);
  /// A boolean of RESP3.
  static Reply make_boolean(bool value);
  /// A double of RESP3.
  static Reply make_real(double value);
  /// status, error, bulk, big_number or verbatim (its text is "txt:..." with the format in front).
  static Reply make_text(Type type, std::string text);
  /// array, map (keys and values in turn), set or push.
  static Reply make_aggregate(Type type, std::vector<Reply> elements);

  /// What kind of reply this is.
  Type type() const { return type_; }
  /// Whether it is nil: a null bulk string or array of RESP2, the null of RESP3.
  bool is_null() const { return type_ == Type::null; }
  /// Whether it is an error; text() is its text without the '-'.
  bool is_error() const { return type_ == Type::error; }
  /// Whether it is an array, a map, a set or a push.
  bool is_aggregate() const;
  /// The value of an integer or boolean; throws std::logic_error, naming the reply, for other
  /// types.
  std::int64_t integer() const;
  /// The value of a double; throws std::logic_error, naming the reply, for other types.
  double real() const;
  /// The bytes of a bulk, status, error, big number or verbatim string; throws std::logic_error
  /// otherwise.
  const std::string& text() const;
  /// The elements of an aggregate, empty for other types; a map's are keys and values in turn.
  const std::vector<Reply>& elements() const& { return elements_ ? *elements_ : no_elements(); }
  /// The same, to be changed.
  std::vector<Reply>& elements() & {
    if (!elements_) elements_ = std::make_unique<std::vector<Reply>>();
    return *elements_;
  }
  /// The same of a temporary, taken from it: `for (x : call().elements())`.
  std::vector<Reply> elements() && {
    return elements_ ? std::move(*elements_) : std::vector<Reply>{};
  }
  /// Element `index` of an aggregate; throws std::out_of_range, naming the reply.
  const Reply& operator[](std::size_t index) const {
    if (index >= size()) refuse_index(index);
    return (*elements_)[index];
  }
  /// The number of elements; 0 for what is no aggregate.
  std::size_t size() const { return elements_ ? elements_->size() : 0; }

  /// redis-cli's notation, e.g. `(integer) 1`, `"value"`, `1) "a"`, without a final newline.
  std::string to_string() const;

  /// Equal type and equal content; a status is no bulk string.
  bool operator==(const Reply& other) const;
  /// Whether it is a bulk string of these bytes.
  friend bool operator==(const Reply& reply, std::string_view bulk) {
    return reply.type_ == Type::bulk && reply.text_ == bulk;
  }
  /// The same, of a text that ends with a zero; no reply equals a null pointer.
  friend bool operator==(const Reply& reply, const char* bulk) {
    return bulk != nullptr && reply == std::string_view{bulk};
  }
  /// Deleted: ask is_null().
  friend bool operator==(const Reply& reply, std::nullptr_t) = delete;
  /// The same.
  friend bool operator==(const Reply& reply, const std::string& bulk) {
    return reply == std::string_view{bulk};
  }
  /// Whether it is an integer of this value.
  template <class Int>
  requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool>) friend bool operator==(
      const Reply& reply, Int value) {
    return reply.type_ == Type::integer && std::cmp_equal(reply.integer_, value);
  }
  /// Prints to_string(): what a failed check shows.
  friend std::ostream& operator<<(std::ostream& out, const Reply& reply);

 private:
  bool is_large() const { return !text_.empty() || elements_; }
  void take_contents(Reply& other) noexcept;
  static const std::vector<Reply>& no_elements();
  [[noreturn]] void refuse_index(std::size_t index) const;

  Type type_ = Type::null;
  std::int64_t integer_ = 0;
  double real_ = 0;
  std::string text_;
  std::unique_ptr<std::vector<Reply>> elements_;  // Null: none. Most replies have none.
};

/// Names for the replies that tests compare with: `using namespace picklock::replies;`
namespace replies {
/// No value: what GET answers for a missing key.
inline const Reply nil{};
/// `+text`, as in `status("OK")`.
Reply status(std::string_view text);
/// `-text`: the whole line, code and all.
Reply error(std::string_view text);
/// The same as the bare number in a comparison.
Reply integer(std::int64_t value);
/// The same as the bare text in a comparison.
Reply bulk(std::string_view bytes);
/// An array of replies, numbers (integers) and texts (bulk strings).
template <class... Elements>
Reply array(Elements&&... elements);
}  // namespace replies

namespace detail {
template <class T>
Reply to_reply(T&& value) {
  if constexpr (std::is_same_v<std::remove_cvref_t<T>, Reply>) {
    return std::forward<T>(value);
  } else if constexpr (std::is_integral_v<std::remove_cvref_t<T>>) {
    return Reply::make_integer(static_cast<std::int64_t>(value));
  } else {
    return Reply::make_text(Reply::Type::bulk, std::string{std::string_view{value}});
  }
}
}  // namespace detail

template <class... Elements>
Reply replies::array(Elements&&... elements) {
  std::vector<Reply> all;
  all.reserve(sizeof...(elements));
  (all.push_back(detail::to_reply(std::forward<Elements>(elements))), ...);
  return Reply::make_aggregate(Reply::Type::array, std::move(all));
}

}  // namespace picklock

#pragma GCC visibility pop

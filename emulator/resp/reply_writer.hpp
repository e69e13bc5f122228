// The door through which every command answers.
//
// A handler says what it replies, never how it is encoded: one writer makes RESP2 bytes, one RESP3
// bytes, one a Reply value for C++ callers, one values on a Lua stack. Aggregates are announced
// with their length and followed by that many elements (a map by twice as many). Not thread-safe;
// nothing is retained.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace picklock {

/// The words of one request, the command's name first. Borrowed for the time of the call.
using Args = std::span<const std::string_view>;

/// Told of every error that is answered, wherever it goes: INFO counts them.
class ErrorListener {
 public:
  virtual ~ErrorListener() = default;
  /// `text` starts with its code.
  virtual void error_answered(std::string_view text) = 0;
  /// One that was counted before has been answered again.
  virtual void error_repeated() = 0;
};

class ReplyWriter {
 public:
  virtual ~ReplyWriter() = default;

  virtual void integer(std::int64_t value) = 0;
  virtual void bulk(std::string_view bytes) = 0;
  virtual void status(std::string_view text) = 0;
  /// `text` starts with its code ("ERR ...", "WRONGTYPE ...") and has no leading '-'.
  void error(std::string_view text) {
    if (listener_) listener_->error_answered(text);
    write_error(text);
  }
  /// As error(), for one in which Redis leaves line breaks as they are: what it says of code.
  void raw_error(std::string_view text) {
    if (listener_) listener_->error_answered(text);
    write_raw_error(text);
  }
  /// As error(), for one that has been counted before: a script passes it on.
  void repeat_error(std::string_view text) {
    if (listener_) listener_->error_repeated();
    write_error(text);
  }
  /// As error(), for one that is made up and counts for nobody.
  void uncounted_error(std::string_view text) { write_error(text); }
  /// Tells `listener` (null: nobody) of errors from now on. It must outlive the writer's use.
  void report_errors_to(ErrorListener* listener) { listener_ = listener; }
  /// The null bulk string of RESP2 ($-1), the null of RESP3 (_).
  virtual void null() = 0;
  /// The null array of RESP2 (*-1), the null of RESP3 (_).
  virtual void null_array() = 0;
  virtual void array(std::size_t size) = 0;
  /// `size` pairs: an array of twice the size in RESP2.
  virtual void map(std::size_t size) = 0;
  virtual void set(std::size_t size) = 0;
  virtual void push(std::size_t size) = 0;
  /// Announces an attribute of `size` pairs, which come next and belong to the reply behind them;
  /// false, announcing nothing, where there is no place for one.
  virtual bool attribute(std::size_t) { return false; }
  /// 1 or 0 in RESP2.
  virtual void boolean(bool value) = 0;
  /// A bulk string in RESP2.
  virtual void real(double value) = 0;
  /// A coordinate, with INCRBYFLOAT's digits.
  virtual void human_real(long double value);
  virtual void big_number(std::string_view digits) = 0;
  /// `format` has three letters ("txt"); a bulk string without it in RESP2.
  virtual void verbatim(std::string_view format, std::string_view text) = 0;

  /// Switches the protocol (HELLO), for writers that encode one.
  virtual void set_version(int) {}
  /// The protocol of the reply, for commands whose shapes differ by more than a type.
  virtual int version() const = 0;

  void ok() { status("OK"); }

 protected:
  virtual void write_error(std::string_view text) = 0;
  virtual void write_raw_error(std::string_view text) { write_error(text); }

 private:
  ErrorListener* listener_ = nullptr;
};

}  // namespace picklock

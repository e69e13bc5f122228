// A writer that shows replies as redis-cli prints them: Reply::to_string, and the trace's lines.
//
// Keeps the text of the first reply only, or of the first message that is pushed if there is none,
// and of that no more than it is asked for. Not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/reply.hpp>

#include "emulator/resp/reply_writer.hpp"

namespace picklock {

/// Appends `bytes` in quotes, with escapes for what is not printable.
void append_quoted(std::string& out, std::string_view bytes);

class TextWriter final : public ReplyWriter {
 public:
  /// Shows what a client of protocol `version` would be sent. Stops soon after `enough` bytes: the
  /// first `enough` are right, and there are more if there would be.
  explicit TextWriter(int version = 3, std::size_t enough = std::string::npos)
      : enough_(enough), version_(version) {}
  void set_version(int version) override { version_ = version; }
  int version() const override { return version_; }
  /// Whether there is a reply, and no element of it is missing.
  bool complete() const { return begun_ && open_.empty(); }
  std::string& text() { return text_; }

  void integer(std::int64_t value) override;
  void bulk(std::string_view bytes) override;
  void status(std::string_view text) override;
  void null() override;
  void null_array() override { null(); }
  void array(std::size_t size) override;
  void map(std::size_t size) override;
  void set(std::size_t size) override;
  void push(std::size_t size) override;
  void boolean(bool value) override;
  void real(double value) override;
  void big_number(std::string_view digits) override;
  void verbatim(std::string_view format, std::string_view text) override;

  /// Announces `elements`, of which a map has two for each pair.
  void open(Reply::Type type, std::size_t elements);

 protected:
  void write_error(std::string_view text) override;
  void write_raw_error(std::string_view text) override;

 private:
  /// An aggregate that is being written.
  struct Open {
    Reply::Type type;
    std::size_t size;
    std::size_t next;    ///< The element that comes next.
    std::size_t indent;  ///< Of its lines; its elements stand `width` + 2 further right.
    std::size_t width;   ///< Of its indices: they are aligned to the last one.
  };

  bool begin(std::size_t elements = 0);
  void end();
  void write_index(Open& open, std::size_t elements);
  void start_line(std::size_t indent) { text_.append("\n").append(indent, ' '); }
  void line(std::string_view mark, std::string_view text);

  bool is_enough() const { return text_.size() > enough_; }

  std::string text_;
  std::vector<Open> open_;  // Not recursive: scripts can nest replies deeper than a stack bears.
  std::size_t enough_;
  int version_;
  bool begun_ = false;
  bool is_later_ = false;  // What comes is behind the reply that is shown.
};

}  // namespace picklock

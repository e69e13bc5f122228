// Writers that encode replies as RESP2 or RESP3 bytes, appended to a string.
#pragma once

#include <string>

#include "emulator/resp/reply_writer.hpp"

namespace picklock {

/// Appends the bytes of protocol `version` (2 or 3) to `out`, which it borrows. Line breaks in a
/// status or an error become spaces, as in Redis. The version may be changed between two replies
/// (HELLO).
class RespWriter final : public ReplyWriter {
 public:
  explicit RespWriter(std::string& out, int version = 2) : out_(out), version_(version) {}
  void set_version(int version) override { version_ = version; }
  int version() const override { return version_; }

  void integer(std::int64_t value) override;
  void bulk(std::string_view bytes) override;
  void status(std::string_view text) override;
  void null() override;
  void null_array() override;
  void array(std::size_t size) override;
  void map(std::size_t size) override;
  void set(std::size_t size) override;
  void push(std::size_t size) override;
  bool attribute(std::size_t size) override;
  void boolean(bool value) override;
  void real(double value) override;
  void human_real(long double value) override;
  void big_number(std::string_view digits) override;
  void verbatim(std::string_view format, std::string_view text) override;

 protected:
  void write_error(std::string_view text) override;
  void write_raw_error(std::string_view text) override;

 private:
  std::string& out_;
  int version_;
};

}  // namespace picklock

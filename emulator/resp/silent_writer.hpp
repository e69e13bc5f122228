// A writer that drops what it is told: the replies of clients that do not want any.
#pragma once

#include "emulator/resp/reply_writer.hpp"

namespace picklock {

class SilentWriter final : public ReplyWriter {
 public:
  void set_version(int version) override { version_ = version; }
  int version() const override { return version_; }

  void integer(std::int64_t) override {}
  void bulk(std::string_view) override {}
  void status(std::string_view) override {}
  void null() override {}
  void null_array() override {}
  void array(std::size_t) override {}
  void map(std::size_t) override {}
  void set(std::size_t) override {}
  void push(std::size_t) override {}
  void boolean(bool) override {}
  void real(double) override {}
  void big_number(std::string_view) override {}
  void verbatim(std::string_view, std::string_view) override {}

 protected:
  void write_error(std::string_view) override {}

 private:
  int version_ = 2;
};

}  // namespace picklock

// A writer that tells two others: so that a reply can be noted on its way. Not thread-safe.
#pragma once

#include "emulator/resp/reply_writer.hpp"

namespace picklock {

class TeeWriter final : public ReplyWriter {
 public:
  TeeWriter(ReplyWriter& first, ReplyWriter& second) : first_(first), second_(second) {}
  int version() const override { return first_.version(); }
  void set_version(int version) override {
    first_.set_version(version), second_.set_version(version);
  }

  void integer(std::int64_t value) override { first_.integer(value), second_.integer(value); }
  void bulk(std::string_view bytes) override { first_.bulk(bytes), second_.bulk(bytes); }
  void status(std::string_view text) override { first_.status(text), second_.status(text); }
  void null() override { first_.null(), second_.null(); }
  void null_array() override { first_.null_array(), second_.null_array(); }
  void array(std::size_t size) override { first_.array(size), second_.array(size); }
  void map(std::size_t size) override { first_.map(size), second_.map(size); }
  void set(std::size_t size) override { first_.set(size), second_.set(size); }
  void push(std::size_t size) override { first_.push(size), second_.push(size); }
  void boolean(bool value) override { first_.boolean(value), second_.boolean(value); }
  void real(double value) override { first_.real(value), second_.real(value); }
  void human_real(long double value) override {
    first_.human_real(value), second_.human_real(value);
  }
  void big_number(std::string_view digits) override {
    first_.big_number(digits), second_.big_number(digits);
  }
  void verbatim(std::string_view format, std::string_view text) override {
    first_.verbatim(format, text), second_.verbatim(format, text);
  }

 protected:
  // Counted by whom the tee reports to: the others should have nobody to report to.
  void write_error(std::string_view text) override { first_.error(text), second_.error(text); }
  void write_raw_error(std::string_view text) override {
    first_.raw_error(text), second_.raw_error(text);
  }

 private:
  ReplyWriter& first_;
  ReplyWriter& second_;
};

}  // namespace picklock

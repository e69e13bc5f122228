// A writer that builds a Reply value: what Client::call returns.
#pragma once

#include <string>

#include <picklock/reply.hpp>

#include "emulator/resp/reply_assembler.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock {

/// Builds one reply as a client of protocol `version` would read it (RESP2: maps are arrays,
/// doubles bulk strings...). take() hands it over once it is complete, and makes the builder ready
/// for the next.
class ReplyBuilder final : public ReplyWriter {
 public:
  explicit ReplyBuilder(int version = 2) : version_(version) {}
  void set_version(int version) override { version_ = version; }
  int version() const override { return version_; }
  bool complete() const { return assembler_.complete(); }
  Reply take() { return assembler_.take(); }

  void integer(std::int64_t value) override;
  void bulk(std::string_view bytes) override;
  void status(std::string_view text) override;
  void null() override;
  void null_array() override;
  void array(std::size_t size) override;
  void map(std::size_t size) override;
  void set(std::size_t size) override;
  void push(std::size_t size) override;
  void boolean(bool value) override;
  void real(double value) override;
  void big_number(std::string_view digits) override;
  void verbatim(std::string_view format, std::string_view text) override;

 protected:
  void write_error(std::string_view text) override;
  void write_raw_error(std::string_view text) override;

 private:
  void text(Reply::Type type, std::string text);

  int version_;
  ReplyAssembler assembler_;
};

}  // namespace picklock

#include "emulator/resp/reply_builder.hpp"

#include "emulator/base/numbers.hpp"

namespace picklock {
namespace {

/// A status or an error is one line on the wire.
std::string one_line(std::string_view text) {
  std::string line{text};
  for (char& c : line)
    if (c == '\r' || c == '\n') c = ' ';
  return line;
}

}  // namespace

void ReplyBuilder::text(Reply::Type type, std::string text) {
  assembler_.add(Reply::make_text(type, std::move(text)));
}

void ReplyBuilder::integer(std::int64_t value) { assembler_.add(Reply::make_integer(value)); }

void ReplyBuilder::bulk(std::string_view bytes) { text(Reply::Type::bulk, std::string{bytes}); }

void ReplyBuilder::status(std::string_view line) { text(Reply::Type::status, one_line(line)); }

void ReplyBuilder::write_error(std::string_view line) {
  text(Reply::Type::error, one_line(line.substr(0, line.find_last_not_of("\r\n") + 1)));
}

void ReplyBuilder::write_raw_error(std::string_view line) {
  text(Reply::Type::error, std::string{line});
}

void ReplyBuilder::null() { assembler_.add(Reply{}); }

void ReplyBuilder::null_array() { assembler_.add(Reply{}); }

void ReplyBuilder::array(std::size_t size) { assembler_.open(Reply::Type::array, size); }

void ReplyBuilder::map(std::size_t size) {
  assembler_.open(version_ >= 3 ? Reply::Type::map : Reply::Type::array, 2 * size);
}

void ReplyBuilder::set(std::size_t size) {
  assembler_.open(version_ >= 3 ? Reply::Type::set : Reply::Type::array, size);
}

void ReplyBuilder::push(std::size_t size) {
  assembler_.open(version_ >= 3 ? Reply::Type::push : Reply::Type::array, size);
}

void ReplyBuilder::boolean(bool value) {
  assembler_.add(version_ >= 3 ? Reply::make_boolean(value) : Reply::make_integer(value ? 1 : 0));
}

void ReplyBuilder::real(double value) {
  if (version_ >= 3) return assembler_.add(Reply::make_real(value));
  char buffer[kDoubleChars];
  bulk(format_double(value, buffer));
}

void ReplyBuilder::big_number(std::string_view digits) {
  text(version_ >= 3 ? Reply::Type::big_number : Reply::Type::bulk, std::string{digits});
}

void ReplyBuilder::verbatim(std::string_view format, std::string_view bytes) {
  if (version_ < 3) return bulk(bytes);
  std::string all;
  all.reserve(format.size() + 1 + bytes.size());
  all.append(format).append(":").append(bytes);
  text(Reply::Type::verbatim, std::move(all));
}

}  // namespace picklock

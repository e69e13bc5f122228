#include "emulator/engine/function_dump.hpp"

#include <cstdint>
#include <optional>
#include <utility>

#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/script_errors.hpp"
#include "emulator/keyspace/rdb/payload.hpp"

namespace picklock {
namespace {

// Redis 7.0, rdb.h: RDB_OPCODE_FUNCTION2, and what the first release candidates wrote.
constexpr std::uint8_t kLibraryOpcode = 245;
constexpr std::uint8_t kOldLibraryOpcode = 246;
constexpr std::size_t kFooterBytes = 10;

/// Takes the next string; empty, with `what` as the error, if there is none.
std::string read_part(rdb::Reader& reader, std::string_view what, std::string& error) {
  auto text = error.empty() ? reader.read_string() : std::nullopt;
  if (!text && error.empty()) error = what;
  return std::move(text).value_or("");
}

/// A library whose name and engine do not stand in its code yet; they are put there. Redis 7.0:
/// rdbFunctionLoad.
std::string read_old_library(rdb::Reader& reader, std::string& error) {
  const std::string name = read_part(reader, errors::kDumpedLibraryName, error);
  const std::string engine = read_part(reader, errors::kDumpedEngineName, error);
  const auto described = error.empty() ? reader.read_length() : std::nullopt;
  if (!described && error.empty()) error = errors::kDumpedDescriptionMark;
  if (described.value_or(0) != 0) read_part(reader, errors::kDumpedDescription, error);
  const std::string code = read_part(reader, errors::kDumpedBlob, error);
  // Redis puts them together as C strings.
  const auto part = [](std::string_view text) { return std::string{until_nul(text)}; };
  return "#!" + part(engine) + " name=" + part(name) + "\n" + part(code);
}

}  // namespace

std::string dump_libraries(const Libraries& libraries, const rdb::Options& options) {
  rdb::Writer writer{options};
  libraries.for_each([&writer](const auto& entry) {
    writer.write_byte(kLibraryOpcode);
    writer.write_string(entry.value.code);
  });
  return rdb::with_footer(writer.take());
}

std::vector<std::string> read_library_dump(std::string_view payload, bool check_crc,
                                           std::string& error) {
  error.clear();
  if (!rdb::has_sound_footer(payload, check_crc)) error = errors::kPayloadFooter;
  const rdb::Options options;
  // Redis lets a library that is too short go on into the footer.
  rdb::Reader reader{payload, options};
  std::vector<std::string> codes;
  while (error.empty() && reader.left() > kFooterBytes) {
    const auto opcode = reader.read_byte();
    std::string code;
    if (opcode == kLibraryOpcode)
      code = read_part(reader, errors::kDumpedPayload, error);
    else if (opcode == kOldLibraryOpcode)
      code = read_old_library(reader, error);
    else
      error = errors::kNotAFunction;
    if (error.empty()) codes.push_back(std::move(code));
  }
  return codes;
}

}  // namespace picklock

#include "emulator/keyspace/rdb/file.hpp"

#include "emulator/base/numbers.hpp"
#include "emulator/keyspace/rdb/crc64.hpp"
#include "emulator/keyspace/rdb/little_endian.hpp"

namespace picklock::rdb {

namespace {

// Redis 7.0: rdb.h. Each stands where the type of a value would.
enum Mark : std::uint8_t {
  kFunctionOfRc = 0xf6,
  kModuleData = 0xf7,
  kIdle = 0xf8,
  kFrequency = 0xf9,
  kAuxiliary = 0xfa,
  kSizes = 0xfb,
  kDeadlineMs = 0xfc,
  kDeadlineSeconds = 0xfd,
  kDatabase = 0xfe,
  kEnd = 0xff,
  kFunction = 0xf5,
};

constexpr std::size_t kHeader = 9;
constexpr unsigned kFirstWithChecksum = 5;
constexpr const char* kDamaged = "it is cut off or damaged";

class FileReader {
 public:
  FileReader(std::string_view bytes, const Options& options, int databases, File& file)
      : bytes_(bytes),
        reader_(bytes.substr(kHeader), options),
        databases_(databases),
        file_(file) {}

  std::optional<std::string> read(unsigned version) {
    for (;;) {
      const auto mark = reader_.read_byte();
      if (!mark) return kDamaged;
      if (*mark == kEnd) return check_end(version);
      if (auto why = *mark >= kFunction ? read_mark(*mark) : read_key(*mark)) return why;
    }
  }

 private:
  std::optional<std::int64_t> little(int size) {
    std::uint64_t value = 0;
    for (int i = 0; i < size; ++i) {
      const auto byte = reader_.read_byte();
      if (!byte) return std::nullopt;
      value |= static_cast<std::uint64_t>(*byte) << (8 * i);
    }
    return static_cast<std::int64_t>(value);
  }
  std::optional<std::int64_t> length() {
    const auto value = reader_.read_length();
    return value && *value <= INT64_MAX ? std::optional{static_cast<std::int64_t>(*value)}
                                        : std::nullopt;
  }

  std::optional<std::string> read_mark(std::uint8_t mark) {
    const auto keep = [](std::optional<std::int64_t> value,
                         std::optional<std::int64_t>& place) -> std::optional<std::string> {
      if (!value) return kDamaged;
      place = value;
      return std::nullopt;
    };
    switch (mark) {
      case kIdle:
        return keep(length(), next_.idle_seconds);
      case kFrequency:
        return keep(little(1), next_.frequency);
      case kDeadlineMs:
        return keep(little(8), next_.deadline_ms);
      case kDeadlineSeconds: {
        const auto seconds = little(4);
        return keep(seconds ? std::optional{*seconds * 1000} : std::nullopt, next_.deadline_ms);
      }
      case kDatabase:
        return read_database();
      case kSizes:
        return length() && length() ? std::nullopt : std::optional<std::string>{kDamaged};
      case kAuxiliary:
        return reader_.read_string() && reader_.read_string()
                   ? std::nullopt
                   : std::optional<std::string>{kDamaged};
      case kFunction: {
        auto code = reader_.read_string();
        if (!code) return kDamaged;
        file_.libraries.push_back(*std::move(code));
        return std::nullopt;
      }
      default:
        return "it holds data of a module or of another server";
    }
  }

  std::optional<std::string> read_database() {
    const auto number = length();
    if (!number) return kDamaged;
    if (*number >= databases_)
      return "it has keys in database " + to_text(*number) +
             ": start the server with more --databases";
    next_.database = static_cast<int>(*number);
    return std::nullopt;
  }

  std::optional<std::string> read_key(std::uint8_t type) {
    auto key = reader_.read_string();
    if (!key) return kDamaged;
    auto loaded = reader_.read_value(static_cast<Type>(type));
    if (!loaded) return "the value of '" + key->substr(0, 64) + "' is damaged or of another server";
    const int database = next_.database;
    next_.key = *std::move(key);
    next_.loaded = *std::move(loaded);
    file_.keys.push_back(std::move(next_));
    next_ = FileKey{};
    next_.database = database;
    return std::nullopt;
  }

  std::optional<std::string> check_end(unsigned version) {
    if (version < kFirstWithChecksum) return std::nullopt;
    const std::size_t size = bytes_.size() - reader_.left();
    const auto stored = little(8);
    if (!stored) return kDamaged;
    const bool fits =
        *stored == 0 || static_cast<std::uint64_t>(*stored) == crc64(bytes_.substr(0, size));
    return fits ? std::nullopt : std::optional<std::string>{"its checksum is wrong"};
  }

  std::string_view bytes_;
  Reader reader_;
  int databases_;
  File& file_;
  FileKey next_;  // What has been said of the next key.
};

}  // namespace

std::optional<std::string> read_file(std::string_view bytes, const Options& options, int databases,
                                     File& file) {
  if (bytes.size() < kHeader || !bytes.starts_with("REDIS")) return "it is no RDB file";
  unsigned version = 0;
  for (const char digit : bytes.substr(5, 4)) {
    if (digit < '0' || digit > '9') return "it is no RDB file";
    version = version * 10 + static_cast<unsigned>(digit - '0');
  }
  if (version < 1 || version > kVersion)
    return "its version is " + std::to_string(version) + ", and Redis 7.0 reads those up to " +
           std::to_string(kVersion);
  return FileReader(bytes, options, databases, file).read(version);
}

}  // namespace picklock::rdb

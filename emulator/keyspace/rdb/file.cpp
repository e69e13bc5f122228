#include "emulator/keyspace/rdb/file.hpp"

#include "emulator/base/numbers.hpp"
#include "emulator/keyspace/rdb/crc64.hpp"
#include "emulator/keyspace/rdb/little_endian.hpp"

namespace picklock::rdb {

namespace {

constexpr std::size_t kFileHeader = 9;
constexpr unsigned kFirstWithChecksum = 5;
constexpr const char* kCutOff = "it is cut off or damaged";

class FileReader {
 public:
  FileReader(std::string_view bytes, const Options& options, int databases, File& file)
      : bytes_(bytes),
        reader_(bytes.substr(kFileHeader), options),
        checks_(options.checksum),
        databases_(databases),
        file_(file) {}

  std::optional<std::string> read(unsigned version) {
    for (;;) {
      const auto mark = reader_.read_byte();
      if (!mark) return kCutOff;
      if (*mark == kMarkEnd) return check_end(version);
      if (auto why = *mark >= kMarkFunction ? read_mark(*mark) : read_key(*mark)) return why;
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
      if (!value) return kCutOff;
      place = value;
      return std::nullopt;
    };
    switch (mark) {
      case kMarkIdle:
        return keep(length(), next_.idle_seconds);
      case kMarkFrequency:
        return keep(little(1), next_.frequency);
      case kMarkDeadlineMs: {
        const auto deadline = little(8);
        if (!deadline) return kCutOff;
        // Redis keeps -1 for a key without a deadline.
        next_.deadline_ms = *deadline == -1 ? std::nullopt : deadline;
        return std::nullopt;
      }
      case kMarkDeadlineSeconds: {
        const auto seconds = little(4);
        if (!seconds) return kCutOff;
        // With a sign: what is past 2038 is long ago.
        next_.deadline_ms = std::int64_t{static_cast<std::int32_t>(*seconds)} * 1000;
        return std::nullopt;
      }
      case kMarkDatabase:
        return read_database();
      case kMarkSizes:
        return length() && length() ? std::nullopt : std::optional<std::string>{kCutOff};
      case kMarkAuxiliary:
        return read_auxiliary();
      case kMarkFunction: {
        auto code = reader_.read_string();
        if (!code) return kCutOff;
        file_.libraries.push_back(*std::move(code));
        return std::nullopt;
      }
      case kMarkFunctionOfRc:
        return read_old_library();
      default:
        return "it holds data of a module or of another server";
    }
  }

  /// As the release candidates of Redis 7.0 wrote it: name and engine do not stand in the code.
  std::optional<std::string> read_old_library() {
    const auto name = reader_.read_string();
    const auto engine = name ? reader_.read_string() : std::nullopt;
    const auto described = engine ? reader_.read_length() : std::nullopt;
    if (!described || (*described != 0 && !reader_.read_string())) return kCutOff;
    const auto code = reader_.read_string();
    if (!code) return kCutOff;
    file_.libraries.push_back("#!" + *engine + " name=" + *name + "\n" + *code);
    return std::nullopt;
  }

  std::optional<std::string> read_auxiliary() {
    auto name = reader_.read_string();
    if (!name) return kCutOff;
    auto value = reader_.read_string();
    if (!value) return kCutOff;
    file_.auxiliary.emplace_back(*std::move(name), *std::move(value));
    return std::nullopt;
  }

  std::optional<std::string> read_database() {
    const auto number = length();
    if (!number) return kCutOff;
    if (*number >= databases_)
      return "it has keys in database " + to_text(*number) +
             ": start the server with more --databases";
    next_.database = static_cast<int>(*number);
    return std::nullopt;
  }

  std::optional<std::string> read_key(std::uint8_t type) {
    auto key = reader_.read_string();
    if (!key) return kCutOff;
    auto loaded = reader_.read_value(static_cast<Type>(type));
    // Redis 7.0 skips keys without elements, which servers before it have saved by mistake.
    if (!loaded && !reader_.was_empty())
      return "the value of '" + key->substr(0, 64) + "' is damaged or of another server";
    const int database = next_.database;
    next_.key = *std::move(key);
    if (loaded) {
      next_.loaded = *std::move(loaded);
      file_.keys.push_back(std::move(next_));
    }
    next_ = FileKey{};
    next_.database = database;
    return std::nullopt;
  }

  std::optional<std::string> check_end(unsigned version) {
    if (version < kFirstWithChecksum) return std::nullopt;
    const std::size_t size = bytes_.size() - reader_.left();
    const auto stored = little(8);
    if (!stored) return kCutOff;
    const auto wanted = static_cast<std::uint64_t>(*stored);
    const bool fits = !checks_ || wanted == 0 || wanted == crc64(bytes_.substr(0, size));
    return fits ? std::nullopt : std::optional<std::string>{"its checksum is wrong"};
  }

  std::string_view bytes_;
  Reader reader_;
  bool checks_;
  int databases_;
  File& file_;
  FileKey next_;  // What has been said of the next key.
};

}  // namespace

std::optional<std::string> read_file(std::string_view bytes, const Options& options, int databases,
                                     File& file) {
  if (bytes.size() < kFileHeader || !bytes.starts_with("REDIS")) return "it is no RDB file";
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

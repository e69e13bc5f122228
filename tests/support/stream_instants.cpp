#include "tests/support/stream_instants.hpp"

#include <cstdint>

#include "emulator/keyspace/rdb/reader.hpp"
#include "tests/support/payloads.hpp"

namespace picklock::test {
namespace {

constexpr std::size_t kInstant = 8;
constexpr std::size_t kRawId = 16;

// Goes through a payload of type stream_listpacks_2 (Redis 7.0: rdbSaveObject). Once something is
// missing, `good` is false and stays so.
class Walk {
 public:
  explicit Walk(std::string_view body) : size_(body.size()), reader_(body, options_) {}

  std::vector<std::size_t> instants() {
    const auto type = reader_.read_type();
    if (!type || *type != rdb::Type::stream_listpacks_2) return {};
    for (std::uint64_t nodes = number(); good_ && nodes > 0; --nodes) skip_strings(2);
    skip_numbers(
        8);  // The length, the last ID, the first, the greatest deleted, and how many came.
    for (std::uint64_t groups = number(); good_ && groups > 0; --groups) skip_group();
    return good_ && reader_.left() == 0 ? std::move(instants_) : std::vector<std::size_t>{};
  }

 private:
  void skip_group() {
    skip_strings(1);
    skip_numbers(3);  // The last ID, and how many were read.
    for (std::uint64_t pending = number(); good_ && pending > 0; --pending) {
      skip_bytes(kRawId);
      note_instant();
      skip_numbers(1);
    }
    for (std::uint64_t consumers = number(); good_ && consumers > 0; --consumers) {
      skip_strings(1);
      note_instant();
      for (std::uint64_t pending = number(); good_ && pending > 0; --pending) skip_bytes(kRawId);
    }
  }

  void note_instant() {
    instants_.push_back(size_ - reader_.left());
    skip_bytes(kInstant);
  }
  std::uint64_t number() {
    const auto value = reader_.read_length();
    if (!value) good_ = false;
    return value.value_or(0);
  }
  void skip_numbers(int count) {
    for (int i = 0; good_ && i < count; ++i) number();
  }
  void skip_strings(int count) {
    for (int i = 0; good_ && i < count; ++i) good_ = reader_.read_string().has_value();
  }
  void skip_bytes(std::size_t count) {
    for (std::size_t i = 0; good_ && i < count; ++i) good_ = reader_.read_byte().has_value();
  }

  const rdb::Options options_;
  std::size_t size_;
  rdb::Reader reader_;
  std::vector<std::size_t> instants_;
  bool good_ = true;
};

}  // namespace

std::vector<std::size_t> stream_instants(std::string_view payload) {
  return Walk{without_footer(payload)}.instants();
}

}  // namespace picklock::test

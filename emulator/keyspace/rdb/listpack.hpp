// Redis's listpack: strings and integers one behind the other in one string of bytes.
//
// Hashes, sorted sets, lists and streams are written as listpacks while they are small. The reader
// believes nothing: every length is checked before it is used. Not thread-safe; values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace picklock::rdb {

/// How many bytes `element` takes in a listpack.
std::size_t listpack_entry_size(std::string_view element);
/// The bytes of a listpack around its entries.
inline constexpr std::size_t kListpackFrame = 7;

class ListpackWriter {
 public:
  ListpackWriter();
  /// Appends `element`, as an integer where it is the canonical spelling of one.
  void append(std::string_view element);
  void append(std::int64_t number);
  /// As sorted sets keep them: whole numbers as integers, others in %.17g.
  void append_score(double score);

  std::size_t size() const { return bytes_.size() + 1; }
  std::size_t count() const { return count_; }
  /// The finished listpack; the writer is empty again.
  std::string take();

 private:
  void append_integer(std::int64_t number);
  void append_string(std::string_view text);
  void close_entry(std::size_t start);

  std::string bytes_;
  std::size_t count_ = 0;
};

/// The elements of a listpack, integers in decimal; nullopt unless it is sound to the last byte.
std::optional<std::vector<std::string>> read_listpack(std::string_view bytes);
/// The same, whatever number of elements its header states.
std::optional<std::vector<std::string>> read_uncounted_listpack(std::string_view bytes);

}  // namespace picklock::rdb

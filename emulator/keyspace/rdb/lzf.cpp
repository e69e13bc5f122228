#include "emulator/keyspace/rdb/lzf.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace picklock::rdb {
namespace {

// A control byte below 32 is followed by that many literals and one; any other one is a copy: three
// bits of length (7: another byte follows), five high bits of the distance, then its low byte.
constexpr std::size_t kHashBits = 16;
constexpr std::size_t kMostLiterals = 32;
constexpr std::size_t kMostDistance = 1 << 13;
constexpr std::size_t kMostCopied = (1 << 8) + (1 << 3);
constexpr unsigned kLongCopy = 7;

class Compressor {
 public:
  Compressor(std::string_view in, std::size_t most)
      : in_(in),
        most_(most),
        last_seen_(std::min(std::bit_ceil(2 * in.size()), std::size_t{1} << kHashBits)) {}

  std::optional<std::string> run() {
    start_run();
    std::size_t at = 0;
    while (at + 2 < in_.size()) {
      const std::size_t distance = remember(at);
      if (matches(at, distance)) {
        // liblzf: refused while four more bytes might not fit.
        if (out_.size() + 4 >= most_ && out_.size() - (literals_ == 0) + 4 >= most_)
          return std::nullopt;
        const std::size_t length = match_length(at, distance);
        copy(distance, length);
        at += length;
        if (at + 2 >= in_.size()) break;
        remember(at - 2);  // liblzf's VERY_FAST looks at the last two places of a copy only.
        remember(at - 1);
      } else {
        if (out_.size() >= most_) return std::nullopt;
        literal(in_[at++]);
      }
    }
    if (out_.size() + 3 > most_) return std::nullopt;
    while (at < in_.size()) literal(in_[at++]);
    end_run();
    return std::move(out_);
  }

 private:
  unsigned byte(std::size_t at) const { return static_cast<unsigned char>(in_[at]); }

  /// Notes that the three bytes at `at` were seen there; returns how far back they, or others of
  /// the same hash, were seen before. Nothing is known at first: then it is the start.
  std::size_t remember(std::size_t at) {
    const std::uint32_t three = byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2);
    const std::uint32_t slot = ((three >> 8) - three * 5) & ((1U << kHashBits) - 1);
    const std::size_t mask = last_seen_.size() - 1;
    std::size_t place = slot & mask;
    while (last_seen_[place].tag != 0 && last_seen_[place].tag != slot + 1)
      place = (place + 1) & mask;
    const std::size_t before = last_seen_[place].at;
    last_seen_[place] = {slot + 1, static_cast<std::uint32_t>(at)};
    return at - before;
  }

  /// liblzf never refers to the very first byte.
  bool matches(std::size_t at, std::size_t distance) const {
    return distance > 0 && distance <= kMostDistance && distance < at &&
           in_.compare(at - distance, 3, in_, at, 3) == 0;
  }

  /// How much to copy. liblzf leaves the last two bytes of the input out, but not always: it looks
  /// at sixteen bytes at once where at least that many are left.
  std::size_t match_length(std::size_t at, std::size_t distance) const {
    const std::size_t most = std::min(in_.size() - at - 2, kMostCopied);
    std::size_t length = 3;
    if (most > 16)
      for (const std::size_t unrolled = length + 16; length < unrolled; ++length)
        if (in_[at + length] != in_[at + length - distance]) return length;
    while (length < most && in_[at + length] == in_[at + length - distance]) ++length;
    return length;
  }

  void copy(std::size_t distance, std::size_t length) {
    end_run();
    const std::size_t off = distance - 1;
    const std::size_t coded = length - 2;
    out_ += static_cast<char>((off >> 8) + (std::min<std::size_t>(coded, kLongCopy) << 5));
    if (coded >= kLongCopy) out_ += static_cast<char>(coded - kLongCopy);
    out_ += static_cast<char>(off & 0xff);
    start_run();
  }

  void literal(char byte) {
    out_ += byte;
    if (++literals_ < kMostLiterals) return;
    end_run();
    start_run();
  }
  void start_run() {
    literals_ = 0;
    out_ += '\0';
  }
  void end_run() {
    if (literals_ == 0)
      out_.pop_back();
    else
      out_[out_.size() - literals_ - 1] = static_cast<char>(literals_ - 1);
  }

  /// Stands for one slot of liblzf's table, which is as large as all hashes: here it is only as
  /// large as the input needs, so that short strings cost little.
  struct Seen {
    std::uint32_t tag = 0;  // The slot plus 1.
    std::uint32_t at = 0;
  };

  std::string_view in_;
  std::size_t most_;
  std::vector<Seen> last_seen_;
  std::string out_;
  std::size_t literals_ = 0;
};

}  // namespace

std::optional<std::string> lzf_compress(std::string_view bytes, std::size_t most) {
  if (bytes.empty() || most == 0 || bytes.size() > UINT32_MAX) return std::nullopt;
  return Compressor{bytes, most}.run();
}

std::optional<std::string> lzf_decompress(std::string_view compressed, std::uint64_t size) {
  // Three bytes give at most 264: who promises more is not believed before memory is taken.
  if (size > compressed.size() * kMostCopied) return std::nullopt;
  if (size == 0)
    return std::string{};  // liblzf says 0 for an error, which Redis compares with this.
  std::string out;
  out.reserve(size);
  std::size_t at = 0;
  const auto left = [&] { return compressed.size() - at; };
  const auto next = [&] { return static_cast<unsigned char>(compressed[at++]); };
  while (left() > 0) {
    const unsigned control = next();
    if (control < kMostLiterals) {
      const std::size_t count = control + 1;
      if (left() < count || out.size() + count > size) return std::nullopt;
      out += compressed.substr(at, count);
      at += count;
      continue;
    }
    std::size_t count = control >> 5;
    if (left() < (count == kLongCopy ? 2 : 1)) return std::nullopt;
    if (count == kLongCopy) count += next();
    count += 2;
    const std::size_t distance = ((control & 0x1f) << 8 | next()) + 1;
    if (distance > out.size() || out.size() + count > size) return std::nullopt;
    for (; count > 0; --count) out += out[out.size() - distance];
  }
  if (out.size() != size) return std::nullopt;
  return out;
}

}  // namespace picklock::rdb

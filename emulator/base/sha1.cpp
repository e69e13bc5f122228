#include "emulator/base/sha1.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

namespace picklock {
namespace {

constexpr std::size_t kBlockBytes = 64;
using State = std::array<std::uint32_t, 5>;

std::uint32_t big_endian(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

/// Twenty steps of FIPS 180-4, section 6.1.2. The five words change their places from step to step,
/// so that nothing is moved.
template <class Mix>
void add_words(State& state, const std::uint32_t* w, Mix mix) {
  auto [a, b, c, d, e] = state;
  const auto step = [&mix](std::uint32_t first, std::uint32_t& second, std::uint32_t third,
                           std::uint32_t fourth, std::uint32_t& fifth, std::uint32_t word) {
    fifth += std::rotl(first, 5) + mix(second, third, fourth) + word;
    second = std::rotl(second, 30);
  };
  for (int i = 0; i < 4; ++i, w += 5) {
    step(a, b, c, d, e, w[0]);
    step(e, a, b, c, d, w[1]);
    step(d, e, a, b, c, w[2]);
    step(c, d, e, a, b, w[3]);
    step(b, c, d, e, a, w[4]);
  }
  state = {a, b, c, d, e};
}

void add_block(State& state, const unsigned char* block) {
  std::array<std::uint32_t, 80> w;
  for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
  for (std::size_t t = 16; t < 80; ++t)
    w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  const State before = state;
  // The functions and constants of sections 4.1.1 and 4.2.1.
  using Word = std::uint32_t;
  add_words(state, &w[0], [](Word b, Word c, Word d) { return (d ^ (b & (c ^ d))) + 0x5a827999u; });
  add_words(state, &w[20], [](Word b, Word c, Word d) { return (b ^ c ^ d) + 0x6ed9eba1u; });
  add_words(state, &w[40],
            [](Word b, Word c, Word d) { return ((b & c) | (d & (b | c))) + 0x8f1bbcdcu; });
  add_words(state, &w[60], [](Word b, Word c, Word d) { return (b ^ c ^ d) + 0xca62c1d6u; });
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += before[i];
}

/// The bytes left over, a one bit, zeros, and the length in bits: one block or two.
void add_tail(State& state, std::string_view rest, std::uint64_t total_bytes) {
  std::array<unsigned char, 2 * kBlockBytes> tail{};
  if (!rest.empty()) std::memcpy(tail.data(), rest.data(), rest.size());
  tail[rest.size()] = 0x80;
  const std::size_t end = rest.size() + 9 <= kBlockBytes ? kBlockBytes : 2 * kBlockBytes;
  std::uint64_t bits = total_bytes * 8;
  for (std::size_t i = 1; i <= 8; ++i, bits >>= 8)
    tail[end - i] = static_cast<unsigned char>(bits & 0xff);
  for (std::size_t at = 0; at < end; at += kBlockBytes) add_block(state, tail.data() + at);
}

}  // namespace

std::array<unsigned char, 20> sha1(std::string_view bytes) {
  State state{0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
  std::string_view rest = bytes;
  for (; rest.size() >= kBlockBytes; rest.remove_prefix(kBlockBytes))
    add_block(state, reinterpret_cast<const unsigned char*>(rest.data()));
  add_tail(state, rest, bytes.size());

  std::array<unsigned char, 20> digest;
  for (std::size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<unsigned char>(state[i / 4] >> (24 - 8 * (i % 4)) & 0xff);
  return digest;
}

std::array<char, 40> sha1_hex(std::string_view bytes) {
  const auto digest = sha1(bytes);
  std::array<char, 40> hex;
  for (std::size_t i = 0; i < hex.size(); ++i)
    hex[i] = "0123456789abcdef"[digest[i / 2] >> (i % 2 == 0 ? 4 : 0) & 0xf];
  return hex;
}

}  // namespace picklock

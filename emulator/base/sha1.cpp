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

/// The function and the constant of FIPS 180-4, sections 4.1.1 and 4.2.1, for step `t`.
std::uint32_t mix(int t, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if (t < 20) return ((b & c) | (~b & d)) + 0x5a827999u;
  if (t < 40) return (b ^ c ^ d) + 0x6ed9eba1u;
  if (t < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcu;
  return (b ^ c ^ d) + 0xca62c1d6u;
}

void add_block(State& state, const unsigned char* block) {
  std::array<std::uint32_t, 80> w;
  for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
  for (std::size_t t = 16; t < 80; ++t)
    w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  auto [a, b, c, d, e] = state;
  for (int t = 0; t < 80; ++t) {
    const std::uint32_t next =
        std::rotl(a, 5) + mix(t, b, c, d) + e + w[static_cast<std::size_t>(t)];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
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

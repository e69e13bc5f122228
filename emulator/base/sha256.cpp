#include "emulator/base/sha256.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

namespace picklock {
namespace {

constexpr std::size_t kBlockBytes = 64;
using State = std::array<std::uint32_t, 8>;

/// FIPS 180-4, section 4.2.2: the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRound{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

std::uint32_t fold(std::uint32_t x, int a, int b, int c) {
  return std::rotr(x, a) ^ std::rotr(x, b) ^ std::rotr(x, c);
}

std::array<std::uint32_t, 64> schedule(const unsigned char* block) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t early = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
    const std::uint32_t late = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + early + w[t - 7] + late;
  }
  return w;
}

void add_block(State& state, const unsigned char* block) {
  const auto w = schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t one = h + fold(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + kRound[t] + w[t];
    const std::uint32_t two = fold(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + one;
    d = c;
    c = b;
    b = a;
    a = one + two;
  }
  const State add{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += add[i];
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

std::array<char, 64> sha256_hex(std::string_view bytes) {
  State state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::string_view rest = bytes;
  for (; rest.size() >= kBlockBytes; rest.remove_prefix(kBlockBytes))
    add_block(state, reinterpret_cast<const unsigned char*>(rest.data()));
  add_tail(state, rest, bytes.size());

  std::array<char, 64> hex;
  for (std::size_t i = 0; i < hex.size(); ++i)
    hex[i] = "0123456789abcdef"[state[i / 8] >> (28 - 4 * (i % 8)) & 0xf];
  return hex;
}

}  // namespace picklock

#include "emulator/keyspace/page_allocator.hpp"

#include <array>
#include <atomic>
#include <sys/mman.h>

namespace picklock {
namespace {

constexpr std::size_t kPage = 4096;

/// A block while it is kept: it says in itself how large it is.
struct KeptBlock {
  std::size_t bytes;
};

// Who takes a block out of its place owns it, so that no two threads ever look into the same one.
// Those that are kept at the end of the program go with it.
constinit std::array<std::atomic<KeptBlock*>, 4> kept_blocks{};
constexpr std::size_t kMostKept = 256 << 10;  // Bytes of a block.

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

void unmap(KeptBlock* block) {
  if (block) ::munmap(block, block->bytes);
}

}  // namespace

void* take_pages(std::size_t bytes) {
  bytes = whole_pages(bytes);
  for (auto& place : kept_blocks) {
    KeptBlock* const block =
        place.load(std::memory_order_relaxed) ? place.exchange(nullptr) : nullptr;
    if (block && block->bytes == bytes) return block;
    if (block) unmap(place.exchange(block));
  }
  void* const block =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) throw std::bad_alloc{};
  return block;
}

void give_back_pages(void* block, std::size_t bytes) noexcept {
  bytes = whole_pages(bytes);
  auto* const given = new (block) KeptBlock{bytes};
  if (bytes > kMostKept) return unmap(given);
  for (auto& place : kept_blocks) {
    KeptBlock* none = nullptr;
    if (place.compare_exchange_strong(none, given)) return;
  }
  // What stays is of sizes that are in use, mostly.
  unmap(kept_blocks[bytes / kPage % kept_blocks.size()].exchange(given));
}

}  // namespace picklock

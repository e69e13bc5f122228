#include "emulator/keyspace/page_allocator.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

constexpr std::size_t kPage = 4096;

/// How many of its bytes are `letter`.
std::size_t count(const char* block, std::size_t bytes, char letter) {
  return static_cast<std::size_t>(std::count(block, block + bytes, letter));
}

}  // namespace

TEST_CASE("a block that was freed is used for the next one of its size in pages") {
  void* const block = take_pages(22 * kPage);
  give_back_pages(block, 22 * kPage);
  void* const again = take_pages(22 * kPage - 100);
  CHECK(again == block);
  void* const other = take_pages(22 * kPage);
  CHECK(other != block);
  give_back_pages(other, 22 * kPage);
  give_back_pages(again, 22 * kPage - 100);
}

TEST_CASE("a kept block of another size is not taken for one") {
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(take_pages(22 * kPage));
  for (void* const block : blocks) give_back_pages(block, 22 * kPage);  // More than are kept.
  auto* const larger = static_cast<char*>(take_pages(26 * kPage));
  std::memset(larger, 'a', 26 * kPage);
  auto* const smaller = static_cast<char*>(take_pages(18 * kPage));
  std::memset(smaller, 'b', 18 * kPage);
  CHECK(count(larger, 26 * kPage, 'a') == 26 * kPage);
  give_back_pages(larger, 26 * kPage);
  give_back_pages(smaller, 18 * kPage);
}

TEST_CASE("threads that take and give back blocks never have the same one") {
  std::atomic<int> disturbed = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, &disturbed] {
      const auto letter = static_cast<char>('a' + t);
      for (std::size_t turn = 0; turn < 2000; ++turn) {
        const std::size_t bytes = (22 + turn % 5) * kPage;
        auto* const block = static_cast<char*>(take_pages(bytes));
        std::memset(block, letter, bytes);
        if (count(block, bytes, letter) != bytes) ++disturbed;
        give_back_pages(block, bytes);
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(disturbed == 0);
}

}  // namespace picklock

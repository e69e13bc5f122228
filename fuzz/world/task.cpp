#include <picklock/race/task.hpp>

namespace picklock::race {

/// Stands before every frame. While the frame lives it names its pool, afterwards the next free
/// frame.
struct alignas(std::max_align_t) FramePool::Header {
  FramePool* pool;
  Header* next;
  std::size_t size_class;
};

FramePool::~FramePool() {
  for (Header* head : free_) {
    while (head != nullptr) ::operator delete(std::exchange(head, head->next));
  }
}

void* FramePool::allocate(FramePool* pool, std::size_t size_bytes) {
  const std::size_t size_class = (size_bytes + kGrain - 1) / kGrain;
  if (pool == nullptr || size_class >= kClasses) {
    auto* header = new (::operator new(sizeof(Header) + size_bytes)) Header{nullptr, nullptr, 0};
    return header + 1;
  }
  Header*& head = pool->free_[size_class];
  if (head != nullptr) {
    Header* header = std::exchange(head, head->next);
    header->pool = pool;
    return header + 1;
  }
  void* memory = ::operator new(sizeof(Header) + size_class * kGrain);
  return new (memory) Header{pool, nullptr, size_class} + 1;
}

void FramePool::release(void* frame) noexcept {
  Header* header = static_cast<Header*>(frame) - 1;
  FramePool* pool = header->pool;
  if (pool == nullptr) {
    ::operator delete(header);
    return;
  }
  header->next = std::exchange(pool->free_[header->size_class], header);
}

}  // namespace picklock::race

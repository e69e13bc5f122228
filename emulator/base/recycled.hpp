// Memory of objects that are made and destroyed with every operation.
//
// Each thread keeps a few freed blocks of each kind and hands out the last one again: a general
// allocator takes several times as long to find out where a block belongs. Blocks may be freed by
// another thread than they were taken by. Under AddressSanitizer nothing is kept, for it is to see
// what is used after it was freed.
#pragma once

#include <cstddef>
#include <new>

namespace picklock {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kIsWatched = true;  ///< By AddressSanitizer.
#elif defined(__has_feature)
inline constexpr bool kIsWatched = __has_feature(address_sanitizer);
#else
inline constexpr bool kIsWatched = false;
#endif

/// Freed blocks of one size. There is one list for each thread and kind of object.
class KeptBlocks {
 public:
  static constexpr std::size_t kMost = 16;

  /// Null if there is none.
  void* take() {
    Block* const block = first_;
    if (block == nullptr) return nullptr;
    first_ = block->next;
    --count_;
    return block;
  }
  /// False if there are enough.
  bool keep(void* memory) {
    if (count_ == kMost) return false;
    first_ = new (memory) Block{first_};
    ++count_;
    return true;
  }
  std::size_t size() const { return count_; }

 private:
  struct Block {
    Block* next;
  };
  Block* first_ = nullptr;
  std::size_t count_ = 0;
};

/// An allocator for one object at a time, as shared pointers and the nodes of maps are.
template <class T>
struct Recycled {
  using value_type = T;

  Recycled() = default;
  template <class Other>
  Recycled(const Recycled<Other>&) {}

  T* allocate(std::size_t count) {
    static_assert(sizeof(T) >= sizeof(void*) && alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    void* const kept = count == 1 ? blocks().take() : nullptr;
    return static_cast<T*>(kept != nullptr ? kept : ::operator new(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) {
    if (count != 1 || !keep(memory)) ::operator delete(memory);
  }
  friend bool operator==(Recycled, Recycled) { return true; }

  /// How many this thread keeps.
  static std::size_t kept() { return blocks().size(); }

 private:
  /// Frees them at the thread's end. What is freed after that is not kept any more.
  struct Ending {
    bool* is_over;
    ~Ending() {
      *is_over = true;
      while (void* const block = blocks().take()) ::operator delete(block);
    }
  };

  // Of the thread, and there as long as it is: it has no destructor.
  static KeptBlocks& blocks() {
    static thread_local constinit KeptBlocks blocks;
    return blocks;
  }
  static bool keep(void* memory) {
    static thread_local constinit bool is_over = false;
    if (is_over || kIsWatched) return false;
    static thread_local const Ending ending{&is_over};
    return blocks().keep(memory);
  }
};

}  // namespace picklock

// The value of a list key: strings in order, cheap to push and pop at both ends.
//
// Elements stand packed in a chain of chunks of a few thousand bytes each, so that no change moves
// more than those of one. An element is found by its index at a cost that grows with the number of
// chunks. A copyable value, whose assignment uses the memory that is there; not thread-safe. What
// is returned is valid until the next change, and what is given must not lie in the list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <string_view>
#include <utility>

#include "emulator/keyspace/box.hpp"
#include "emulator/keyspace/list_chunk.hpp"

namespace picklock {

class ListValue {
 public:
  /// Goes through elements in order, or backwards.
  class Iterator {
   public:
    using iterator_category = std::bidirectional_iterator_tag;
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = std::string_view;

    Iterator() = default;
    Iterator(const ListValue& list, std::size_t chunk, const char* at)
        : list_(&list), chunk_(chunk), at_(at) {}

    std::string_view operator*() const { return ListChunk::element(at_); }
    Iterator& operator++() {
      at_ = ListChunk::next(at_);
      if (at_ == list_->chunk(chunk_).end() && chunk_ + 1 < list_->chunks())
        at_ = list_->chunk(++chunk_).begin();
      return *this;
    }
    Iterator operator++(int) {
      const Iterator old = *this;
      ++*this;
      return old;
    }
    Iterator& operator--() {
      if (at_ == list_->chunk(chunk_).begin()) at_ = list_->chunk(--chunk_).end();
      at_ = ListChunk::previous(at_);
      return *this;
    }
    Iterator operator--(int) {
      const Iterator old = *this;
      --*this;
      return old;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    friend class ListValue;
    const ListValue* list_ = nullptr;
    std::size_t chunk_ = 0;
    const char* at_ = nullptr;
  };

  ListValue() = default;
  ListValue(const ListValue&) = default;
  ListValue(ListValue&& other) noexcept { swap(other); }
  ListValue& operator=(const ListValue&) = default;
  ListValue& operator=(ListValue&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ListValue() = default;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Of its elements and their lengths, which are at least two bytes for each.
  std::size_t size_bytes() const { return size_bytes_; }

  Iterator begin() const { return {*this, 0, first_.begin()}; }
  Iterator end() const { return {*this, chunks() - 1, last_chunk().end()}; }
  /// Of the element at `index`, which must be at most size().
  Iterator at(std::size_t index) const;
  std::string_view operator[](std::size_t index) const { return *at(index); }
  /// The list must not be empty.
  std::string_view front() const { return ListChunk::element(first_.begin()); }
  std::string_view back() const {
    return ListChunk::element(ListChunk::previous(last_chunk().end()));
  }

  // Changes throw std::bad_alloc.

  void push_back(std::string_view element);
  void push_front(std::string_view element);
  void pop_front();
  void pop_back();
  /// Puts `element` in place of the one at `index`, which must be there.
  void set(std::size_t index, std::string_view element);
  /// Puts `element` before the one at `index`, or at the end for size().
  void insert(std::size_t index, std::string_view element);
  /// Keeps `count` elements from `index` on; they must be there.
  void keep(std::size_t index, std::size_t count);
  /// Removes the first `limit` elements that equal `element`; returns how many there were.
  std::size_t remove_first(std::string_view element, std::size_t limit);
  /// The same from the end.
  std::size_t remove_last(std::string_view element, std::size_t limit);

 private:
  void swap(ListValue& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(more_, other.more_);
    std::swap(size_, other.size_);
    std::swap(size_bytes_, other.size_bytes_);
  }
  std::size_t chunks() const { return more_ ? more_->size() + 1 : 1; }
  const ListChunk& chunk(std::size_t at) const { return at == 0 ? first_ : (*more_)[at - 1]; }
  ListChunk& chunk(std::size_t at) { return at == 0 ? first_ : (*more_)[at - 1]; }
  const ListChunk& last_chunk() const { return more_ ? more_->back() : first_; }
  ListChunk& last_chunk() { return more_ ? more_->back() : first_; }
  /// `chunk` will be the one at `at`, and takes the others from there on one place further.
  ListChunk& insert_chunk(std::size_t at, ListChunk chunk);
  /// The only chunk stays, without elements.
  void erase_chunk(std::size_t at);
  /// Calls `change(chunk)`, and counts what it changes. A chunk that it leaves empty goes; then
  /// true.
  template <class Change>
  bool change_chunk(std::size_t at, Change&& change);
  void remove_front(std::size_t count);
  void remove_back(std::size_t count);

  // Invariant: each chunk has elements, unless the list has none; more_ is none if it would be
  // empty.
  ListChunk first_;
  Box<std::deque<ListChunk>> more_;  // What follows.
  std::size_t size_ = 0;
  std::size_t size_bytes_ = 0;  // Of all chunks.
};

}  // namespace picklock

// Puts values that arrive one after another together into one Reply.
//
// What ReplyBuilder and ReplyParser have in common: an aggregate is announced with its length, then
// its elements follow. Keeps its own stack instead of recursing. Not thread-safe.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <picklock/reply.hpp>

namespace picklock {

class ReplyAssembler {
 public:
  /// The next value: the reply itself, or an element of the innermost open aggregate.
  void add(Reply&& value) {
    if (open_.empty()) {
      result_ = std::move(value);
      complete_ = true;
    } else {
      add_element(std::move(value));
    }
  }

  /// The next `elements` values make one value of this type (a map: keys and values in turn).
  void open(Reply::Type type, std::size_t elements) { open_frame({type, false, elements, {}}); }

  /// The next `elements` values count nowhere (the attributes of RESP3).
  void open_ignored(std::size_t elements) { open_frame({Reply::Type::map, true, elements, {}}); }

  bool complete() const { return complete_; }
  std::size_t depth() const { return open_.size(); }

  /// The complete reply; ready for the next one afterwards.
  Reply take() {
    complete_ = false;
    return std::move(result_);  // What is left is assigned to before it is complete again.
  }

 private:
  struct Frame {
    Reply::Type type;
    bool ignored;
    std::size_t missing;
    std::vector<Reply> elements;
  };

  void open_frame(Frame&& frame);
  void add_element(Reply&& value);
  void close_full_frames();

  // 1. Every open frame misses at least one element.
  // 2. `complete_` implies that no frame is open.
  std::vector<Frame> open_;
  Reply result_;
  bool complete_ = false;
};

}  // namespace picklock

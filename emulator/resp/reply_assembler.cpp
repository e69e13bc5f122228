#include "emulator/resp/reply_assembler.hpp"

#include <algorithm>

namespace picklock {
namespace {

/// A length is a promise of the other side. More room than this is made only as elements come.
constexpr std::size_t kReservedElements = 1024;

}  // namespace

void ReplyAssembler::open_frame(Frame&& frame) {
  frame.elements.reserve(std::min(frame.missing, kReservedElements));
  open_.push_back(std::move(frame));
  close_full_frames();
}

void ReplyAssembler::add_element(Reply&& value) {
  Frame& frame = open_.back();
  frame.elements.push_back(std::move(value));
  --frame.missing;
  close_full_frames();
}

void ReplyAssembler::close_full_frames() {
  while (!open_.empty() && open_.back().missing == 0) {
    Frame frame = std::move(open_.back());
    open_.pop_back();
    // What carries no value completes nothing; the frame around it still misses the same number.
    if (frame.ignored) return;
    Reply value = Reply::make_aggregate(frame.type, std::move(frame.elements));
    if (open_.empty()) {
      result_ = std::move(value);
      complete_ = true;
      return;
    }
    open_.back().elements.push_back(std::move(value));
    --open_.back().missing;
  }
}

}  // namespace picklock

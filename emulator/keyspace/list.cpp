#include "emulator/keyspace/list.hpp"

#include <algorithm>

namespace picklock {

ListValue::Iterator ListValue::at(std::size_t index) const {
  if (index == size_) return end();
  std::size_t at = 0;
  if (index < size_ / 2) {
    for (; index >= chunk(at).size(); ++at) index -= chunk(at).size();
  } else {
    std::size_t first = size_ - last_chunk().size();
    for (at = chunks() - 1; index < first; --at) first -= chunk(at - 1).size();
    index -= first;
  }
  return {*this, at, chunk(at).place_of(index)};
}

ListChunk& ListValue::insert_chunk(std::size_t at, ListChunk chunk) {
  if (!more_) more_.emplace();
  if (at > 0)
    return *more_->insert(more_->begin() + static_cast<std::ptrdiff_t>(at - 1), std::move(chunk));
  more_->push_front(std::move(first_));
  return first_ = std::move(chunk);
}

void ListValue::erase_chunk(std::size_t at) {
  if (!more_) return first_.clear();
  if (at == 0) {
    first_ = std::move(more_->front());
    more_->pop_front();
  } else {
    more_->erase(more_->begin() + static_cast<std::ptrdiff_t>(at - 1));
  }
  if (more_->empty()) more_ = {};
}

template <class Change>
bool ListValue::change_chunk(std::size_t at, Change&& change) {
  ListChunk& changed = chunk(at);
  const std::size_t size = changed.size();
  const std::size_t bytes = changed.size_bytes();
  change(changed);
  size_ = size_ - size + changed.size();
  size_bytes_ = size_bytes_ - bytes + changed.size_bytes();
  if (!changed.empty()) return false;
  erase_chunk(at);
  return true;
}

void ListValue::push_back(std::string_view element) {
  if (!last_chunk().takes(element.size())) insert_chunk(chunks(), {});
  change_chunk(chunks() - 1, [element](ListChunk& chunk) { chunk.push_back(element); });
}

void ListValue::push_front(std::string_view element) {
  if (!first_.takes(element.size())) insert_chunk(0, {});
  change_chunk(0, [element](ListChunk& chunk) { chunk.push_front(element); });
}

void ListValue::pop_front() { remove_front(1); }
void ListValue::pop_back() { remove_back(1); }

void ListValue::set(std::size_t index, std::string_view element) {
  const Iterator place = at(index);
  const std::size_t old = (*place).size();
  if (element.size() > old && !chunk(place.chunk_).takes(element.size() - old)) {
    insert(index, element);
    const Iterator behind = at(index + 1);
    change_chunk(behind.chunk_, [&](ListChunk& chunk) { chunk.erase(behind.at_); });
    return;
  }
  change_chunk(place.chunk_, [&](ListChunk& chunk) { chunk.replace(place.at_, element); });
}

void ListValue::insert(std::size_t index, std::string_view element) {
  if (index == 0) return push_front(element);
  if (index == size_) return push_back(element);
  const Iterator place = at(index);
  std::size_t number = place.chunk_;
  if (chunk(number).takes(element.size())) {
    change_chunk(number, [&](ListChunk& chunk) { chunk.insert(place.at_, element); });
    return;
  }
  // Behind what comes before it, or in a chunk of its own between the two.
  if (place.at_ == chunk(number).begin())
    --number;
  else
    insert_chunk(number + 1, chunk(number).split(place.at_));
  if (!chunk(number).takes(element.size())) insert_chunk(++number, {});
  change_chunk(number, [element](ListChunk& chunk) { chunk.push_back(element); });
}

void ListValue::remove_front(std::size_t count) {
  while (count > 0) {
    const std::size_t some = std::min(count, first_.size());
    change_chunk(0, [some](ListChunk& chunk) {
      some == chunk.size() ? chunk.clear() : void(chunk.erase(chunk.begin(), some));
    });
    count -= some;
  }
}

void ListValue::remove_back(std::size_t count) {
  while (count > 0) {
    const std::size_t left = last_chunk().size() - std::min(count, last_chunk().size());
    count -= last_chunk().size() - left;
    change_chunk(chunks() - 1, [left](ListChunk& chunk) {
      left == 0 ? chunk.clear() : void(chunk.erase(chunk.place_of(left), chunk.size() - left));
    });
  }
}

void ListValue::keep(std::size_t index, std::size_t count) {
  remove_back(size_ - index - count);
  remove_front(index);
}

std::size_t ListValue::remove_first(std::string_view element, std::size_t limit) {
  const std::size_t before = size_;
  for (std::size_t number = 0; number < chunks() && limit > 0;) {
    const bool gone = change_chunk(number, [&](ListChunk& chunk) {
      for (const char* at = chunk.begin(); at != chunk.end() && limit > 0;) {
        if (ListChunk::element(at) != element) {
          at = ListChunk::next(at);
        } else {
          at = chunk.erase(at);
          --limit;
        }
      }
    });
    if (!gone) ++number;
    if (empty()) break;
  }
  return before - size_;
}

std::size_t ListValue::remove_last(std::string_view element, std::size_t limit) {
  const std::size_t before = size_;
  for (std::size_t number = chunks(); number-- > 0 && limit > 0;)
    change_chunk(number, [&](ListChunk& chunk) {
      for (const char* at = chunk.end(); at != chunk.begin() && limit > 0;) {
        at = ListChunk::previous(at);
        if (ListChunk::element(at) != element) continue;
        at = chunk.erase(at);
        --limit;
      }
    });
  return before - size_;
}

}  // namespace picklock

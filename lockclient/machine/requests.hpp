// The requests of a client: those that are to be sent, and those that have not been answered.
//
// A copyable value without I/O. Used by Core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "emulator/base/fifo.hpp"
#include "lockclient/machine/call.hpp"
#include "lockclient/machine/channels.hpp"

namespace picklock::lock {

class Requests {
 public:
  /// One that waits to be sent, or for its answer.
  struct Flight {
    std::uint64_t tag = 0;  ///< Counts all requests, from 1.
    std::size_t node = 0;
    SlotId slot = 0;  ///< Whose it is; 0: a subscription's, or the end of one.
    std::uint32_t request = 0;
    bool opens_ear = false;  ///< Of a subscription on a connection that stands.
    CallRef call;
    std::uint64_t ticket = 0;  ///< 0: not sent yet.
    std::uint64_t connection = 0;

    /// The channel that it opens; empty: none.
    std::string_view ear() const { return opens_ear ? call->words().back() : std::string_view{}; }
  };
  /// What a driver is to send to a node. The answer's event names `tag`.
  struct Send {
    std::size_t node = 0;
    std::uint64_t tag = 0;
    CallRef call;

    /// Views of `call`.
    std::span<const std::string_view> words() const { return call->request.all(); }
  };
  /// One that was sent and not answered.
  struct Waiting {
    std::uint64_t tag = 0;
    std::uint64_t ticket = 0;
  };

  explicit Requests(std::size_t nodes) : scripts_(nodes) {}

  /// One more, the last to be sent.
  Flight& put(std::size_t node, SlotId slot, std::uint32_t request, CallRef&& call);
  /// Takes back those that were put after this tag, of which none has been taken to be sent.
  void drop_after(std::uint64_t tag);
  /// The tag of the last one: how many there were.
  std::uint64_t last_tag() const { return last_tag_; }

  /// What is to be sent next; nullopt if there is nothing more. The oldest one is forgotten, if
  /// more than `most` wait.
  std::optional<Send> take_send(std::size_t most);
  /// Null if there is none, or none any more.
  Flight* find(std::uint64_t tag);
  void erase(Flight* flight) { flights_.erase(flight); }
  /// The first to `node` whose tag is greater than `tag`; nullopt if there is none.
  std::optional<Waiting> next_waiting(std::size_t node, std::uint64_t tag) const;

  /// All, in the order of their tags.
  Fifo<Flight>& flights() { return flights_; }
  const Fifo<Flight>& flights() const { return flights_; }
  std::size_t nodes() const { return scripts_.size(); }
  /// The scripts that were sent to a node, by digest.
  const std::vector<ScriptRef>& scripts(std::size_t node) const { return scripts_[node]; }

 private:
  bool is_new(const ScriptRef& script, std::size_t node);

  std::vector<std::vector<ScriptRef>> scripts_;  ///< Of each node: those sent whole, by digest.
  Fifo<Flight> flights_;                         ///< In the order of their tags.
  std::uint64_t last_tag_ = 0;
  std::uint64_t taken_tag_ = 0;  ///< The last to be sent that was taken.
};

}  // namespace picklock::lock

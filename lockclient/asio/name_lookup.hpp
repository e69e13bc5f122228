// Asks the system what addresses a name has, without waiting for it.
//
// On a thread of its own, one at a time: the system's question cannot be given up, and takes as
// long as its name servers let it. What one name takes must neither hold up others (asio asks for
// all of an io_context on one thread) nor whoever destroys the loop.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/ip/tcp.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace picklock {

/// Of one name. Belongs to the loop's thread; its own thread may outlive it.
class NameLookup {
 public:
  using Addresses = std::vector<asio::ip::tcp::endpoint>;
  /// `error` is empty if there are addresses.
  using Then = std::function<void(const std::string& error, const Addresses& addresses)>;

  NameLookup(const asio::any_io_executor& executor, std::string host, std::uint16_t port);
  ~NameLookup();
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;

  /// Asks, or waits for what was asked before; `then` is called once, by the executor.
  void start(Then then);
  /// Nobody wants to hear of it any more.
  void cancel();

 private:
  struct State;
  const asio::any_io_executor executor_;
  std::shared_ptr<State> state_;  // Shared with the thread.
};

}  // namespace picklock

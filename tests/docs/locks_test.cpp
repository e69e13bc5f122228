#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>

#include <picklock/asio.hpp>
#include <picklock/blocking_locks.hpp>

#include "tests/lockclient_asio/one_server.hpp"
#include "tests/support/catch.hpp"

using picklock::test::shared_server;

bool in_a_thread(const picklock::Endpoint& server, void (*work)(std::stop_token));
asio::awaitable<bool> in_a_coroutine(asio::io_context& io, picklock::Endpoint server);

TEST_CASE("the page's threads and coroutines take locks of a real server") {
  auto& server = shared_server();
  static bool worked = false;
  CHECK(in_a_thread(server.endpoint(),
                    [](const std::stop_token lost) { worked = !lost.stop_requested(); }));
  CHECK(worked);
  CHECK(server.ask({"EXISTS", "ledger"}) == 0);

  asio::io_context io;
  bool held = false;
  asio::co_spawn(io, in_a_coroutine(io, server.endpoint()),
                 [&](std::exception_ptr, bool result) { held = result; });
  io.run();
  CHECK(held);
  CHECK(server.ask({"EXISTS", "seats"}) == 0);
}

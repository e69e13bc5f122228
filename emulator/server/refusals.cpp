#include "emulator/server/refusals.hpp"

#include "emulator/engine/config.hpp"

namespace picklock {

namespace {

constexpr std::string_view kTooMany = "-ERR max number of clients reached\r\n";
constexpr std::string_view kDenied =
    "-DENIED Redis is running in protected mode because protected mode is enabled and no password "
    "is set for the default user. In this mode connections are only accepted from the loopback "
    "interface. If you want to connect from external computers to Redis you may adopt one of the "
    "following solutions: 1) Just disable protected mode sending the command 'CONFIG SET "
    "protected-mode no' from the loopback interface by connecting to Redis from the same host the "
    "server is running, however MAKE SURE Redis is not publicly accessible from internet if you do "
    "so. Use CONFIG REWRITE to make this change permanent. 2) Alternatively you can just disable "
    "the protected mode by editing the Redis configuration file, and setting the protected mode "
    "option to 'no', and then restarting the server. 3) If you started the server manually just "
    "for testing, restart it with the '--protected-mode no' option. 4) Setup a an authentication "
    "password for the default user. NOTE: You only need to do one of the above things in order for "
    "the server to start accepting connections from the outside.\r\n";

}  // namespace

std::optional<std::string_view> refusal_of_client(const Engine& engine, std::size_t connections,
                                                  bool from_this_machine) {
  if (static_cast<std::int64_t>(connections) >= engine.config.number("maxclients")) return kTooMany;
  if (from_this_machine || engine.config.get("protected-mode") != "yes") return std::nullopt;
  if (engine.acl.default_user().needs_password()) return std::nullopt;
  return kDenied;
}

}  // namespace picklock

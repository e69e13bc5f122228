// Several servers in one process, as the tests of PICKLOCK NODE and of the sentinel have them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <picklock/server.hpp>

#include "tests/server/socket.hpp"

namespace picklock::test {

/// A server with nodes, and a connection that steers it.
struct Servers {
  explicit Servers(std::vector<NodeOptions> nodes, bool has_sentinel = false, Options options = {})
      : redis(std::move(options)),
        server(redis, with(std::move(nodes), has_sentinel)),
        control(Socket::tcp(server.port())) {}

  static ServerOptions with(std::vector<NodeOptions> nodes, bool has_sentinel) {
    ServerOptions options;
    options.nodes = std::move(nodes);
    if (has_sentinel) options.sentinel_port = 0;
    return options;
  }
  /// Two replicas of the first server.
  static std::vector<NodeOptions> replicas() {
    return {{.name = "r1", .port = {}, .is_replica = true},
            {.name = "r2", .port = {}, .is_replica = true}};
  }

  Socket connect(const std::string& node = "default") const {
    return Socket::tcp(server.port(node));
  }
  Socket sentinel() const { return Socket::tcp(server.sentinel_port()); }

  template <class... Words>
  Reply node(Words... words) {
    return control.call({"PICKLOCK", "NODE", words...});
  }
  std::int64_t advance(std::string_view ms) {
    return control.call({"PICKLOCK", "ADVANCE", ms}).integer();
  }
  /// What NODE LIST says of a node.
  std::map<std::string, Reply> facts(std::string_view name) {
    const Reply all = node("LIST");
    for (const Reply& one : all.elements()) {
      if (one[1] != name) continue;
      std::map<std::string, Reply> facts;
      for (std::size_t i = 0; i + 1 < one.size(); i += 2) facts.emplace(one[i].text(), one[i + 1]);
      return facts;
    }
    return {};
  }
  Reply fact(std::string_view name, const std::string& of) { return facts(name).at(of); }

  Emulator redis;
  Server server;
  Socket control;
};

}  // namespace picklock::test

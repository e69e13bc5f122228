// An emulator behind a port.
#include <string_view>
#include <unistd.h>

#include <picklock/server.hpp>

int main() {
  picklock::Emulator redis;
  picklock::Server server{redis};
  const int socket = server.connect_fd();
  const std::string_view ping = "PING\r\n";
  char answer[8] = {};
  const bool sent = write(socket, ping.data(), ping.size()) == 6;
  const bool answered = sent && read(socket, answer, sizeof answer) == 7;
  close(socket);
  return server.port() != 0 && answered && std::string_view{answer} == "+PONG\r\n" ? 0 : 1;
}

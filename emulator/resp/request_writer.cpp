#include "emulator/resp/request_writer.hpp"

namespace picklock {

void append_request(std::string& bytes, std::span<const std::string_view> words) {
  bytes.append("*").append(std::to_string(words.size())).append("\r\n");
  for (const auto word : words) {
    bytes.append("$").append(std::to_string(word.size())).append("\r\n");
    bytes.append(word).append("\r\n");
  }
}

}  // namespace picklock

// picklock-server as a process: started on a free port, or run to its end.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/server/process.hpp"

namespace picklock::test {

using Words = std::vector<std::string>;

inline Words server_words(Words options) {
  options.insert(options.begin(), PICKLOCK_SERVER);
  return options;
}

/// A running picklock-server on a free port.
struct Program {
  explicit Program(Words options = {}) : process(server_words(with_port(std::move(options)))) {
    ready = process.line();
    const auto colon = ready.find(':');
    if (colon == std::string::npos)
      throw std::runtime_error("not ready: " + ready + process.errors());
    port = static_cast<std::uint16_t>(std::stoi(ready.substr(colon + 1)));
  }
  static Words with_port(Words options) {
    options.insert(options.end(), {"--port", "0"});
    return options;
  }
  /// What redis-cli prints for these words.
  std::string cli(Words words) const {
    words.insert(words.begin(), {"redis-cli", "-p", std::to_string(port)});
    Process client(words);
    std::string text = client.output();
    client.wait();
    return text;
  }

  Process process;
  std::string ready;
  std::uint16_t port = 0;
};

struct Ended {
  int code;
  std::string output;
  std::string errors;
};

/// Runs a program to its end.
inline Ended run_to_end(Words words) {
  Process process(std::move(words));
  Ended ended{0, process.output(), process.errors()};
  ended.code = process.wait();
  return ended;
}

/// A directory of its own for the files of a test.
struct TemporaryDirectory {
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "picklock-XXXXXX").string();
    path = ::mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::string file(const std::string& name) const { return path + "/" + name; }
  /// A file with this text; returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }
  std::string path;
};

}  // namespace picklock::test

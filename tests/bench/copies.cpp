#include "tests/bench/copies.hpp"

#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace picklock::bench {
namespace {

constexpr const char* kThisProgram = "/proc/self/exe";

/// As one word of a shell's line.
std::string quoted(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + '\'';
}

/// Beside the program, where programs may be run; goes with this object.
class Copy {
 public:
  Copy() {
    char target[4096];
    const ssize_t size = readlink(kThisProgram, target, sizeof target);
    if (size <= 0) throw std::runtime_error{"this program does not find its own file"};
    path_.assign(target, static_cast<std::size_t>(size));
    path_ += ".copy-" + std::to_string(getpid());
    std::ifstream from{kThisProgram, std::ios::binary};
    const std::string bytes{std::istreambuf_iterator<char>{from}, {}};
    // In one piece: the kernel then keeps it in large ones, if it can.
    const int to = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    const bool written =
        to >= 0 && write(to, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    if (to >= 0) close(to);
    if (!written) {
      unlink(path_.c_str());
      throw std::runtime_error{"cannot write " + path_ +
                               ", a copy of this program: make room there"};
    }
  }
  ~Copy() { unlink(path_.c_str()); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

bool run(const std::string& command, const std::function<void(std::string_view)>& line) {
  std::FILE* const output = popen(command.c_str(), "r");
  if (output == nullptr) throw std::runtime_error{"cannot run " + command};
  std::string text;
  for (int c = std::getc(output); c != EOF; c = std::getc(output)) {
    if (c != '\n') {
      text += static_cast<char>(c);
      continue;
    }
    line(text);
    text.clear();
  }
  const int status = pclose(output);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool run_copies(int times, const std::vector<std::string>& options,
                const std::function<void(std::string_view)>& line) {
  std::string words;
  for (const std::string& option : options) words += ' ' + quoted(option);
  bool well = true;
  for (int i = 1; i <= times; ++i) {
    std::fprintf(stderr, "run %d of %d\n", i, times);
    const Copy copy;
    well &= run(quoted(copy.path()) + words, line);
  }
  return well;
}

}  // namespace picklock::bench

#include "tests/bench/copies.hpp"

#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace picklock::bench {
namespace {

constexpr const char* kThisProgram = "/proc/self/exe";

/// Beside the program, where programs may be run. Has no name any more, so that nothing stays of it
/// however this program ends.
class Copy {
 public:
  Copy() {
    std::ifstream from{kThisProgram, std::ios::binary};
    const std::string bytes{std::istreambuf_iterator<char>{from}, {}};
    if (bytes.empty()) throw std::runtime_error{"this program cannot read its own file"};
    const std::string path =
        std::filesystem::read_symlink(kThisProgram).string() + ".copy-" + std::to_string(getpid());
    // In one piece: the kernel then keeps it in large ones, if it can.
    const int to = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    const bool written =
        to >= 0 && write(to, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    if (to >= 0) close(to);
    if (written) file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    unlink(path.c_str());
    if (file_ < 0)
      throw std::runtime_error{"cannot write " + path +
                               ", a copy of this program: make room there"};
  }
  ~Copy() { close(file_); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  /// Good while this object and this program live.
  std::string path() const {
    return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_);
  }

 private:
  int file_ = -1;
};

/// As one word of a shell's line.
std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + '\'';
}

struct Close {
  void operator()(std::FILE* file) const { pclose(file); }
};

bool run(const std::string& command, const std::function<void(std::string_view)>& line) {
  std::unique_ptr<std::FILE, Close> output{popen(command.c_str(), "r")};
  if (output == nullptr) throw std::runtime_error{"cannot run " + command};
  std::string text;
  for (int c = std::getc(output.get()); c != EOF; c = std::getc(output.get())) {
    if (c != '\n') {
      text += static_cast<char>(c);
      continue;
    }
    line(text);
    text.clear();
  }
  const int status = pclose(output.release());
  const bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!well)
    std::fprintf(stderr, "this run has failed: with --one-run the program shows it alone\n");
  return well;
}

}  // namespace

bool run_copies(int times, const std::vector<std::string>& options,
                const std::function<void(std::string_view)>& line) {
  std::string words;
  for (const std::string& option : options) words += ' ' + shell_word(option);
  bool well = true;
  for (int i = 1; i <= times; ++i) {
    std::fprintf(stderr, "run %d of %d\n", i, times);
    const Copy copy;
    well &= run(shell_word(copy.path()) + words, line);
  }
  return well;
}

}  // namespace picklock::bench

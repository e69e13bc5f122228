#include "emulator/server/files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sys/stat.h>

namespace picklock {

std::optional<std::string> read_whole_file(const std::string& path, std::string& why) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return why = std::strerror(errno), std::nullopt;
  if (!S_ISREG(status.st_mode)) return why = "it is no regular file", std::nullopt;
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return why = std::strerror(errno), std::nullopt;
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

bool replace_file(const std::string& path, std::string_view bytes, std::string& why) {
  const std::string fresh = path + ".new";
  errno = 0;
  std::ofstream file(fresh, std::ios::binary);
  file << bytes;
  file.close();
  if (file && std::rename(fresh.c_str(), path.c_str()) == 0) return true;
  why = std::strerror(errno);
  std::remove(fresh.c_str());
  return false;
}

}  // namespace picklock
